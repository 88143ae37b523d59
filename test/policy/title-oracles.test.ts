import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { queryTree } from "../../src/platform/linux/x11/requests.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { doorNames, heldIn, openDoor, type Door, type DoorName } from "../support/doors.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { removeFolderNow } from "../support/remove-folder.ts";
import { openTestWindow } from "../support/windows.ts";
import { kill } from "../support/xvfb.ts";
import { answerTo, type Name } from "./attacks/oracle.ts";

const title = "My Passwords of Ann";
const className = "Vault";

let desktop: Awaited<ReturnType<typeof openVirtualDesktop>>;
let c: Connection;
let app: ChildProcess;
let handsight: Handsight;
let blocked: number;
let frame: number;
const doors = {} as Record<DoorName, Door>;
const folder = mkdtempSync(join(tmpdir(), "handsight-oracles-"));
const tried = { MCP: 0, HTTP: 0, CLI: 0 };
const held = { MCP: 0, HTTP: 0, CLI: 0 };

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  c = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
  app = spawn("sleep", ["1000"]);
  const place = { x: 60, y: 60, width: 300, height: 200 };
  blocked = await openTestWindow(c, { ...place, title, className, pid: app.pid ?? 0 });
  await openTestWindow(c, { x: 420, y: 300, width: 300, height: 200, title: "Editor", className: "Editor" });
  frame = (await queryTree(c, blocked)).parent;
  handsight = await startHandsight(desktop.env, ["--tools", "all"]);
  Object.assign(doors, { MCP: handsight });
  for (const name of ["HTTP", "CLI"] as const) doors[name] = await openDoor[name](desktop.env, []);
  await handsight.call("wait_for", { window_title: "Editor" });
});
afterAll(async () => {
  for (const door of Object.values(doors)) await door[Symbol.asyncDispose]();
  await kill(app);
  c.close();
  await desktop[Symbol.asyncDispose]();
  removeFolderNow(folder);
  console.log(`what may not be seen matches nothing: ${heldIn(held, tried)}`);
});

/** Ways to name the blocked window, each with the name of one that is not there. */
function ways(): Readonly<Record<string, readonly [Name, Name]>> {
  return {
    "its title": [{ window_title: title }, { window_title: "No such window here" }],
    "its first letters": [{ window_title: "My Pass" }, { window_title: "Qx Zzzz" }],
    "its last letters": [{ window_title: "rds of Ann" }, { window_title: "rds of Bob" }],
    "its app": [{ app_name: className }, { app_name: "Nobod" }],
    "its process": [{ app_name: "sleep" }, { app_name: "nobod" }],
    "its pid": [{ pid: app.pid ?? 0 }, { pid: 4_194_000 }],
    "its id": [{ window_id: blocked }, { window_id: 98_765_432 }],
    "the id of its frame": [{ window_id: frame }, { window_id: 98_765_432 }],
  };
}

/** A picture to look for. */
const template = (
  await sharp({ create: { width: 8, height: 8, channels: 3, background: "#123456" } })
    .png()
    .toBuffer()
).toString("base64");

const byName = ["its title", "its first letters", "its last letters"];
const byApp = ["its app", "its process"];
const byId = ["its id", "the id of its frame"];
const byAll = [...byName, ...byApp, "its pid", ...byId];

/** Every tool that takes the name of a window or app, what else it needs, and in which ways it can be named. */
const calls: readonly (readonly [string, object, readonly string[]])[] = [
  ["take_screenshot", {}, byAll],
  ["take_window_screenshot", {}, byId],
  ["focus_window", {}, byAll],
  ["set_window", { action: "front" }, byAll],
  ["set_window", { action: "move", x: 5, y: 5 }, byAll],
  ["set_window", { action: "close" }, byAll],
  ["click", { window_x: 5, window_y: 5 }, byId],
  ["click", { x: 5, y: 5 }, byId],
  ["click", { selector: "Button:OK" }, byAll],
  ["click", { text: "OK" }, byAll],
  ["move_mouse", { window_x: 5, window_y: 5 }, byId],
  ["move_mouse", { text: "OK" }, byAll],
  ["scroll", { text: "OK", delta_y: 10 }, byAll],
  ["drag", { start_x: 5, start_y: 5, end_x: 9, end_y: 9 }, byId],
  ["type_text", { text: "x" }, byAll],
  ["press_key", { key: "a" }, byAll],
  ["act", { action: "key", key: "a" }, byAll],
  ["act", { action: "click", stable_id: "button-ok" }, byAll],
  ["take_ax_snapshot", {}, byAll],
  ["find_elements", { selector: "Button" }, byAll],
  ["find_text", { text: "OK" }, byAll],
  ["read_text", { selector: "TextBox" }, byAll],
  ["element_at_point", { x: 5, y: 5 }, byApp],
  ["element_at_point", { x: 100, y: 150 }, byApp],
  ["ocr", {}, byAll],
  ["mark_regions", {}, byAll],
  ["find_image", { template_image_base64: template }, byAll],
  ["wait_for", { timeout_ms: 0 }, byAll],
  ["wait_for", { condition: "window_closed", timeout_ms: 0 }, byAll],
  ["wait_for", { condition: "window_active", timeout_ms: 0 }, byAll],
  ["wait_for", { condition: "element", text: "OK", timeout_ms: 0 }, byAll],
  ["wait_for", { condition: "element_gone", text: "OK", timeout_ms: 0 }, byAll],
  ["wait_for", { condition: "stable", timeout_ms: 0 }, byAll],
  ["wait_for", { condition: "change", timeout_ms: 0 }, byAll],
  ["list_windows", { include_system: true, include_hidden: true }, [...byApp, "its pid"]],
  ["quit_app", {}, [...byApp, "its pid"]],
  ["list_commands", {}, byAll],
  ["run_command", { command: "Save" }, byAll],
  ["ui_capture", { mode: "window" }, byName],
  ["ui_click", { x: 5, y: 5 }, byName],
  ["ui_click", { selector: "Button:OK" }, byName],
  ["ui_focus_window", {}, byName],
  ["ui_get_element", { selector: "Button:OK" }, byName],
  ["ui_get_element", { x: 100, y: 150 }, byName],
  ["ui_mouse_move", { x: 5, y: 5 }, byName],
  ["ui_type", { text: "x" }, byName],
  ["ui_wait", { timeout_ms: 0 }, byName],
  ["ui_wait", { element_selector: "Button:OK", timeout_ms: 0 }, byName],
  ["start_hover_tracking", {}, byApp],
  ["show_overlay", {}, byAll],
  ["start_watching", {}, byAll],
];

