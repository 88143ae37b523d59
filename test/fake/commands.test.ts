import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AppCommand, AppCommands, Commands } from "../../src/platform/backend.ts";
import type { FakeElements } from "../../src/platform/fake/elements.ts";
import { openFakeSession } from "../support/fake-session.ts";

const bounds = { x: 0, y: 0, width: 400, height: 300 };
const windows = [
  { id: 1, title: "Editor", appName: "editor", pid: 11, bounds },
  { id: 2, title: "Payroll", appName: "payroll", pid: 22, bounds: { ...bounds, x: 500 } },
];

const command = (path: string, more: Partial<AppCommand> = {}): AppCommand => ({
  id: path,
  path: path.split(" > "),
  isEnabled: true,
  source: "menu",
  isNative: true,
  elements: [],
  ...more,
});

/** An app that writes down what it is told to do. */
function open(flags: Record<string, string>, own: readonly AppCommand[], modal?: AppCommands["modal"]) {
  const ran: string[] = [];
  const commands: Commands = {
    list: async () => ({ commands: own, closed: [], version: "1", ...(modal === undefined ? {} : { modal }) }),
    run: async (_, id) => ({ via: `${ran.push(id)}` }),
    state: async () => undefined,
  };
  const { session, backend, outcome, call } = openFakeSession({ windows }, flags);
  Object.assign(backend, { commands });
  return { session, ran, call, outcome };
}

const codeOf = async (outcome: Promise<unknown>): Promise<unknown> => {
  const result = (await outcome) as { kind: string; envelope?: { error: { code: string } } };
  return result.envelope?.error.code ?? result.kind;
};

test("listing only looks; opening menus acts", async () => {
  const { outcome } = open({ policy: "observe-only" }, [command("File > Save")]);
  expect(await codeOf(outcome("list_commands", { pid: 11 }))).toBe("done");
  expect(await codeOf(outcome("list_commands", { pid: 11, open: true }))).toBe("denied");
  expect(await codeOf(outcome("run_command", { pid: 11, command: "Save" }))).toBe("denied");
});

test("commands of a blocked window are neither listed nor run", async () => {
  const rules = join(mkdtempSync(join(tmpdir(), "handsight-rules-")), "policy.json");
  writeFileSync(rules, JSON.stringify({ blockedWindowPatterns: ["Payroll"] }));
  const { outcome, ran } = open({ rules }, [command("File > Save")]);
  expect(await codeOf(outcome("list_commands", { window_id: 2 }))).toBe("window_gone");
  expect(await codeOf(outcome("run_command", { window_id: 2, command: "Save" }))).toBe("window_gone");
  expect(ran).toEqual([]);
});

test("a disabled command, two of one name, and one behind a dialog are refused, and nothing is run", async () => {
  const own = [command("Edit > Delete"), command("Sheet > Delete"), command("Edit > Undo", { isEnabled: false })];
  const { outcome, ran } = open({}, own);
  expect(await codeOf(outcome("run_command", { pid: 11, command: "Delete" }))).toBe("ambiguous_target");
  expect(await codeOf(outcome("run_command", { pid: 11, command: "Undo" }))).toBe("not_dispatchable");
  const behind = open({}, own, { title: "Really?", windowId: undefined });
  expect(await codeOf(behind.outcome("run_command", { pid: 11, command: "Sheet > Delete" }))).toBe("not_dispatchable");
  expect([...ran, ...behind.ran]).toEqual([]);
});

test("an element that has become another entry is not clicked", async () => {
  const place = { windowId: 1, pid: 11, role: "menuitem", actions: ["press"] } as const;
  const elements = [{ runtimeId: "menu", name: "Delete all", bounds: { x: 5, y: 5, width: 40, height: 20 }, ...place }];
  const { backend, outcome } = openFakeSession({ windows, elements });
  const own = [command("File", { isNative: false, elements: ["menu"] })];
  const list: Commands["list"] = async () => ({ commands: own, closed: [], version: "1" });
  Object.assign(backend, { commands: { list, state: async () => undefined } });
  const clicked: string[] = [];
  (backend.elements as FakeElements).onPerform = ({ name }) => void clicked.push(name);
  expect(await codeOf(outcome("run_command", { pid: 11, command: "File" }))).toBe("not_dispatchable");
  expect(clicked).toEqual([]);
});

