import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { browsers, startBrowser, type Browser } from "../support/page-browser.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { openPageStage, type Found, type PageStage } from "../support/page-stage.ts";

describe.each(browsers)("a page in %s", (name) => {
  let handsight: Handsight;
  let browser: Browser;
  let find: PageStage["find"];
  let opened: PageStage | undefined;

  beforeAll(async () => {
    opened = await openPageStage(name);
    ({ handsight, browser, find } = opened);
  });

  afterAll(async () => opened?.[Symbol.asyncDispose]());

  test("reads like the page, with its names and values from the first look on", async () => {
    // Firefox has names, texts and places only some time after the first question.
    const fresh = await handsight.call("take_ax_snapshot", { pid: browser.pid, bounds: "none" });
    const lines = String(fresh["snapshot"]).split("\n");
    const from = lines.findIndex((line) => line.includes('document "Controls page"'));
    const inPage = lines
      .slice(from + 1)
      .map((line) => line.trim().replace(/ a\d+g\d+/, ""))
      .slice(0, 50);
    expect(inPage).toEqual(
      expect.arrayContaining([
        'heading "Controls"',
        'button "Press me"',
        'button "Disabled" disabled',
        'checkbox "Check me"',
        'radio "Slow" checked',
        'textbox "Username" ="initial" editable',
        'textbox "Password" editable password',
        'combobox "Colour" ="Red" collapsed',
        'slider "Volume" =10',
        'link "A link"',
        'tab "One" selected',
        'group "Frame"',
      ]),
    );
    // Cells that nothing can be done with are part of their row, unless the browser says that they can be pressed.
    expect(inPage.filter((line) => line === 'row "Apple" "3"' || line === 'cell "Apple"')).toHaveLength(1);
    expect(String(fresh["snapshot"])).toContain("Pressed 0");
    expect(inPage.filter((line) => /^(group|text|paragraph|unknown)$/.test(line))).toEqual([]);
    // A label beside its field adds nothing.
    expect(inPage.filter((line) => line.includes("Username"))).toHaveLength(1);
  });

  test("says how many rows are scrolled away, and shows them on request", async () => {
    const { snapshot } = await handsight.call("take_ax_snapshot", { pid: browser.pid, bounds: "none" });
    const [, more, list] = /(\d+) more (?:under|like this.* root) (a\d+g\d+)/.exec(String(snapshot)) ?? [];
    const shown = String(snapshot).match(/"Row \d+"/g)?.length ?? 0;
    expect(Number(more) + shown).toBeGreaterThanOrEqual(60);
    const all = await handsight.call("take_ax_snapshot", { pid: browser.pid, root: list, bounds: "none" });
    expect(String(all["snapshot"])).toContain('button "Row 60"');
  });

  test("never shows what is in a password field", async () => {
    const { uid } = await find("TextBox:Password");
    await handsight.call("type_text", { uid, text: "s3cret" });
    const field = await find("TextBox:Password");
    expect(field.value).toBeUndefined();
    const { elements } = await handsight.call("take_ax_snapshot", { pid: browser.pid, format: "json" });
    expect(JSON.stringify(elements)).not.toMatch(/s3cret|••|\*\*\*/);
    const read = await handsight.ask("read_text", { uid: field.uid });
    expect(JSON.stringify(read.data)).not.toMatch(/s3cret|••|\*\*\*/);
  });

  test("knows its elements by the ids of the page", async () => {
    expect(await find("#username")).toMatchObject({ name: "Username", automation_id: "username" });
    expect(await find("#late")).toMatchObject({ name: "Late" });
  });

  test("says what is at a point", async () => {
    for (const selector of ["Button:Press me", "CheckBox:Check me", "Button:Inside", "Button:Reload"]) {
      const { click_point, name: own } = await find(selector);
      expect(await handsight.call("element_at_point", click_point)).toMatchObject({ element: { name: own } });
    }
  });

  test("says what has the focus, and the text of a field", async () => {
    const { uid } = await find("TextBox:Comments");
    await handsight.call("ax_focus", { uid });
    expect(await handsight.call("get_focused_element")).toMatchObject({ element: { name: "Comments" } });
    await handsight.call("type_text", { text: "Grüße 🎉", uid });
    expect(await handsight.call("read_text", { uid })).toMatchObject({ text: "Grüße 🎉" });
  });

  test("is waited for", async () => {
    const { uid } = await find("Button:Late");
    const { events } = browser;
    const already = events.length;
    await handsight.call("ax_click", { uid, settle_ms: 0 });
    await handsight.call("wait_for", { condition: "element", text: "Pressed 1", pid: browser.pid });
    expect(
      await poll(async () => events.slice(already).find((each) => each["name"] === "Late"), {
        timeoutMs: 2000,
        everyMs: 20,
      }),
    ).toMatchObject({ event: "pressed" });
  });

  test("is distinguished from the dialog over it", async () => {
    // A dialog that an earlier attempt left open would block the page.
    const left = await handsight.call("find_elements", { selector: "Button:OK", pid: browser.pid });
    if (Number(left["total"]) > 0) await handsight.call("click", { selector: "Button:OK", pid: browser.pid });
    const asked = await handsight.call("click", { selector: "Button:Ask", pid: browser.pid, delivery: "background" });
    expect(asked).toMatchObject({ effect: "confirmed" });
    await handsight.call("wait_for", { condition: "element", selector: "Button:OK", pid: browser.pid });
    // For half a second after a dialog appears Chromium ignores presses, so that nobody answers it by mistake.
    const answer = async () => (await handsight.call("click", { selector: "Button:OK", pid: browser.pid }))["effect"];
    await expect.poll(answer, { timeout: 10_000 }).toBe("confirmed");
    expect(await browser.waitFor(({ event }) => event === "answered")).toMatchObject({ yes: true });
  });
});

test.each(browsers)("%s at twice the density is clicked where it says its elements are", async (name) => {
  await using desktop = await openVirtualDesktop({ width: 2560, height: 2000, monitors: 1, scale: 2 });
  await using browser = await startBrowser(name, { env: desktop.env, scale: 2 });
  await using handsight = await startHandsight(desktop.env);
  const { pid } = browser;
  await handsight.call("wait_for", { condition: "element", selector: "Button:Inside", pid, timeout_ms: 20_000 });
  for (const selector of ["Button:Press me", "CheckBox:Check me", "Button:Row 2", "Button:Inside"]) {
    const { elements } = await handsight.call("find_elements", { selector, pid });
    const [node] = elements as Found[];
    const wanted = node?.name;
    expect(await handsight.call("element_at_point", node?.click_point)).toMatchObject({ element: { name: wanted } });
    const before = browser.events.length;
    await handsight.call("click", { uid: node?.uid, delivery: "foreground" });
    const said = async () =>
      browser.events.slice(before).find((each) => each["name"] === wanted && each.event !== "clicked");
    expect(await poll(said, { timeoutMs: 3000, everyMs: 20 })).toMatchObject({ name: wanted });
  }
});
