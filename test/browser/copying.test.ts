import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

const secret = "word-for-word";
const copying = `<title>Copying</title><p id=text>${secret}</p><input aria-label=Field value="${secret}">
  <button onclick="navigator.clipboard.writeText('${secret}')">Copy link</button>
  <button onclick="getSelection().selectAllChildren(text); document.execCommand('copy'); getSelection().empty()">Old copy</button>
  <button onclick="getSelection().selectAllChildren(text)">Select</button>
  <button onclick="addEventListener('copy', (e) => e.preventDefault(), { once: true, capture: true });
    const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', 'x');
    dispatchEvent(new ClipboardEvent('copy', { clipboardData, cancelable: true }))">False copy</button>
  <button onclick="void 0">Dead</button>`;
const plain = `<title>Plain</title><iframe width=500 src="data:text/html,${encodeURIComponent(copying)}"></iframe>`;
const forbidding = copying.replace("<p id", "<body oncopy='return false'><p id");

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages({ copying, forbidding, plain });
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const copied = { effect: "confirmed", changes: { clipboard: ["clipboard"] } };
const select = (code: string) => browser.call("cdp_evaluate_script", { function: `() => void (${code})` });
const selectText = () => select("getSelection().selectAllChildren(document.getElementById('text'))");
const selectField = () => select("document.querySelector('input').select()");

const press = (name: string) => browser.find(name, "button").then((uid) => browser.call("cdp_click", { uid }));

test("what a button copies is its effect, and what was copied stays in the page", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/copying` });
  for (const name of ["Copy link", "Old copy"]) {
    const answer = await press(name);
    expect(answer, name).toMatchObject(copied);
    expect(JSON.stringify(answer["changes"])).not.toContain(secret);
  }
  for (const name of ["False copy", "Dead"]) expect(await press(name), name).toMatchObject({ effect: "no_change" });
});

test("the shortcut counts if something is selected", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/copying` });
  expect(await browser.call("cdp_press_key", { key: "Control+C" })).toMatchObject({ effect: "no_change" });
  await selectText();
  expect(await browser.call("cdp_press_key", { key: "Control+C" })).toMatchObject(copied);
  await selectField();
  expect(await browser.call("cdp_press_key", { key: "Control+C" })).toMatchObject(copied);
});

// Without a secure address a document has no clipboard of its own, and only the browser's copying is left.
test("copying in a document without a secure address counts", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/plain` });
  expect(await press("Old copy")).toMatchObject(copied);
  expect(await press("Dead")).toMatchObject({ effect: "no_change" });
  expect(await browser.call("cdp_press_key", { key: "Control+C" })).toMatchObject({ effect: "no_change" });
  await press("Select");
  expect(await browser.call("cdp_press_key", { key: "Control+C" })).toMatchObject(copied);
});

test("the general tools report it, too", async () => {
  const { surface } = await browser.call("cdp_navigate", { url: `${server.own}/copying` });
  const click = (text: string) => browser.call("click", { text, surface });
  expect(await click("Copy link")).toMatchObject(copied);
  expect(await click("Dead")).toMatchObject({ effect: "no_change" });
  expect(await browser.call("press_key", { key: "ctrl+c", surface })).toMatchObject({ effect: "no_change" });
  await selectText();
  expect(await browser.call("press_key", { key: "ctrl+c", surface })).toMatchObject(copied);
});

test("a page that forbids copying", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/forbidding` });
  await selectText();
  expect(await browser.call("cdp_press_key", { key: "Control+C" })).toMatchObject({ effect: "no_change" });
});
