import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startHostileBrowser } from "../simulators/browser/hostile-browser.ts";
import { blankPng, LyingPage } from "../simulators/browser/lying-page.ts";
import {
  launchHeadless,
  openBrowserSession,
  servePages,
  type BrowserSession,
  type PageServer,
} from "../support/browser.ts";

const pages = {
  "drawings.html": `<!doctype html><title>Drawings</title>
<style>button:hover { background: gold } .dull:hover { background: revert }</style>
<canvas id=paper role=img aria-label=Paper width=200 height=100></canvas>
<canvas id=inert role=img aria-label=Inert width=200 height=100></canvas>
<canvas id=spinner role=img aria-label=Spinner width=100 height=100></canvas>
<button id=pen>Draw</button><p id=clock>0</p><button>Glows</button><a href="#">Dull</a>
<script>
  const on = (id) => document.getElementById(id).getContext("2d");
  let n = 0;
  const draw = () => on("paper").fillRect(10 * ++n, 10, 5, 50);
  paper.onclick = draw; pen.onclick = () => setTimeout(draw, 20); pen.onkeydown = (e) => { if (e.key === "d") draw(); };
  setInterval(() => { clock.textContent = Number(clock.textContent) + 1; }, 100);
  const spin = () => { const c = on("spinner"); c.clearRect(0, 0, 100, 100); c.fillRect(Date.now() % 90, 10, 10, 10); requestAnimationFrame(spin); };
  if (location.search === "?spins") spin(); else spinner.remove();
</script>`,
};

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages(pages);
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await open("");
});

async function open(query: string): Promise<void> {
  await browser.call("cdp_navigate", { url: `${server.own}/drawings.html${query}` });
  // By then it is known what ticks.
  await browser.call("cdp_wait_for", { text: ["35"] });
}

const redrawn = { effect: "confirmed", changes: { tree: ["~ canvas redrawn"] } };

test("a drawing that a click changes is seen, though the document says nothing", async () => {
  expect(await browser.call("cdp_click", { uid: await browser.find("Paper") })).toMatchObject(redrawn);
  expect(await browser.call("cdp_click", { uid: await browser.find("Draw") })).toMatchObject(redrawn);
  expect(await browser.call("cdp_press_key", { key: "d" })).toMatchObject(redrawn);
});

test("a drawing that stays as it is is no change, whatever moves beside it", async () => {
  expect(await browser.call("cdp_click", { uid: await browser.find("Inert") })).toMatchObject({ effect: "no_change" });
});

test("a drawing that changes by itself proves nothing", async () => {
  await open("?spins");
  expect(await browser.call("cdp_click", { uid: await browser.find("Spinner") })).toMatchObject({
    effect: "unverifiable",
    warning: expect.stringContaining("changes by itself") as string,
  });
  // The one beside it is judged by itself.
  expect(await browser.call("cdp_click", { uid: await browser.find("Inert") })).toMatchObject({ effect: "no_change" });
  expect(await browser.call("cdp_click", { uid: await browser.find("Paper") })).toMatchObject(redrawn);
});

test("a drawing that looks the same twice by chance proves nothing", async () => {
  const page = new LyingPage(await blankPng(64, 48));
  await using hostile = await startHostileBrowser({ onMessage: page.onMessage });
  await using session = await openBrowserSession();
  await session.call("cdp_connect", { port: hostile.port });
  const uid = await session.find("Save");
  const quiet = {
    lines: [],
    cut: 0,
    focus: null,
    scrolled: false,
    copied: false,
    mayRun: "nothing",
    isQuiet: true,
    url: "http://a.test/",
    title: "a",
  };
  page.lie("settle", () => quiet);
  const shown = ["A", "B", "B", "C"];
  page.lie("Page.captureScreenshot", () => ({ data: shown.shift() ?? "B" }));
  expect(await session.call("cdp_click", { uid })).toMatchObject({ effect: "unverifiable" });
});

test("what only styles show under the pointer is seen [S2-106]", async () => {
  expect(await browser.call("cdp_hover", { uid: await browser.find("Glows") })).toMatchObject({
    effect: "confirmed",
    changes: { tree: ["~ element redrawn"] },
  });
  expect(await browser.call("cdp_hover", { uid: await browser.find("Dull") })).toMatchObject({ effect: "no_change" });
});
