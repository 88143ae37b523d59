import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { toolkits } from "../support/accessible.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

interface Element {
  readonly uid: string;
  readonly runtime_id: string;
  readonly stable_id?: string;
  readonly role: string;
  readonly name: string;
  readonly actions: readonly string[];
  readonly pid: number;
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly click_point: { readonly x: number; readonly y: number };
}

let desktop: VirtualDesktop;
let handsight: Handsight;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  handsight = await startHandsight(desktop.env);
});

afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
});

const pointer = () => handsight.call("get_mouse_position");

describe.each(toolkits)("with the controls of %s", (toolkit) => {
  let app: Fixture;
  beforeAll(async () => {
    app = await startFixture(`${toolkit}_controls`, { env: desktop.env, args: ["--rows", "400"] });
    await app.waitFor(({ event }) => event === "ready", 30_000);
    await handsight.call("wait_for", { condition: "window_active", pid: app.pid, timeout_ms: 30_000 });
    await handsight.call("wait_for", { condition: "stable", pid: app.pid, timeout_ms: 30_000 });
  });
  afterAll(async () => {
    await app?.stop();
  });

  async function find(query: Readonly<Record<string, string>>): Promise<Element> {
    const look = async () => {
      const { elements } = await handsight.call("find_elements", { ...query, pid: app.pid });
      return (elements as readonly Element[])[0];
    };
    const found = await poll(look, { timeoutMs: 15_000, everyMs: 50 });
    if (!found) throw new Error(`${JSON.stringify(query)} is not to be found`);
    return found;
  }
  const losesFocus = async () => {
    const isLost = async () => {
      const { elements } = await handsight.call("find_elements", {
        selector: "Button:Press me[focused]",
        pid: app.pid,
      });
      return (elements as readonly Element[]).length === 0 ? true : undefined;
    };
    expect(await poll(isLost, { timeoutMs: 15_000, everyMs: 20 })).toBe(true);
  };
  const at = async (x: number, y: number) => (await handsight.call("element_at_point", { x, y }))["element"] as Element;
  let shown = "Basics";
  /** Selecting the selected tab again would wait for an effect that cannot come. */
  const openTab = async (name: string) => {
    if (name !== shown) await handsight.call("ax_select", { uid: (await find({ selector: `Tab:${name}` })).uid });
    shown = name;
  };

  test("a point gives the innermost element with bounds, click point and identities [S2-38, S3-59, S3-61, S3-62]", async () => {
    await openTab("Basics");
    const button = await find({ selector: "Button:Press me" });
    const { x, y } = button.click_point;
    expect(await at(x, y)).toMatchObject({
      // In GTK 4 the label inside a button is a separate element.
      role: toolkit === "gtk4" ? "text" : "button",
      name: "Press me",
      runtime_id: toolkit === "gtk4" ? expect.any(String) : button.runtime_id,
      bounds: { x: expect.any(Number), width: expect.any(Number) },
      click_point: { x: expect.any(Number), y: expect.any(Number) },
      pid: app.pid,
      app_name: expect.any(String),
    });
    const { ancestors } = await handsight.call("element_at_point", { x, y });
    if (toolkit === "gtk4") {
      expect((ancestors as readonly Element[])[0]).toMatchObject({ role: "button", name: "Press me" });
    }
    const { x: left, y: top, width, height } = button.bounds;
    expect(x >= left && x < left + width && y >= top && y < top + height).toBe(true);
  });

  test("it is the same element later, by more than its name, and reached again by its stable id [S3-60, S3-63]", async () => {
    await openTab("Basics");
    const play = await find({ name: "Play", role: "button" });
    const { elements } = await handsight.call("take_ax_snapshot", { pid: app.pid, format: "json" });
    const same = (elements as readonly Element[]).find(({ runtime_id }) => runtime_id === play.runtime_id);
    expect(same).toMatchObject({ name: "Play" });
    await handsight.call("act", { action: "click", stable_id: same?.stable_id ?? "", pid: app.pid });
    // After the press it has another name but is the same element.
    expect(await find({ name: "Pause", role: "button" })).toMatchObject({ runtime_id: play.runtime_id });
    await handsight.call("click", { text: "Pause", pid: app.pid });
    expect(await find({ name: "Play", role: "button" })).toMatchObject({ runtime_id: play.runtime_id });
  });

  test("being hit does not mean being clickable [S3-26]", async () => {
    await openTab("Basics");
    const label = await find({ selector: "Text:Ready" });
    const hit = await at(label.click_point.x, label.click_point.y);
    expect(hit.runtime_id).toBe(label.runtime_id);
    await expect(handsight.call("ax_click", { uid: hit.uid })).rejects.toMatchObject({ code: "not_dispatchable" });
  });

  test("patterns come before the pointer: press and value move nothing [S3-12, S3-28, S3-68, S3-80]", async () => {
    await openTab("Basics");
    const before = await pointer();
    const { uid } = await find({ selector: "Button:Press me" });
    expect(await handsight.call("click", { uid })).toMatchObject({ method: "ax", effect: "confirmed" });
    const field = await find({ selector: "TextBox:Username" });
    expect(await handsight.call("ax_set_value", { uid: field.uid, text: `Cora ${toolkit}` })).toMatchObject({
      method: "ax",
      node_after: { value: `Cora ${toolkit}` },
    });
    expect(await pointer()).toEqual(before);
  });

  test("a point in a scrolled list gives its row, not the list around it [S2-39]", async () => {
    await openTab("Lists");
    const row = await find({ selector: 'ListItem:"Fruit 2"' });
    const { element, ancestors } = (await handsight.call("element_at_point", { ...row.click_point })) as {
      element: Element;
      ancestors: readonly Element[];
    };
    // In GTK the label inside a row is a separate element.
    const hit = [element, ...ancestors].find(({ role }) => role !== "text");
    expect(hit).toMatchObject({ role: "listitem", name: "Fruit 2" });
  });

  // The tree view of GTK 4 reports no rows.
  const withRows: (title: string, run: () => Promise<void>) => void = toolkit === "gtk4" ? () => {} : test;
  withRows("a folder of a tree opens and closes without the pointer, or says that it cannot [S3-66]", async () => {
    await openTab("Lists");
    const before = await pointer();
    const { isError, data } = await handsight.ask("ax_expand", { uid: (await find({ name: "Documents" })).uid });
    if (toolkit === "gtk3") {
      expect(data).toMatchObject({ method: "ax", effect: "confirmed" });
      await find({ name: "Letter" });
      const closing = { uid: (await find({ name: "Documents" })).uid, expanded: false };
      expect(await handsight.call("ax_expand", closing)).toMatchObject({ method: "ax", effect: "confirmed" });
    } else {
      // Qt has no such action.
      expect([isError, data]).toMatchObject([true, { error: { code: "not_dispatchable", fallback: {} } }]);
    }
    expect(await pointer()).toEqual(before);
  });

  test("where the mouse is needed it goes to the click point [S3-25, S3-29]", async () => {
    await openTab("Basics");
    const { uid, click_point } = await find({ selector: "Button:Press me" });
    const pressed = app.events.filter(({ event, name }) => event === "pressed" && name === "Press me").length;
    expect(await handsight.call("click", { uid, delivery: "foreground" })).toMatchObject({ method: "input" });
    expect(await pointer()).toMatchObject(click_point);
    await app.waitFor(({ event, name, count }) => event === "pressed" && name === "Press me" && count === pressed + 1);
  });

  test("a list is scrolled natively to a percentage and by an amount, or says that it cannot [S3-65, S3-69, S3-80]", async () => {
    await openTab("Lists");
    const list = await find({ selector: "List" });
    const before = await pointer();
    if (toolkit !== "gtk3") {
      // The others expose no scroll bar that can be set; the wheel is the way to scroll there.
      await expect(handsight.call("ax_scroll", { uid: list.uid, percent: 100 })).rejects.toMatchObject({
        code: "pattern_unsupported",
        hint: expect.stringContaining("wheel"),
      });
      expect(await pointer()).toEqual(before);
      await handsight.call("scroll", { uid: list.uid, direction: "down", amount: 100 });
      await find({ name: "Fruit 100" });
      await handsight.call("scroll", { uid: (await find({ selector: "List" })).uid, direction: "up", amount: 100 });
      return;
    }
    expect(await handsight.call("ax_scroll", { uid: list.uid, percent: 100 })).toMatchObject({
      method: "ax",
      effect: "confirmed",
      dispatched_via: expect.stringContaining("scroll bar"),
    });
    const last = await find({ name: "Fruit 100" });
    expect(await at(last.click_point.x, last.click_point.y)).toMatchObject({ name: "Fruit 100" });
    expect(await handsight.call("ax_scroll", { uid: last.uid, direction: "up", amount: 5 })).toMatchObject({
      effect: "confirmed",
    });
    await handsight.call("ax_scroll", { uid: (await find({ selector: "List" })).uid, percent: 0 });
    await find({ name: "Fruit 2" });
    expect(await pointer()).toEqual(before);
  });

  test("an element without such a pattern says so in a code, and nothing else is tried [S3-69]", async () => {
    await openTab("Basics");
    const button = await find({ selector: "Button:Press me" });
    const before = await pointer();
    const refusal = { code: expect.stringMatching(/^(?:not_dispatchable|pattern_unsupported)$/) };
    await expect(handsight.call("ax_expand", { uid: button.uid })).rejects.toMatchObject(refusal);
    await expect(handsight.call("ax_set_value", { uid: button.uid, text: "x" })).rejects.toMatchObject(refusal);
    expect(await pointer()).toEqual(before);
  });

  test("the text of a document is read as a whole [S3-67]", async () => {
    await openTab("Basics");
    const notes = await find({ selector: "TextBox:Notes" });
    const text = Array.from({ length: 30 }, (_, line) => `Line ${line} of ${toolkit}`).join("\n");
    await handsight.call("ax_set_value", { uid: notes.uid, text });
    const read = await handsight.call("read_text", { selector: "TextBox:Notes", pid: app.pid });
    expect(read).toMatchObject({ text, source: "accessibility", truncated: false });
    await handsight.call("ax_set_value", { uid: (await find({ selector: "TextBox:Notes" })).uid, text: "" });
  });

  test("an element gets the focus natively or says that it cannot, and windows come to the front by the window manager [S3-27]", async () => {
    await openTab("Basics");
    await using other = await startFixture("gtk3_editor", { env: desktop.env });
    await handsight.call("wait_for", { condition: "window_active", pid: other.pid, timeout_ms: 30_000 });
    // Until Qt hears that its window is no longer active, it would give the focus.
    if (toolkit.startsWith("qt")) await losesFocus();
    const field = await find({ selector: "TextBox:Username" });
    const { isError, data } = await handsight.ask("ax_focus", { uid: field.uid });
    // The others give the focus only in the window that has it, and say so.
    if (toolkit === "gtk3") expect(data).toMatchObject({ method: "ax", effect: "confirmed" });
    else expect([isError, data]).toMatchObject([true, { error: { code: "not_dispatchable" } }]);
    // GTK 3 itself raises the window of a focused element.
    const front = toolkit === "gtk3" ? app.pid : other.pid;
    expect(await handsight.call("get_active_window")).toMatchObject({ window: { pid: front } });
    await handsight.call("focus_window", { pid: app.pid });
    expect(await handsight.call("get_active_window")).toMatchObject({ window: { pid: app.pid } });
  });
});
