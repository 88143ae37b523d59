import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { toolkits } from "../support/accessible.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { watchBus } from "../support/watch-bus.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Match extends Point {
  readonly text: string;
  readonly role: string;
  readonly uid: string;
}

let folder: string;
let desktop: VirtualDesktop;
let handsight: Handsight;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handsight-workflows-"));
  desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  // Editors keep their sessions and settings there; the tests must not touch those of whoever runs them.
  const own = { XDG_CONFIG_HOME: join(folder, "config"), XDG_DATA_HOME: join(folder, "data") };
  handsight = await startHandsight({ ...desktop.env, ...own });
});

afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Starts an installed app and waits for its window; it is closed after the test. */
async function launch(app_name: string, ...args: string[]): Promise<number> {
  const { pid } = (await handsight.call("launch_app", { app_name, args, timeout_ms: 0 })) as { pid: number };
  onTestFinished(async () => void (await handsight.ask("quit_app", { pid, force: true })));
  await handsight.call("wait_for", { pid, timeout_ms: 30_000 });
  return pid;
}

/** What find_text returns for a text, once it is there. */
async function findText(text: string, pid: number, fits: (match: Match) => boolean = () => true): Promise<Match> {
  const look = async () => {
    const { matches } = await handsight.call("find_text", { text, pid });
    return (matches as readonly Match[]).find(fits);
  };
  const found = await poll(look, { timeoutMs: 15_000, everyMs: 50 });
  if (!found) throw new Error(`"${text}" is not to be found`);
  return found;
}

/** The uid in the matching line of a new snapshot, as a reader of the text finds it. */
async function uidOf(line: RegExp, pid: number): Promise<string> {
  const look = async () => {
    const { snapshot } = await handsight.call("take_ax_snapshot", { pid });
    return /\ba\d+g\d+\b/.exec(linesOf(snapshot).find((each) => line.test(each)) ?? "")?.[0];
  };
  const uid = await poll(look, { timeoutMs: 15_000, everyMs: 80 });
  if (uid === undefined) throw new Error(`no line fits ${String(line)}`);
  return uid;
}

const linesOf = (snapshot: unknown): readonly string[] => String(snapshot).split("\n");

describe("with an editor", () => {
  test("click Save: focus, find the text, click, and the file has what was written [S2-142, S2-5a, S2-5d]", async () => {
    const file = join(folder, "letter.txt");
    await writeFile(file, "Dear reader\n");
    const pid = await launch("mousepad", file);
    await handsight.call("wait_for", { condition: "element", selector: "TextBox", pid, timeout_ms: 30_000 });
    const { windows } = (await handsight.call("list_windows")) as { windows: { pid: number; window_id: number }[] };
    const { window_id } = windows.find((each) => each.pid === pid) ?? {};
    await handsight.call("focus_window", { window_id });

    const { x, y } = await findText("Dear reader", pid, ({ role }) => role === "textbox");
    await handsight.call("click", { x, y });
    await handsight.call("press_key", { key: "ctrl+End" });
    expect(await handsight.call("type_text", { text: "It works. ☂" })).toMatchObject({ effect: "confirmed" });
    expect(await readFile(file, "utf8")).toBe("Dear reader\n");

    const menu = await findText("File", pid, ({ role }) => role === "menu");
    expect(await handsight.call("click", { x: menu.x, y: menu.y })).toMatchObject({ effect: "confirmed" });
    const save = await findText("Save", pid, ({ text, role }) => text.trim() === "Save" && role === "menuitem");
    await handsight.call("click", { x: save.x, y: save.y });
    await expect.poll(() => readFile(file, "utf8"), { timeout: 15_000 }).toMatch(/^Dear reader\nIt works\. ☂\n?$/);
  });
});

