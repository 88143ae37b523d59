import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onBehalfOf } from "../../src/base/caller-folder.ts";
import { FakeElements } from "../../src/platform/fake/elements.ts";
import { openFakeSession } from "../support/fake-session.ts";

const windows = [
  { id: 1, title: "Editor", appName: "editor", pid: 2_000_000_001, bounds: { x: 0, y: 0, width: 400, height: 300 } },
  { id: 2, title: "Bank", appName: "bank", pid: 2_000_000_002, bounds: { x: 500, y: 0, width: 400, height: 300 } },
];
const bounds = { x: 10, y: 20, width: 80, height: 20 };

function open(rules: object = {}, flags: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "handsight-expect-"));
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify({ files: { read: [folder] }, ...rules }));
  const desk = openFakeSession({ windows }, { rules: file, ...flags });
  const elements = new FakeElements([
    { runtimeId: "e", role: "window", name: "Editor", pid: 2_000_000_001, windowId: 1 },
    { runtimeId: "save", parent: "e", role: "button", name: "Save", pid: 2_000_000_001, windowId: 1, bounds },
    { runtimeId: "b", role: "window", name: "Bank", pid: 2_000_000_002, windowId: 2 },
    {
      runtimeId: "pay",
      parent: "b",
      role: "button",
      name: "Pay",
      actions: ["press"],
      pid: 2_000_000_002,
      windowId: 2,
      bounds,
    },
  ]);
  Object.assign(desk.backend, { elements });
  return { ...desk, folder };
}

async function uidOf({ session }: Pick<ReturnType<typeof open>, "session">, id: string): Promise<string> {
  const surface = await session.surface("desktop");
  const [node] = await surface.need("elements").read([id], {});
  if (!node) throw new Error(`there is no ${id}`);
  return surface.snapshots.refOf(node);
}

const soon = { timeout_ms: 200 };

test("a rule against an app stops expectations about it, however they name it", async () => {
  const desk = open({ rules: [{ app: "bank", verdict: "deny" }] });
  const uid = await uidOf(desk, "pay");
  const pay = { role: "button", name: "Pay" };
  for (const given of [
    { window: "Bank" },
    { focused: { window: "Bank" } },
    { visible: { ...pay, window: "Bank" } },
    { visible: { uid } },
    { value: "1", of: { uid } },
    { visible: { ...pay, within: uid } },
  ]) {
    const named = { expect: given, window_title: "Editor", ...soon };
    await expect(desk.call("wait_for", named), JSON.stringify(given)).rejects.toMatchObject({ code: "denied" });
  }
  const other = { expect: { visible: { role: "button", name: "Save", window: "Editor" } }, ...soon };
  expect(await desk.call("wait_for", other)).toMatchObject({ met: true });
});

test("an action that was done is reported as done when nothing can be looked at after it", async () => {
  const desk = open({}, { journal: "on" });
  const uid = await uidOf(desk, "pay");
  desk.backend.desktop.beforeEach = (operation) => {
    // The action is recorded when it is over.
    if (operation === "list" && desk.session.journal.entries().length > 0) throw new TypeError("oops");
  };
  expect(await desk.call("ax_click", { uid, observe: "snapshot", expect: { visible: true } })).toMatchObject({
    ok: false,
    expected: { met: false, seen: expect.stringContaining("failed inside ax_click") },
    now: { warning: expect.any(String) },
  });
});

test("an action that was done is reported as done when nobody answers about the look after it", async () => {
  const desk = open({ rules: [{ tool: "wait_for", verdict: "ask" }] });
  const ask = () => Promise.reject(new Error("the connection is gone"));
  const typed = await desk.outcome("type_text", { text: "x", expect: { window: "Editor" } }, { canAsk: true, ask });
  expect(typed).toMatchObject({ kind: "done", data: { ok: false, expected: { met: false } } });
  expect(desk.backend.desktop.typed).toBe("x");
});

test("the surface of an expectation is where it is looked for, and a call names one", async () => {
  const desk = open();
  const elsewhere = { visible: { role: "button", name: "Save", surface: "page:7" } };
  await expect(desk.call("wait_for", { expect: elsewhere, ...soon })).rejects.not.toMatchObject({ code: "timeout" });
  await expect(desk.call("wait_for", { expect: elsewhere, surface: "page:8", ...soon })).rejects.toMatchObject({
    code: "invalid_argument",
  });
});

test("only an element that was there can be gone", async () => {
  const desk = open();
  await desk.call("find_elements", { name: "Save", pid: 2_000_000_001 });
  await expect(desk.call("wait_for", { expect: { gone: { uid: "a99g1" } }, ...soon })).rejects.toMatchObject({
    code: "uid_not_found",
  });
});

test("a file is read from the caller's folder, and what is no file does not hold up a wait", async () => {
  const desk = open();
  const wait = (file: string, contains?: string) =>
    onBehalfOf({ folder: desk.folder, pid: process.pid }, () =>
      desk.call("wait_for", { expect: { file, contains }, ...soon }),
    );
  writeFileSync(join(desk.folder, "a.txt"), "some words");
  expect(await wait("a.txt", "words")).toMatchObject({ met: true });
  await expect(wait("a.txt", "others")).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringContaining("10 bytes without it"),
  });
  execFileSync("mkfifo", [join(desk.folder, "pipe")]);
  for (const name of ["pipe", "."]) {
    await expect(wait(name, "words")).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("cannot be read as a file"),
    });
  }
});

test("what is expected of a field with hidden text is not recorded", async () => {
  const desk = open({}, { journal: "on" });
  const value = { value: "hunter2", of: { role: "button", name: "Save" }, ...soon };
  await desk.call("type_text", { text: "hunter2", expect: value });
  await desk.call("run_steps", { steps: [{ type: "hunter2", expect: value }] });
  const entries = desk.session.journal.entries();
  expect(entries.map((entry) => "tool" in entry && entry.tool)).toContain("wait_for");
  expect(JSON.stringify(entries)).not.toContain("hunter2");
});
