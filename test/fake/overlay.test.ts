import { describe, expect, onTestFinished, test } from "vitest";
import type { OverlayShape } from "../../src/platform/backend.ts";
import type { FakeNode } from "../../src/platform/fake/elements.ts";
import { openFakeSession } from "../support/fake-session.ts";

const windows = [
  { id: 1, title: "Editor", appName: "Editor", pid: 11, bounds: { x: 0, y: 0, width: 300, height: 200 } },
];
const control = (runtimeId: string, name: string, x: number): FakeNode => ({
  runtimeId,
  role: "button",
  name,
  actions: ["press"],
  bounds: { x, y: 40, width: 80, height: 40 },
  windowId: 1,
  pid: 11,
});

const sources = ["accessibility"];

function open(flags: Record<string, string> = {}) {
  const elements = [control("a", "Save", 10), control("b", "Close", 150)];
  const opened = openFakeSession({ windows, elements }, flags);
  onTestFinished(() => opened.session[Symbol.asyncDispose]());
  const shown = (): readonly OverlayShape[] => opened.backend.desktop.overlay.get("regions") ?? [];
  /** The left edges of the outlines. */
  const lefts = (): readonly number[] =>
    shown().flatMap((shape) => (shape.kind === "fill" && shape.rect.height === 40 ? [shape.rect.x] : []));
  const legend = async () => (await opened.call("mark_regions", { sources, include_image: false }))["legend"];
  return { ...opened, shown, lefts, legend };
}

describe("the overlay", () => {
  test("shows what is marked until it is hidden, and says that no capture shows it [S3-13]", async () => {
    const { call, shown } = open();
    const { legend, count, captures } = await call("show_overlay", { sources });
    expect({ legend, count, captures }).toEqual({
      legend: '1 button "Save"\n2 button "Close"',
      count: 2,
      captures: "excluded",
    });
    expect(shown().filter(({ kind }) => kind === "picture")).toHaveLength(2);
    expect(await call("hide_overlay")).toEqual({ was_shown: true });
    expect(shown()).toEqual([]);
    expect(await call("hide_overlay")).toEqual({ was_shown: false });
    expect(await call("click", { region: 2 })).toMatchObject({ effect: "unverifiable" });
  });

  test("is not drawn where captures would show it", async () => {
    const { call, shown, backend } = open();
    backend.desktop.leaksOverlay = true;
    await expect(call("show_overlay", { sources })).rejects.toMatchObject({ code: "not_supported" });
    expect(shown()).toEqual([]);
  });

  test("ends when its client goes away, and when the session ends", async () => {
    const { outcome, shown, session } = open();
    const connection = new AbortController();
    await outcome("show_overlay", { sources }, { connection: connection.signal });
    expect(shown()).not.toEqual([]);
    connection.abort();
    await expect.poll(shown).toEqual([]);
    await outcome("show_overlay", { sources });
    expect(shown()).not.toEqual([]);
    await session[Symbol.asyncDispose]();
    expect(shown()).toEqual([]);
  });

  test("follows changes, and gives no number to anything else", async () => {
    const { call, backend, shown } = open();
    await call("show_overlay", { sources });
    const elements = backend.desktop.elements;
    if (!elements) throw new Error("no elements");
    const chips = () => shown().filter(({ kind }) => kind === "picture").length;
    elements.nodes = elements.nodes.filter(({ name }) => name !== "Save");
    await expect.poll(chips).toBe(1);
    elements.nodes = [
      ...elements.nodes,
      { ...(elements.nodes[0] as (typeof elements.nodes)[0]), runtimeId: "c", name: "Help" },
    ].map((node) => (node.name === "Help" ? { ...node, bounds: { x: 10, y: 100, width: 80, height: 40 } } : node));
    await expect.poll(chips).toBe(2);
    // Save was 1: whoever has read that must not click Help.
    await expect(call("click", { region: 1 })).rejects.toMatchObject({ code: "not_found" });
    expect(await call("click", { region: 2 })).toMatchObject({ target: { element: expect.stringContaining("Close") } });
    expect(await call("click", { region: 3 })).toMatchObject({ target: { element: expect.stringContaining("Help") } });
  });

  test("moves with its window, and is not seen where another window covers it", async () => {
    const { call, backend, shown, lefts } = open();
    const { desktop } = backend;
    await call("show_overlay", { sources });
    const before = lefts();
    desktop.update(1, { bounds: { x: 100, y: 0, width: 300, height: 200 } });
    desktop.paint({ windowId: 1, rect: { x: 110, y: 150, width: 10, height: 10 }, colour: 0 });
    await expect.poll(lefts).toEqual(before.map((x) => x + 100));
    desktop.open({ id: 2, title: "Above", bounds: { x: 240, y: 0, width: 120, height: 200 } });
    await expect.poll(() => shown().filter(({ kind }) => kind === "picture").length).toBe(1);
  });

  test("shows where and what is acted on and what came of it, if wanted", async () => {
    const { call, backend } = open();
    const layer = () => backend.desktop.overlay.get("activity") ?? [];
    await call("show_overlay", { sources, activity: [] });
    await call("click", { region: 1 });
    await expect.poll(layer).toEqual([]);
    await call("show_overlay", { sources, activity: ["cursor", "effect"] });
    await call("click", { region: 1 });
    await expect.poll(() => layer().map(({ rect }) => rect.width)).toEqual([24, 18]);
    await call("show_overlay", { sources, activity: ["status"] });
    await call("click", { region: 2 });
    await expect.poll(layer).toHaveLength(1);
    await call("hide_overlay");
    expect(layer()).toEqual([]);
  });

  test("with --overlay, actions and marks are shown unasked, until it is hidden", async () => {
    const { call, backend } = open({ overlay: "on" });
    const layers = () => [...backend.desktop.overlay].flatMap(([name, shapes]) => (shapes.length > 0 ? [name] : []));
    await call("mark_regions", { sources, include_image: false });
    await expect.poll(layers).toEqual(["regions"]);
    await call("click", { region: 1 });
    await expect.poll(layers).toEqual(["regions", "activity"]);
    await call("hide_overlay");
    await call("mark_regions", { sources, include_image: false });
    await call("click", { region: 1 });
    expect(layers()).toEqual([]);
  });
});
