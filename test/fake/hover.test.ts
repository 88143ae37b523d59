import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { screenPoint } from "../../src/base/geometry.ts";
import type { FakeNode } from "../../src/platform/fake/elements.ts";
import { callTool } from "../../src/tools/call.ts";
import { openFakeSession } from "../support/fake-session.ts";

const windows = [
  { id: 1, title: "Editor", appName: "Editor", pid: 11, bounds: { x: 0, y: 0, width: 300, height: 200 } },
  { id: 2, title: "My vault", appName: "Vault", pid: 22, bounds: { x: 400, y: 0, width: 300, height: 200 } },
];
const control = (runtimeId: string, name: string, x: number, windowId: number): FakeNode => ({
  runtimeId,
  role: "button",
  name,
  actions: ["press"],
  bounds: { x, y: 10, width: 80, height: 40 },
  windowId,
  pid: windowId * 11,
});
const elements = [control("a", "Save", 10, 1), control("b", "Close", 110, 1), control("c", "Secret key", 410, 2)];
const middle = { Save: screenPoint(50, 30), Close: screenPoint(150, 30), Secret: screenPoint(450, 30) };

function open(rules: object = {}, flags: Record<string, string> = {}) {
  const file = join(mkdtempSync(join(tmpdir(), "handsight-hover-")), "policy.json");
  writeFileSync(file, JSON.stringify(rules));
  const opened = openFakeSession({ windows, elements }, { rules: file, ...flags });
  onTestFinished(() => opened.session[Symbol.asyncDispose]());
  const { backend, call } = opened;
  const names = async () =>
    ((await call("get_hover_events"))["events"] as { element: { name: string } }[]).map(({ element }) => element.name);
  const currentName = async () =>
    ((await call("get_hover_events"))["current"] as { element: { name: string } } | undefined)?.element.name;
  /** Moves there and waits until what is there has been looked at. */
  const restOn = async (name: keyof typeof middle) => {
    await backend.pointer?.move(middle[name]);
    await expect.poll(currentName).toContain(name);
  };
  return {
    ...opened,
    names,
    restOn,
    start: (args: object = {}) => call("start_hover_tracking", { poll_interval_ms: 20, min_dwell_ms: 0, ...args }),
  };
}

const code = (thrown: unknown): unknown => (thrown as { code?: unknown }).code;

describe("hover tracking", () => {
  test("is always listed, and not active before the start and after the end [S2-87]", async () => {
    const { session, call, start } = open();
    const tools = session.tools.map(({ name }) => name);
    expect(tools).toEqual(expect.arrayContaining(["start_hover_tracking", "get_hover_events", "stop_hover_tracking"]));
    const refused = async () =>
      Promise.all(["get_hover_events", "stop_hover_tracking"].map((tool) => call(tool).catch(code)));
    expect(await refused()).toEqual(["not_active", "not_active"]);
    await start();
    expect(await start().catch(code)).toBe("already_active");
    await call("stop_hover_tracking");
    expect(await refused()).toEqual(["not_active", "not_active"]);
  });

  test("has the agreed defaults [S2-81, S2-82, S2-83]", async () => {
    const { call } = open();
    expect(await call("start_hover_tracking")).toMatchObject({
      poll_interval_ms: 100,
      max_duration_ms: 60_000,
      min_dwell_ms: 300,
    });
  });

  test("hands out every event once, in order", async () => {
    const { call, start, names, restOn } = open();
    await start();
    await restOn("Save");
    await restOn("Close");
    expect(await names()).toEqual([]);
    await restOn("Save");
    const { events, ended } = await call("stop_hover_tracking");
    expect([ended, events]).toEqual([
      "stopped",
      [expect.objectContaining({ element: expect.objectContaining({ name: "Save" }) })],
    ]);
  });

  test("never names a blocked window", async () => {
    const { call, start, restOn, backend } = open({ blockedWindowPatterns: ["My vault"] });
    await start();
    await restOn("Save");
    await backend.pointer?.move(middle.Secret);
    const before: unknown[] = [];
    const skipped = async () => {
      before.push(await call("get_hover_events"));
      return (before.at(-1) as { skipped: unknown }).skipped;
    };
    await expect.poll(skipped).toEqual({ blocked: 1, failed: 0 });
    await restOn("Close");
    const told = [...before, await call("stop_hover_tracking")];
    expect(JSON.stringify(told)).not.toMatch(/vault|Secret key/i);
  });

  test("leaves out windows that a rule denies to it", async () => {
    const { call, start, restOn, backend } = open({
      rules: [{ window: "My vault", tool: "start_hover_*", verdict: "deny" }],
    });
    await start();
    await backend.pointer?.move(middle.Secret);
    await restOn("Save");
    const told = await call("stop_hover_tracking");
    expect(JSON.stringify(told)).not.toMatch(/vault|Secret key/i);
  });

  test("keeps to one app when asked to [S2-80]", async () => {
    const { call, start, restOn, backend } = open();
    await start({ app_name: "Editor" });
    await backend.pointer?.move(middle.Secret);
    await restOn("Save");
    expect(JSON.stringify(await call("stop_hover_tracking"))).not.toContain("Secret key");
  });

  test("ends by itself, and what it has seen can still be read", async () => {
    const { call, start, backend } = open();
    await backend.pointer?.move(middle.Save);
    await start({ max_duration_ms: 150 });
    await expect
      .poll(() => call("get_hover_events", { max_events: 1 }))
      .toMatchObject({ active: false, ended: "max_duration" });
    expect(await call("stop_hover_tracking")).toMatchObject({ ended: "max_duration" });
  });

  test("shows on the screen that it goes on, unless the desktop is private", async () => {
    const { session, call, start, backend } = open();
    const layers = () => [...backend.desktop.overlay.keys()];
    await start();
    expect(layers()).toEqual(["indicator"]);
    await call("stop_hover_tracking");
    expect(layers()).toEqual([]);
    const hidden = { ...session, isPrivateDesktop: true };
    await callTool(hidden, { tool: "start_hover_tracking", arguments: {}, canAsk: false });
    expect(layers()).toEqual([]);
  });

  test("asks for itself on a person's desktop, even where looking is allowed", async () => {
    const { outcome } = open({ enabled: true }, { policy: "ask" });
    expect(await outcome("list_windows", {}, { canAsk: true })).toMatchObject({ kind: "done" });
    expect(await outcome("start_hover_tracking", {}, { canAsk: true })).toMatchObject({
      kind: "ask",
      question: { text: expect.stringContaining("follow the pointer") },
    });
    expect(await outcome("start_hover_tracking")).toMatchObject({
      kind: "failed",
      envelope: { error: { code: "denied" } },
    });
  });
});