describe("with a calculator", () => {
  test("2+2=4, by names alone [S1-112]", async () => {
    const pid = await launch("galculator");
    await handsight.call("wait_for", { condition: "element", selector: 'Button:"="', pid, timeout_ms: 30_000 });
    for (const key of ["2", "+", "2", "="]) {
      const pressed = await handsight.call("click", { selector: `Button:"${key}"`, pid });
      expect(pressed, `pressing ${key}`).toMatchObject({ ok: true, method: "ax" });
    }
    const { element } = await handsight.call("wait_for", { condition: "element", selector: "TextBox[value=4]", pid });
    expect(await handsight.call("read_text", { uid: (element as Match).uid })).toMatchObject({ text: "4" });
  });

  test("a field that takes no value: click the fallback point and type [S2-146, S2-5l, S2-58, S2-63]", async () => {
    const pid = await launch("galculator");
    const display = await uidOf(/textbox/, pid);
    const { isError, data } = await handsight.ask("ax_set_value", { uid: display, text: "123" });
    expect([isError, data]).toMatchObject([
      true,
      { error: { code: "not_dispatchable", fallback: { x: expect.any(Number) } } },
    ]);
    const { fallback } = data["error"] as { fallback: Point };
    await handsight.call("click", { ...fallback });
    await handsight.call("type_text", { text: "123" });
    await handsight.call("wait_for", { condition: "element", selector: "TextBox[value=123]", pid });
  });

  test("a field that takes no value is typed into only if that is asked for, and the result says so [S3-64]", async () => {
    const pid = await launch("galculator");
    const uid = await uidOf(/textbox/, pid);
    const setting = { action: "set_value", uid, value: "57" };
    await expect(handsight.call("act", setting)).rejects.toMatchObject({ code: "not_dispatchable" });
    expect(await handsight.call("read_text", { uid })).not.toMatchObject({ text: "57" });
    expect(await handsight.call("act", { ...setting, fallback: "type" })).toMatchObject({
      ok: true,
      method: "input",
      warning: expect.stringContaining("Typed, because it could not be set natively") as string,
    });
    await handsight.call("wait_for", { condition: "element", selector: "TextBox[value=57]", pid });
  });
});

describe.each(toolkits)("with an editor of %s", (toolkit) => {
  test("a value is assigned, not typed: no key reaches the field, and the limits are documented [S2-59, S2-62]", async () => {
    await using app = await startFixture(`${toolkit}_editor`, { env: desktop.env });
    const { pid } = app;
    const keys = () => app.events.filter(({ event }) => event === "key").length;
    await handsight.call("wait_for", { condition: "element", selector: "TextBox", pid, timeout_ms: 30_000 });
    const field = await uidOf(/textbox/, pid);
    const set = await handsight.call("ax_set_value", { uid: field, text: "Grüße ☂" });
    expect(set).toMatchObject({ ok: true, method: "ax", node_after: { value: "Grüße ☂" } });
    expect(await app.waitForText("Grüße ☂")).toBe("Grüße ☂");
    expect(keys()).toBe(0);
    await handsight.call("press_key", { key: "ctrl+z", pid });
    await handsight.call("type_text", { text: "!", pid });
    const { text = "" } = await app.waitFor((each) => each.event === "text" && each.text?.includes("!") === true);
    // Qt adds an assignment to the undo history; the others do not.
    expect(text.replace("!", "")).toBe(toolkit.startsWith("qt") ? "" : "Grüße ☂");
    expect(keys()).toBeGreaterThan(0);
    const { tools } = await handsight.client.listTools();
    expect(tools.find(({ name }) => name === "ax_set_value")?.description).toMatch(/no key events.*undo/);
  });
});

