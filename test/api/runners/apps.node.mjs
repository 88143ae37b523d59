// @ts-check
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { expect, open, openVirtualDesktop } from "../../../dist/index.js";

/** @type {import("../../../dist/index.js").VirtualDesktop} */
let desktop;
/** @type {import("../../../dist/index.js").Handsight} */
let hs;
/** @type {import("node:child_process").ChildProcess | undefined} */
let qt;

before(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  hs = await open({ env: desktop.env, policy: "allow", journal: false, timeoutMs: 20_000 });
});
after(async () => {
  qt?.kill("SIGKILL");
  await hs?.close();
  await desktop?.[Symbol.asyncDispose]();
});

void test("a GTK app: an editor undoes what was typed", async () => {
  const editor = await hs.desktop.launch("mousepad");
  const text = editor.getByRole("textbox");
  await text.type("Hello, Grüße");
  await expect(text).toHaveText("Hello, Grüße");
  await editor.getByRole("menu", { name: "Edit" }).click({ effect: "confirmed" });
  await editor.getByRole("menuitem", { name: "Undo" }).click({ effect: "confirmed" });
  await expect(text).not.toHaveText("Hello, Grüße");
  await editor.quit({ force: true });
});

void test("a Qt app: a form is filled, checked and counted", async () => {
  const program = new URL("../../fixtures/qt6_controls.py", import.meta.url).pathname;
  qt = spawn("/usr/bin/python3", [program], { env: desktop.env, stdio: "ignore" });
  const window = await hs.desktop.window({ title: "Qt6 Controls" });
  await window.getByLabel("Username").fill("ann");
  await expect(window.getByLabel("Username")).toHaveValue("ann");
  await window.getByRole("checkbox", { name: "Check me" }).check();
  await expect(window.getByRole("checkbox", { name: "Check me" })).toBeChecked();
  await window.getByRole("button", { name: "Press me" }).click({ effect: "confirmed" });
  await expect(window.getByText("Pressed 1")).toBeVisible();
  await expect(window.getByRole("button", { name: "Disabled" })).toBeDisabled();
});

void test("a page: things are put into a cart", async () => {
  const page = await hs.browser.launch({ headless: true });
  await page.evaluate(`() => {
    document.body.innerHTML = "<label>Item <input></label><button>Add</button><ul></ul>";
    document.querySelector("button").onclick = () => setTimeout(() =>
      document.querySelector("ul").insertAdjacentHTML("beforeend", "<li>" + document.querySelector("input").value), 200);
  }`);
  for (const item of ["tea", "milk"]) {
    await page.getByLabel("Item").fill(item);
    await page.getByRole("button", { name: "Add" }).click();
    await expect(page.getByRole("listitem").filter({ hasText: item })).toBeVisible();
  }
  await expect(page.getByRole("listitem")).toHaveCount(2);
});
