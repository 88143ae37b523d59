import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Rect } from "../../src/base/geometry.ts";
import { openBrowserSession, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

/** Draws with styles alone, which neither the document nor its elements reveal. */
const page = `<!doctype html><title>Draws</title><style>
  body { margin: 0; height: 500px }
  div { position: absolute; left: 160px; top: 96px; width: var(--w, 0); height: var(--h, 0); background: #000 }
</style><div></div><script>
  const [w, h] = location.search.slice(1).split("x");
  addEventListener("mouseup", () => {
    document.querySelector("div").style.cssText = "--w:" + w + "px; --h:" + h + "px";
  });
</script>`;

const surface = "page:1";
let server: PageServer;
beforeAll(async () => {
  server = await servePages({ "draws.html": page });
});
afterAll(async () => server?.[Symbol.asyncDispose]());

describe.each([1, 1.5, 2])("with %s pixels per CSS pixel:", (density) => {
  let browser: BrowserSession;
  beforeAll(async () => {
    browser = await openBrowserSession();
    await browser.call("cdp_launch", { headless: true, args: [`--force-device-scale-factor=${density}`] });
  });
  afterAll(async () => browser?.[Symbol.asyncDispose]());

  const clickThatDraws = async (size: string) => {
    await browser.call("cdp_navigate", { url: `${server.own}/draws.html?${size}` });
    const { effect, changes } = await browser.call("click", { x: 40, y: 40, surface });
    return { effect, changes: changes as { readonly pixels?: { readonly box: Rect } } };
  };

  test("the picture has that many, and a change is reported at its place on the page [S2-22]", async () => {
    const { changes } = await clickThatDraws("64x40");
    expect(await browser.call("take_screenshot", { surface, mode: "screen" })).toMatchObject({
      screenshot_scale: density,
      coordinate_space: "page pixels",
    });
    expect(changes.pixels?.box).toEqual({ x: 160, y: 96, width: 64, height: 40 });
  });

  test("what is as large as a text cursor counts as one, anything larger does not", async () => {
    expect(await clickThatDraws("2x36")).toMatchObject({ effect: "no_change" });
    expect(await clickThatDraws("64x40")).toMatchObject({ effect: "confirmed" });
  });
});