describe.each(toolkits)("with the controls of %s", (toolkit) => {
  let app: Fixture;
  beforeAll(async () => {
    app = await startFixture(`${toolkit}_controls`, { env: desktop.env, args: ["--rows", "50"] });
    await app.waitFor(({ event }) => event === "ready", 30_000);
    await handsight.call("wait_for", { condition: "window_active", pid: app.pid, timeout_ms: 30_000 });
    await handsight.call("wait_for", { condition: "stable", pid: app.pid, timeout_ms: 30_000 });
  });
  afterAll(async () => {
    await app?.stop();
  });

  test("click a named button by its position, and say what is at a position [S2-5a, S2-5c]", async () => {
    const { x, y, text } = await findText("Press me", app.pid);
    expect(text).toBe("Press me");
    expect(await handsight.call("element_at_point", { x, y })).toMatchObject({ element: { name: "Press me" } });
    expect(await handsight.call("click", { x, y })).toMatchObject({ method: "input", effect: "confirmed" });
    await app.waitFor(({ event, name }) => event === "pressed" && name === "Press me");
  });

  test("type into a field: find it, click it, type [S1-25, S2-5d, S2-50]", async () => {
    const { x, y } = await findText("Username", app.pid, ({ role }) => role === "textbox");
    await handsight.call("click", { x, y });
    expect(await handsight.call("get_focused_element")).toMatchObject({ element: { name: "Username" } });
    expect(await handsight.call("type_text", { text: "Ann" })).toMatchObject({ effect: "confirmed" });
    await app.waitFor(({ event, text }) => event === "text" && text === "Ann");
    // The label beside the field has the same name.
    await handsight.call("type_text", { text: "!", into: "Username", pid: app.pid });
    await app.waitFor(({ event, text }) => event === "text" && text?.includes("!") === true);
  });

  test("all elements that fit a selector are listed [S1-24]", async () => {
    const { elements } = await handsight.call("find_elements", { selector: "Button", pid: app.pid, max_results: 200 });
    const { snapshot } = await handsight.call("take_ax_snapshot", { pid: app.pid });
    const uids = (role: RegExp) =>
      linesOf(snapshot).flatMap((line) => (role.test(line) ? (/\ba\d+g\d+\b/.exec(line) ?? []) : []));
    const listed = (elements as readonly Match[]).map(({ uid }) => uid);
    expect(listed.length).toBeGreaterThan(1);
    expect((elements as readonly Match[]).filter(({ role }) => !role.endsWith("button"))).toEqual([]);
    expect(listed).toEqual(expect.arrayContaining(uids(/^ *button /)));
  });

  test("another snapshot asks no element what it can do: that is kept, or comes in one answer [S3-31]", async () => {
    await handsight.call("take_ax_snapshot", { pid: app.pid });
    await using bus = await watchBus(desktop.env);
    const { snapshot } = await handsight.call("take_ax_snapshot", { pid: app.pid });
    const asked = await bus.calls();
    expect(linesOf(snapshot).length).toBeGreaterThan(15);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((member) => /^Get(?:Interfaces|Actions|NActions|Name|Description)$/.test(member))).toEqual([]);
  });

  test("press a button from a snapshot; pointer and focus stay [S2-4, S2-5k, S2-53…S2-55]", async () => {
    const already = app.events.filter(({ event }) => event === "pressed").length;
    const still = async () => [
      await handsight.call("get_mouse_position"),
      (await handsight.call("get_focused_element"))["element"],
    ];
    const uid = await uidOf(/button "Press me"/, app.pid);
    const before = await still();
    expect(await handsight.call("ax_click", { uid })).toMatchObject({
      ok: true,
      dispatched_via: expect.stringContaining("Action"),
      bbox: { x: expect.any(Number), y: expect.any(Number), w: expect.any(Number), h: expect.any(Number) },
      effect: "confirmed",
    });
    await app.waitFor(({ event, count }) => event === "pressed" && count === already + 1);
    expect(await still()).toEqual(before);
  });

  test("enter text by value, and if there is none to set learn where to click [S2-5l, S2-56, S2-59…S2-61]", async () => {
    const uid = await uidOf(/textbox "Username"/, app.pid);
    expect(await handsight.call("ax_set_value", { uid, text: "Bea Blum" })).toMatchObject({
      ok: true,
      dispatched_via: expect.stringContaining("Text"),
      node_after: { value: "Bea Blum" },
    });
    await app.waitFor(({ event, text }) => event === "text" && text === "Bea Blum");
    const button = await uidOf(/button "Press me"/, app.pid);
    const { x, y } = await findText("Press me", app.pid);
    await expect(handsight.call("ax_set_value", { uid: button, text: "x" })).rejects.toMatchObject({
      code: "not_dispatchable",
      message: expect.any(String),
      fallback: { x, y },
    });
  });

  test("select what opens another pane; the next snapshot shows it, and a row keeps its uid [S2-145, S2-5m]", async () => {
    const tab = await uidOf(/tab "Lists"/, app.pid);
    const selected = await handsight.call("ax_select", { uid: tab });
    expect(selected).toMatchObject({ ok: true, method: "ax", effect: "confirmed", bbox: { w: expect.any(Number) } });
    await app.waitFor(({ event, name }) => event === "tab" && name === "Lists");

    const row = await uidOf(/listitem "Fruit 3"/, app.pid);
    const { snapshot } = await handsight.call("take_ax_snapshot", { pid: app.pid });
    expect(linesOf(snapshot).some((line) => /button "Press me"/.test(line))).toBe(false);
    expect(await handsight.call("ax_select", { uid: row })).toMatchObject({
      ok: true,
      node_after: { name: "Fruit 3" },
    });
  });

  test("select a row by anything in it; what is in no row is reported as such [S2-5m, S2-64…S2-66]", async () => {
    await handsight.call("ax_select", { uid: await uidOf(/tab "Lists"/, app.pid) });
    await uidOf(/listitem "Fruit 4"/, app.pid);
    const { elements } = await handsight.call("find_elements", { name: "Fruit 4", pid: app.pid });
    const found = elements as readonly {
      uid: string;
      role: string;
      bounds: Point & { width: number; height: number };
    }[];
    const row = found.find(({ role }) => role === "listitem");
    const inner = found.at(-1);
    if (!row || !inner) throw new Error("no row");
    const { x, y, width: w, height: h } = row.bounds;
    expect(await handsight.call("ax_select", { uid: inner.uid })).toMatchObject({
      ok: true,
      method: "ax",
      effect: "confirmed",
      bbox: { x, y, w, h },
    });
    await app.waitFor(({ event, name }) => event === "selected" && name === "Fruit 4");
    const window = await uidOf(/window/, app.pid);
    await expect(handsight.call("ax_select", { uid: window })).rejects.toMatchObject({ code: "no_row_ancestor" });
    const unknown = window.replace(/\d+/, "9999");
    await expect(handsight.call("ax_select", { uid: unknown })).rejects.toMatchObject({ code: "uid_not_found" });
  });
});

describe("with windows", () => {
  test("find one and bring it to the front [S0-25, S1-2, S1-16, S2-5f]", async () => {
    const [first, second] = [await startEditor("First"), await startEditor("Second")];
    const { windows } = await handsight.call("list_windows");
    const { window_id } =
      (windows as { window_id: number; title: string }[]).find(({ title }) => title === first) ?? {};
    expect(await handsight.call("get_active_window")).toMatchObject({ window: { title: second } });
    await handsight.call("focus_window", { window_id });
    expect(await handsight.call("get_active_window")).toMatchObject({ window: { title: first } });
  });

  test("quit an app, gently or by force [S2-5j]", async () => {
    for (const force of [false, true]) {
      const pid = await launch("galculator");
      await handsight.call("quit_app", { pid, force });
      await handsight.call("wait_for", { condition: "window_closed", pid, timeout_ms: 10_000 });
    }
  });
});

async function startEditor(title: string): Promise<string> {
  const app = await startFixture("gtk3_editor", { env: desktop.env, args: ["--title", title] });
  onTestFinished(() => app.stop());
  await app.waitFor(({ event }) => event === "focus");
  return title;
}
