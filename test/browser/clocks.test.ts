import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

const clock = `<title>Clock</title><p id=clock>0</p><input aria-label=Field>
  <script>setInterval(() => { clock.textContent = Number(clock.textContent) + 1; }, 100)</script>`;
const shortcuts = `<title>Shortcuts</title><p id=keys>0</p>
  <script>onkeydown = () => { keys.textContent = Number(keys.textContent) + 1; }</script>`;

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages({ clock, shortcuts });
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
const open = (name: string) => browser.call("cdp_navigate", { url: `${server.own}/${name}` });

test("the page's own clock confirms no text that nothing has taken", async () => {
  await open("clock");
  expect(await browser.call("cdp_type_text", { text: "abc" })).toMatchObject({
    effect: "no_change",
    warning: "Nothing that takes text has the focus.",
  });
  await open("clock");
  expect(await browser.call("cdp_press_key", { key: "a" })).toMatchObject({ effect: "no_change" });
});

test("keys that the page counts are confirmed, and so is text that a field takes beside a clock", async () => {
  await open("shortcuts");
  expect(await browser.call("cdp_type_text", { text: "abc" })).toMatchObject({ effect: "confirmed" });
  expect(await browser.call("cdp_press_key", { key: "a" })).toMatchObject({ effect: "confirmed" });
  await open("clock");
  await browser.call("cdp_click", { uid: await browser.find("Field") });
  const typed = await browser.call("cdp_type_text", { text: "abc" });
  expect(typed).toMatchObject({ effect: "confirmed" });
  expect((typed["changes"] as { tree: string[] }).tree).toContainEqual(
    expect.stringMatching(/^~ textbox "Field" d\d+ value "" → "abc"$/),
  );
});
