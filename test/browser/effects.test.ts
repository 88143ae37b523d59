import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type Data, type PageServer } from "../support/browser.ts";

const shadowTick = `<x-tick></x-tick><script>customElements.define("x-tick", class extends HTMLElement {
  connectedCallback() { this.attachShadow({ mode: "closed" }).innerHTML = "<label><input type=checkbox>Tick</label>"; } })</script>`;
const toast = `<button onclick="const t = document.createElement('p'); t.textContent = 'Saved'; document.body.append(t); setTimeout(() => t.remove())">Save</button>`;
const ripple = `<button onpointerdown="const s = document.createElement('span'); this.append(s); setTimeout(() => s.remove(), 5000)">Ripple</button>`;
const pages = {
  popover: "<button popovertarget=menu>Menu</button><div id=menu popover>Hello</div>",
  full: '<button onclick="document.documentElement.requestFullscreen()">Full</button>',
  shadowTick,
  toast,
  ripple,
  framed: '<iframe src="OWN/first" title=Frame></iframe>',
  first: '<a href="second">Go inside</a>',
  second: "<p>Second</p>",
  clock: "<p id=t>0</p><button>Dead</button><script>setInterval(() => t.textContent = Date.now(), 150)</script>",
  pressed: `<button onpointerdown="this.className = 'down'" onpointerup="this.className = ''">Pressed</button>`,
  focused: `<div id=w><button onfocus="w.className = 'focused'">Focused</button></div>`,
  chosen: `<div id=w><button onclick="w.className = 'chosen'">Chosen</button></div>`,
  words: "<p>alpha</p>",
  field: '<input aria-label=Field value="some words">',
  tab: '<a href="second" target=_blank>New tab</a>',
  file: '<a href="data:text/plain,hi" download="hi.txt">Get file</a>',
  late: "<button onclick=\"setTimeout(() => { o.textContent = 'done' }, 250)\">Late</button><p id=o></p>",
  looks:
    "<style>button:focus { outline: 4px solid red } button:hover { background: red }</style><button>Looks</button>",
  asks: "<button onclick=\"alert('Hey')\">Ask</button>",
  hover: `<style>#m { display: none } #d:hover #m { display: block }</style>
    <div id=d role=button>Products<ul id=m><li><a href="#tea">Tea</a></li></ul></div>`,
};

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages(pages);
  browser = await launchHeadless({ settleMs: "600" });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const open = async (page: string): Promise<string> =>
  String((await browser.call("cdp_navigate", { url: `${server.own}/${page}` }))["surface"]);
const treeOf = (answer: Data) => (answer["changes"] as { tree?: string[] } | undefined)?.tree?.join("\n");

describe("cdp_click tells a change that no attribute shows:", () => {
  test.each<[string, keyof typeof pages, string, RegExp]>([
    ["a popover that opens", "popover", "Menu", /^\+ .*Hello|open$/],
    ["a box in a closed shadow tree", "shadowTick", "Tick", /unchecked → checked/],
    ["what came and went while nobody looked", "toast", "Save", /"Saved", gone again/],
    ["a class that the click itself sets", "chosen", "Chosen", /class/],
  ])("%s", async (_what, page, name, line) => {
    await open(page);
    const answer = await browser.call("cdp_click", { uid: await browser.find(name) });
    expect(answer).toMatchObject({ effect: "confirmed" });
    expect(treeOf(answer)).toMatch(line);
  });

  test("a frame that goes elsewhere", async () => {
    await open("framed");
    await expect.poll(() => browser.find("Go inside"), { timeout: 5_000 }).toBeTruthy();
    expect(await browser.call("cdp_click", { uid: await browser.find("Go inside") })).toMatchObject({
      effect: "confirmed",
    });
  });

  test("a page that fills the screen", async () => {
    await open("full");
    const full = await browser.call("cdp_click", { uid: await browser.find("Full") });
    expect(treeOf(full)).toContain("fills the screen");
  });
});

test.each<[string, keyof typeof pages, string]>([
  ["a clock on a page that was opened just now", "clock", "Dead"],
  ["a look while it is pressed", "pressed", "Pressed"],
  ["a look because it has the focus", "focused", "Focused"],
  ["the ripple of a framework", "ripple", "Ripple"],
])("cdp_click takes no effect from %s", async (_what, page, name) => {
  await open(page);
  expect(await browser.call("cdp_click", { uid: await browser.find(name) })).toMatchObject({ effect: "no_change" });
});

test("selected text and the place of the text cursor count", async () => {
  await open("words");
  const word = await browser.call("cdp_click", { uid: await browser.find("alpha"), dbl_click: true });
  expect([word["effect"], treeOf(word)]).toEqual(["confirmed", "~ selected text"]);
  expect(word["changes"]).not.toHaveProperty("clipboard");
  await open("field");
  await browser.call("cdp_click", { uid: await browser.find("Field") });
  const effects = [];
  for (const key of ["Home", "Home", "Control+A"])
    effects.push((await browser.call("cdp_press_key", { key }))["effect"]);
  expect(effects).toEqual(["confirmed", "no_change", "confirmed"]);
});

describe("the general tools see", () => {
  const click = async (page: keyof typeof pages, text: string, more: object = {}) =>
    browser.call("click", { text, surface: await open(page), ...more });

  test("a page that opens, and a download", async () => {
    const tab = await click("tab", "New tab");
    expect(tab).toMatchObject({
      effect: "confirmed",
      changes: { windows: [expect.stringMatching(/^opened page:\d+$/)] },
    });
    expect(await click("file", "Get file")).toMatchObject({
      effect: "confirmed",
      changes: { windows: ["downloads hi.txt"] },
    });
  });

  test("what comes late on a page with hardly any elements, and no effect in its looks", async () => {
    expect(await click("late", "Late")).toMatchObject({ effect: "confirmed" });
    expect(await click("looks", "Looks")).toMatchObject({ effect: "no_change" });
  });

  test("text that is selected, and a dialog", async () => {
    expect(await click("words", "alpha", { clicks: 2 })).toMatchObject({
      effect: "confirmed",
      changes: { clipboard: expect.arrayContaining(["primary selection"]) },
    });
    expect(await click("asks", "Ask")).toMatchObject({ effect: "confirmed" });
    await browser.call("cdp_handle_dialog", { action: "accept" });
  });
});

test("a menu that only a style shows under the pointer is named", async () => {
  await open("hover");
  const hovered = await browser.call("cdp_hover", { uid: await browser.find("Products") });
  expect(hovered).toMatchObject({ effect: "confirmed" });
  expect(treeOf(hovered)).toContain('link "Tea"');
});
