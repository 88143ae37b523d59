import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { identify, isRunning } from "../../src/base/process.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type FixtureEvent } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

let desktop: VirtualDesktop;
let handsight: Handsight;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  handsight = await startHandsight(desktop.env, ["--tools", "default,compat-ui,compat-debug"]);
});

afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
});

/** Calls a `ui_*` tool and insists on success. */
async function ui(tool: string, args: object = {}): Promise<Record<string, unknown>> {
  const result = await handsight.call(tool, args);
  expect(result, `${tool} ${JSON.stringify(args)}`).toMatchObject({ Success: true, Error: null });
  return result;
}

interface Element {
  readonly X: number;
  readonly Y: number;
  readonly Value: string | null;
}

async function elementOf(selector: string, window_title: string): Promise<Element> {
  return (await ui("ui_get_element", { selector, window_title }))["Element"] as Element;
}

describe("the ui_* tools on real apps", () => {
  test("run the calculator and verify 2+2=4 [S1-5, S1-23, S1-112, S1-117, S1-126]", async () => {
    const { pid } = await handsight.call("launch_app", { app_name: "galculator", timeout_ms: 0 });
    onTestFinished(async () => void (await handsight.ask("quit_app", { pid, force: true })));
    const title = "Galculator";
    expect(await ui("ui_wait", { window_title: title, timeout_ms: 5_000 })).toMatchObject({
      Window: { ProcessId: pid, ProcessName: "galculator" },
    });
    const shot = { mode: "window", window_title: title };
    const before = await ui("ui_capture", shot);
    for (const key of ["2", "+", "2", "="]) {
      const { X, Y } = await elementOf(`Button:"${key}"`, title);
      expect(await ui("ui_get_element", { x: X + 10, y: Y + 10 })).toMatchObject({ Element: { Name: key } });
      await ui("ui_click", { x: X + 10, y: Y + 10 });
    }
    await expect.poll(async () => (await elementOf("TextBox", title)).Value, { timeout: 5_000 }).toBe("4");
    const after = await ui("ui_capture", shot);
    expect(after["Width"]).toBe(before["Width"]);
    expect(after["Base64Data"]).not.toBe(before["Base64Data"]);
  });

  test("fill in a form and arrive at the dashboard [S1-3, S1-113, S1-118]", async () => {
    await using app = await startFixture("gtk3_login", { env: desktop.env });
    await ui("ui_wait", { window_title: "Login", element_selector: "TextBox:Username" });
    const { Windows } = await ui("ui_list_windows", { filter: "login" });
    expect(Windows).toMatchObject([{ Title: "Login Form", ProcessId: app.pid }]);
    await ui("ui_focus_window", { window_title: "Login Form" });
    const shot = await ui("ui_capture", { mode: "window", window_title: "Login Form" });
    expect(shot["Width"]).toBe((Windows as { Width: number }[])[0]?.Width);
    const { X, Y } = await elementOf("TextBox:Username", "Login Form");
    await ui("ui_click", { x: X + 10, y: Y + 10 });
    await ui("ui_type", { text: "testuser" });
    await ui("ui_type", { keys: ["tab"] });
    await ui("ui_type", { text: "password123" });
    await ui("ui_click", { selector: "Button:Submit" });
    await ui("ui_wait", { window_title: "Dashboard", timeout_ms: 10_000 });
    expect(await app.waitFor(({ event }) => event === "submitted")).toMatchObject({ user: "testuser", right: true });
    expect(await ui("ui_capture", { mode: "window", window_title: "Dashboard" })).toMatchObject({
      MimeType: "image/png",
    });
  });

  test("the same form with the tools under their own names [S1-113]", async () => {
    await using app = await startFixture("gtk3_login", { env: desktop.env });
    const within = { window_title: "Login Form" };
    await handsight.call("wait_for", { condition: "element", selector: "Button:Submit", ...within });
    await handsight.call("type_text", { selector: "TextBox:Username", text: "testuser", ...within });
    await handsight.call("press_key", { key: "tab", ...within });
    await handsight.call("type_text", { text: "password123", ...within });
    const pressed = await handsight.call("click", { selector: "Button:Submit", ...within });
    expect(pressed).toMatchObject({ effect: "confirmed", method: "ax" });
    await handsight.call("wait_for", { window_title: "Dashboard" });
    expect(await app.waitFor(({ event }) => event === "submitted")).toMatchObject({ right: true });
  });

  test("double, right and window-relative clicks and hovering reach the app [S1-18, S1-19, S1-36, S1-65, S1-75]", async () => {
    await using app = await startFixture("gtk3_canvas", { env: desktop.env });
    const window_title = "GTK3 Canvas";
    await ui("ui_wait", { window_title });
    await ui("ui_mouse_move", { x: 150, y: 150, window_title });
    const { x, y } = (await handsight.call("get_mouse_position")) as { x: number; y: number };
    await ui("ui_click", { x, y, clicks: 2 });
    await ui("ui_click", { x: 150, y: 150, button: "right", window_title });
    const presses = () => app.events.filter(({ event }) => event === "press");
    await expect.poll(() => presses().length, { timeout: 5_000 }).toBe(3);
    expect(new Set(presses().map((press) => `${String(press["x"])},${String(press["y"])}`)).size).toBe(1);
  });
});

interface Tree {
  readonly id: string;
  readonly title: string;
  readonly role: string;
  readonly children: readonly Tree[];
}

const controls = fileURLToPath(new URL("../fixtures/gtk3_controls.py", import.meta.url));

