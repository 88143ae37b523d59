import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { removeFolder } from "../support/remove-folder.ts";
import { Outside } from "../support/truth/outside.ts";

let desktop: VirtualDesktop;
let env: NodeJS.ProcessEnv;
let home: string;
let handsight: Handsight;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "handsight-commands-"));
  desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  env = { ...desktop.env, HOME: home };
  handsight = await startHandsight(env);
});
afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  await removeFolder(home);
});

interface Listed {
  readonly path: readonly string[];
  readonly shortcut?: string;
  readonly enabled: boolean;
  readonly checked?: boolean;
}

const refused = async (args: unknown) => (await handsight.ask("run_command", args)).data["error"];

test("mousepad (GTK 3): commands are listed with nothing open, run natively, and seen to work", async () => {
  const { pid } = await handsight.call("launch_app", { app_name: "mousepad" });
  onTestFinished(async () => void (await handsight.call("quit_app", { pid, force: true })));
  await handsight.call("wait_for", { condition: "stable", pid });
  const outside = new Outside(env);
  const listed = async (query: string) =>
    (await handsight.call("list_commands", { pid, query }))["commands"] as Listed[];
  expect(await listed("save as")).toMatchObject([{ path: ["File", "Save As..."], shortcut: "ctrl+shift+s" }]);
  expect(await listed("file > reload")).toMatchObject([{ enabled: false }]);
  expect(await outside.popups()).toEqual([]);

  await handsight.call("type_text", { text: "quiet words", pid });
  await handsight.call("run_command", { command: "Select All", pid });
  const upper = await handsight.call("run_command", { command: "edit > convert > to uppercase", pid });
  expect(upper).toMatchObject({ effect: "confirmed", command: "Edit > Convert > To Uppercase", method: "system" });
  await handsight.call("run_command", { command: "Select All", pid });
  expect(await handsight.call("run_command", { command: "Copy", pid })).toMatchObject({ effect: "confirmed" });
  expect(await outside.clipboard()).toBe("QUIET WORDS");

  // Nothing else may show that this is on now.
  expect(await listed("word wrap")).toMatchObject([{ checked: false }]);
  expect(await handsight.call("run_command", { command: "Word Wrap", pid })).toMatchObject({
    effect: "confirmed",
    changes: { command: "unchecked → checked" },
  });
  expect(await listed("word wrap")).toMatchObject([{ checked: true }]);

  expect(await handsight.call("run_command", { command: "Save As", pid })).toMatchObject({
    effect: "confirmed",
    changes: { windows: [expect.stringContaining("Save As") as string] },
  });
  const window = { window_title: "Mousepad" };
  expect(await refused({ command: "Find", ...window })).toMatchObject({ code: "not_dispatchable" });
  await handsight.call("press_key", { key: "escape" });
  expect(await refused({ command: "Detach Tab", ...window })).toMatchObject({ code: "not_dispatchable" });
  // Its entry is called Revert by now; what remains is another command, Auto Reload.
  expect(await refused({ command: "Reload", ...window })).toMatchObject({ code: "not_found" });
  expect(await refused({ command: "No such thing", ...window })).toMatchObject({ code: "not_found" });
  expect(await outside.popups()).toEqual([]);
});

test("an entry without a shortcut is chosen in its menu, and the pointer returns", async () => {
  await using app = await startFixture("gtk3_controls", { env });
  await app.waitFor(({ event }) => event === "ready", 30_000);
  const { pid } = app;
  await handsight.call("wait_for", { condition: "window_active", pid, timeout_ms: 30_000 });
  await handsight.call("wait_for", { condition: "stable", pid, timeout_ms: 30_000 });
  await handsight.call("move_mouse", { x: 5, y: 895 });
  const saved = await handsight.call("run_command", { command: "Save", pid });
  expect(saved).toMatchObject({
    effect: "confirmed",
    command: "File > Save",
    dispatched_via: "menu, with the pointer",
  });
  expect(app.events.filter(({ event }) => event === "menu")).toMatchObject([{ name: "Save" }]);
  expect(await handsight.call("get_mouse_position")).toMatchObject({ x: 5, y: 895 });
});

test("Qt: an entry is run without opening its menu", async () => {
  await using app = await startFixture("qt5_controls", { env });
  await app.waitFor(({ event }) => event === "ready", 30_000);
  const { pid } = app;
  await handsight.call("wait_for", { condition: "window_active", pid, timeout_ms: 30_000 });
  await handsight.call("wait_for", { condition: "stable", pid, timeout_ms: 30_000 });
  const done = await handsight.call("run_command", { command: "Delete", pid });
  expect(done).toMatchObject({ effect: "confirmed", command: "Edit > Delete", method: "ax" });
  expect(app.events.filter(({ event }) => event === "menu")).toMatchObject([{ name: "Delete" }]);
});

test("GTK 4: each menu that exists only while open is read, also right after another popover was closed", async () => {
  await using app = await startFixture("gtk4_popovers", { env });
  await app.waitFor(({ event }) => event === "ready", 30_000);
  const { pid } = app;
  await handsight.call("wait_for", { condition: "window_active", pid, timeout_ms: 30_000 });
  await handsight.call("wait_for", { condition: "stable", pid, timeout_ms: 30_000 });
  const opened = await handsight.call("list_commands", { pid, open: true });
  const paths = (opened["commands"] as Listed[]).map(({ path }) => path.join(" > "));
  expect(paths).toEqual(expect.arrayContaining(["Tools > Zeta", "Views > Theta", "Menu > Gamma"]));
  // A popover of buttons is no menu, and need not be opened again to know that.
  expect(opened["closed_menus"]).toBeUndefined();
  const done = await handsight.call("run_command", { command: "Menu > Beta", pid });
  expect(done).toMatchObject({ command: "Menu > Beta", dispatched_via: "menu, with the pointer" });
  await app.waitFor(({ event }) => event === "chosen");
  expect(app.events.filter(({ event }) => event === "chosen")).toMatchObject([{ name: "Beta" }]);
});