/** Each call through every door: over MCP in all ways, over HTTP in one of them each, some on the command line. */
const rows = calls.flatMap(([tool, args, how], index) => [
  ...how.map((way) => ["MCP", tool, args, way] as const),
  ["HTTP", tool, args, how[index % how.length] ?? ""] as const,
  // Each is two processes.
  ...(index % 6 === 0 ? [["CLI", tool, args, how[(index / 6) % how.length] ?? ""] as const] : []),
]);

/** What was told about what is there and about what is not, where they differ. */
async function differences(door: DoorName, tool: string, args: object, [own, absent]: readonly [Name, Name]) {
  tried[door]++;
  const ask = (name: Name) => answerTo(doors[door], tool, args, name);
  const [theirs, nobodys] =
    door === "CLI" ? await Promise.all([ask(own), ask(absent)]) : [await ask(own), await ask(absent)];
  // A call that is refused for another reason has asked for no window.
  expect(nobodys).not.toMatch(/invalid_argument|not_supported|expired/);
  if (theirs !== nobodys) return [`${door} ${tool} ${JSON.stringify({ ...args, ...own })}:\n  ${theirs}\n  ${nobodys}`];
  held[door]++;
  return [];
}

test.each(doorNames)(
  "whoever names a blocked window gets the answer that there is none, word for word, over %s [S1-95, S1-96, S1-101]",
  { timeout: 120_000 },
  async (door) => {
    const differing: string[] = [];
    for (const [at, tool, args, way] of rows)
      if (at === door) differing.push(...(await differences(door, tool, args, ways()[way] ?? [{}, {}])));
    expect(differing).toEqual([]);
  },
);

test("an app whose windows are all blocked is started as if it did not run", async () => {
  const absent = join(folder, "nobod");
  copyFileSync("/usr/bin/sleep", absent);
  const names = [{ app_name: "/usr/bin/sleep" }, { app_name: absent }] as const;
  const differing: string[] = [];
  // With arguments, an app that is known to run is an error.
  for (const door of doorNames)
    differing.push(...(await differences(door, "launch_app", { args: ["9"], timeout_ms: 0 }, names)));
  expect(differing).toEqual([]);
});

test("the table has every tool that takes a window or an app", async () => {
  const { tools } = await handsight.client.listTools();
  const names = ["window_id", "window_title", "app_name"];
  const taking = tools
    .filter(({ inputSchema }) => names.some((name) => name in (inputSchema.properties ?? {})))
    .map(({ name }) => name);
  // The one starts what it is told to; the other takes its picture as take_screenshot does, but needs a model.
  const exempt = ["launch_app", "describe_screen"];
  expect(taking.filter((name) => !exempt.includes(name) && !calls.some(([tool]) => tool === name))).toEqual([]);
});

test("a title cannot be searched for letter by letter in any list", async () => {
  const telling: string[] = [];
  for (const [tool, args] of [
    ["list_windows", { include_system: true, include_hidden: true }],
    ["ui_list_windows", { include_hidden: true }],
    ["list_apps", {}],
  ] as const) {
    for (const filter of [title, "My", "w", "Vault", "sleep", "blocked"]) {
      tried.MCP++;
      const answer = JSON.stringify((await handsight.ask(tool, { ...args, filter })).data);
      if (/blocked|vault|sleep|passwords/i.test(answer)) telling.push(`${tool} ${filter}: ${answer}`);
      else held.MCP++;
    }
  }
  expect(telling).toEqual([]);
});

test("nothing of it is told where it is in the way, in front or listed", async () => {
  const named = /my pass|vault|sleep|\*/i;
  const looks: readonly (readonly [string, object])[] = [
    ["list_windows", { include_system: true }],
    ["list_apps", {}],
    ["capabilities", {}],
    ["get_active_window", {}],
    ["take_screenshot", { window_title: "nobody" }],
    ["quit_app", { app_name: "nobody" }],
    ["click", { x: 120, y: 150 }],
    ["move_mouse", { x: 120, y: 150 }],
    ["scroll", { x: 120, y: 150, delta_y: 10 }],
    ["drag", { start_x: 10, start_y: 10, end_x: 120, end_y: 150 }],
    ["element_at_point", { x: 120, y: 150 }],
  ];
  const telling: string[] = [];
  for (const [tool, args] of looks) {
    tried.MCP++;
    const { data, text: told } = await handsight.ask(tool, args);
    const answer = JSON.stringify([data, told]);
    if (named.test(answer)) telling.push(`${tool}: ${answer}`);
    else held.MCP++;
  }
  expect(telling).toEqual([]);
});