test("a dialog that is blocked keeps its title to itself", async () => {
  const rules = join(mkdtempSync(join(tmpdir(), "handsight-rules-")), "policy.json");
  writeFileSync(rules, JSON.stringify({ blockedWindowPatterns: ["Payroll"] }));
  const own = [command("File > Save")];
  const messageOf = async (windowId: number | undefined): Promise<string> => {
    const { outcome } = open({ rules }, own, { title: "Ada earns 5", windowId });
    return JSON.stringify(await outcome("run_command", { window_id: 1, command: "Save" }));
  };
  expect(await messageOf(1)).toContain("Ada earns 5");
  expect(await messageOf(2)).toContain("[blocked]");
  expect(await messageOf(2)).not.toContain("Ada");
});

test("a long list is cut, and says how to get the rest", async () => {
  const { call } = open(
    {},
    Array.from({ length: 30 }, (_, index) => command(`Edit > Step ${index}`)),
  );
  const listed = await call("list_commands", { pid: 11, max: 10 });
  expect(listed).toMatchObject({ omitted: 20, note: expect.stringContaining("query") as string });
  expect(listed["commands"]).toHaveLength(10);
});

test("a desktop without commands says so", async () => {
  const { outcome } = openFakeSession({ windows });
  expect(await codeOf(outcome("list_commands", { pid: 11 }))).toBe("not_supported");
});

test("an entry is not clicked where another control is shown", async () => {
  const place = { windowId: 1, pid: 11, actions: ["press"], bounds: { x: 5, y: 5, width: 40, height: 20 } } as const;
  const { backend, outcome } = openFakeSession({
    windows,
    elements: [
      { runtimeId: "menu", name: "File", role: "menu", ...place },
      { runtimeId: "new", name: "New", role: "button", ...place },
    ],
  });
  const own = [command("File > Reload", { isNative: false, elements: ["menu", "entry"] })];
  const list: Commands["list"] = async () => ({ commands: own, closed: [], version: "1" });
  Object.assign(backend, { commands: { list, state: async () => undefined } });
  const clicked: string[] = [];
  (backend.elements as FakeElements).onPerform = ({ name }) => void clicked.push(name);
  expect(await codeOf(outcome("run_command", { pid: 11, command: "Reload" }))).toBe("not_dispatchable");
  expect(clicked).toEqual([]);
});

test.each([
  ["a click that was lost is made once more", 2, ["Menu > Entry"], undefined],
  ["a menu that did not open is not taken for an empty one", 9, [], ["Menu"]],
])("menus that exist only while open: %s", async (_name, opensAt, paths, closed) => {
  const place = { windowId: 1, pid: 11, actions: ["press"], states: ["enabled", "showing"] } as const;
  const { backend, call } = openFakeSession({
    windows,
    elements: [
      { runtimeId: "menu", name: "Menu", role: "button", bounds: { x: 5, y: 5, width: 40, height: 20 }, ...place },
    ],
  });
  const menu = { path: ["Menu"], elements: ["menu"] };
  const list: Commands["list"] = async () => ({ commands: [], closed: [menu], version: "1" });
  Object.assign(backend, { commands: { list, state: async () => undefined } });
  const elements = backend.elements as FakeElements;
  let clicks = 0;
  elements.onPerform = ({ runtimeId }) => {
    if (runtimeId !== "menu" || ++clicks !== opensAt) return;
    const bounds = { x: 5, y: 30, width: 40, height: 20 };
    const entry = { runtimeId: "entry", name: "Entry", role: "menuitem", nativeRole: "menu item", bounds, ...place };
    elements.nodes = [...elements.nodes, entry];
  };
  const listed = await call("list_commands", { pid: 11, open: true });
  expect((listed["commands"] as { path: string[] }[]).map(({ path }) => path.join(" > "))).toEqual(paths);
  expect(listed["closed_menus"]).toEqual(closed);
});