/** The controls app in a debug session, with the events it reports itself. */
async function launch(...options: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "handsight-compat-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  const args = [controls, log, "--rows", "50", ...options];
  const session = await handsight.call("debug_launch", { command: "/usr/bin/python3", args });
  const { sessionId, pid } = session as { sessionId: string; pid: number };
  onTestFinished(() => kill(pid));
  const flat = (nodes: readonly Tree[]): readonly Tree[] => nodes.flatMap((node) => [node, ...flat(node.children)]);
  const read = async (): Promise<readonly FixtureEvent[]> =>
    (await readFile(log, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as FixtureEvent);
  return {
    pid,
    nodes: async () => flat((await handsight.call("debug_ui", { sessionId }))["tree"] as readonly Tree[]),
    act: (action: string, fields: object = {}) => handsight.call("debug_ui_action", { sessionId, action, ...fields }),
    async idOf(title: string): Promise<string> {
      const found = (await this.nodes()).filter((node) => node.title === title && node.role !== "text");
      expect(found.length, `nodes called ${title}`).toBeGreaterThan(0);
      return found[0]?.id ?? "";
    },
    async says(event: object): Promise<void> {
      await expect.poll(read, { timeout: 5_000 }).toContainEqual(expect.objectContaining(event));
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

describe("debug_ui_action on a real app", () => {
  test("every action, in one session [S4-1…S4-3, S4-6, S4-19, S4-14, S4-18, S4-67…S4-74]", async () => {
    const app = await launch();
    const press = await app.idOf("Press me");
    expect(await app.act("click", { id: press })).toMatchObject({
      success: true,
      method: "ax",
      changed: true,
      node_before: {
        id: press,
        role: "button",
        title: "Press me",
        enabled: true,
        bounds: { width: expect.any(Number) },
      },
      node_after: { id: press },
    });
    await app.says({ event: "pressed", name: "Press me", count: 1 });

    expect(await app.act("set_value", { id: await app.idOf("Volume"), value: 42 })).toMatchObject({
      success: true,
      method: "ax",
      changed: true,
      node_before: { value: 0 },
      node_after: { value: 42 },
    });
    await app.says({ event: "value", name: "Volume", value: 42 });

    expect(await app.act("type", { id: await app.idOf("Username"), text: "Ann 🎉" })).toMatchObject({
      success: true,
      method: "cgevent",
      changed: true,
      node_after: { value: "Ann 🎉", focused: true },
    });
    await app.says({ event: "text", name: "Username", text: "Ann 🎉" });

    expect(await app.act("key", { key: "a", modifiers: ["cmd"] })).toMatchObject({
      success: true,
      method: "cgevent",
      node_before: null,
      node_after: null,
    });

    expect(await app.act("click", { id: await app.idOf("Lists") })).toMatchObject({ success: true, changed: true });
    expect(await app.act("scroll", { id: await app.idOf("Fruits"), direction: "down" })).toMatchObject({
      success: true,
      method: "cgevent",
      node_after: { title: "Fruits" },
    });
    await app.says({ event: "scrolled", name: "Fruits" });

    await app.act("click", { id: await app.idOf("Extras") });
    const drag = { id: await app.idOf("Drag me"), toId: await app.idOf("Drop here") };
    expect(await app.act("drag", drag)).toMatchObject({
      success: true,
      method: "cgevent",
      changed: true,
      node_before: { id: drag.toId, title: "Drop here" },
      node_after: { id: drag.toId, title: "Dropped 1" },
    });
    await app.says({ event: "dropped", count: 1 });
  });

  test("changed is false if nothing happens and true if it happens late [S4-4, S4-29, S4-35]", async () => {
    const app = await launch();
    expect(await app.act("click", { id: await app.idOf("Do nothing") })).toMatchObject({
      success: true,
      changed: false,
    });
    const late = { id: await app.idOf("Late"), settleMs: 20_000 };
    expect(await app.act("click", late)).toMatchObject({ success: true, changed: true });
  });

  test("a button that renames itself is the same node [S4-17, S4-62]", async () => {
    const app = await launch();
    const id = await app.idOf("Play");
    expect(await app.act("click", { id })).toMatchObject({
      node_before: { title: "Play" },
      node_after: { title: "Pause" },
    });
    expect(await app.act("click", { id })).toMatchObject({
      node_before: { title: "Pause" },
      node_after: { title: "Play" },
    });
    expect(await app.idOf("Play")).toBe(id);
  });

  test("ids stay the same in another run of the app, and debug_ui changes nothing [S4-2, S4-5]", async () => {
    const ids = async (app: Awaited<ReturnType<typeof launch>>) => (await app.nodes()).map(({ id }) => id);
    const first = await launch();
    const once = await ids(first);
    expect(await ids(first)).toEqual(once);
    kill(first.pid);
    expect(await ids(await launch())).toEqual(once);
  });

  test("what cannot be done is reported in the agreed words [S4-48, S4-49, S4-52, S4-54, S4-55, S4-56]", async () => {
    const app = await launch();
    const press = await app.idOf("Press me");
    const user = await app.idOf("Username");
    expect(await app.act("set_value", { id: user, value: 7 })).toMatchObject({ node_after: { value: "7" } });
    const errors = [
      await app.act("set_value", { id: press, value: "x" }),
      await app.act("click", { id: "nothing" }),
      await app.act("drag", { id: press, toId: "nothing" }),
    ];
    const running = identify(app.pid);
    kill(app.pid);
    errors.push(await app.act("click", { id: press }));
    await expect.poll(() => isRunning(running)).toBe(false);
    errors.push(await app.act("click", { id: press }), await app.act("key", { key: "a" }));
    expect(errors.map(({ success, error }) => [success, error])).toEqual([
      [false, "element does not support set_value; try 'type'"],
      [false, "node not found"],
      [false, "drag destination node not found"],
      [false, "process not running"],
      [false, "process not running"],
      [false, "process not running"],
    ]);
  });
});
