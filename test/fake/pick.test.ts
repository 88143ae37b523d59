import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { screenPoint } from "../../src/base/geometry.ts";
import type { FakeNode } from "../../src/platform/fake/elements.ts";
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
const middle = { Save: screenPoint(50, 30), Secret: screenPoint(450, 30), nothing: screenPoint(350, 300) };

function open(rules: object = {}, flags: Record<string, string> = {}) {
  const file = join(mkdtempSync(join(tmpdir(), "handsight-pick-")), "policy.json");
  writeFileSync(file, JSON.stringify(rules));
  const opened = openFakeSession({ windows, elements }, { rules: file, ...flags });
  onTestFinished(() => opened.session[Symbol.asyncDispose]());
  const { backend, outcome } = opened;
  const layers = () => [...backend.desktop.overlay.keys()];
  /** Starts a pick, and lets the person act once the pointer is taken. */
  const pick = async (act: () => Promise<void>, signal?: AbortSignal) => {
    const ended = outcome("pick_element", { timeout_ms: 5_000 }, signal ? { signal } : {});
    await expect.poll(() => backend.desktop.grab).toBeDefined();
    await act();
    const result = await ended;
    expect([backend.desktop.grab, layers()]).toEqual([undefined, []]);
    return result.kind === "done" ? result.data : result.kind === "failed" ? result.envelope.error : {};
  };
  const click = async (at: keyof typeof middle, button: "left" | "right" = "left") => {
    await backend.pointer?.move(middle[at]);
    await backend.pointer?.down(button);
    await backend.pointer?.up(button);
  };
  return { ...opened, pick, click, layers };
}

describe("picking", () => {
  test("outlines and indicates while it goes on, and reaches no app", async () => {
    const { backend, pick, click, layers } = open();
    const picked = await pick(async () => {
      await backend.pointer?.move(middle.Save);
      await expect.poll(layers).toEqual(["indicator", "pick"]);
      await click("Save", "right");
      await click("Save");
    });
    expect(picked).toMatchObject({
      ended: "picked",
      at: { x: 50, y: 30 },
      element: { name: "Save", source: "accessibility", click_point: { x: 50, y: 30 } },
      selector: "Button:Save",
      window: { window_id: 1, title: "Editor" },
    });
    expect(backend.desktop.events.filter((event) => /down|up/.test(event))).toEqual([]);
  });

  test("gives the pointer back only once the button is up", async () => {
    const { backend, pick } = open();
    const ended = await pick(async () => {
      await backend.pointer?.move(middle.Save);
      await backend.pointer?.down("left");
      await backend.keyboard?.down("escape");
      expect(backend.desktop.grab).toBeDefined();
      await backend.pointer?.up("left");
    });
    expect(ended).toMatchObject({ ended: "cancelled" });
  });

  test("gives the pointer back when the call is cancelled", async () => {
    const { pick } = open();
    const controller = new AbortController();
    expect(await pick(async () => controller.abort(), controller.signal)).toMatchObject({ code: "cancelled" });
  });

  test("says so where nothing is", async () => {
    const { pick, click } = open();
    expect(await pick(() => click("nothing"))).toMatchObject({ ended: "picked", message: "No window is there." });
  });

  test("neither outlines nor names what is in a blocked window", async () => {
    const { pick, click, backend, layers } = open({ blockedWindowPatterns: ["My vault"] });
    const refused = await pick(async () => {
      await backend.pointer?.move(middle.Save);
      await expect.poll(layers).toEqual(["indicator", "pick"]);
      await backend.pointer?.move(middle.Secret);
      await expect.poll(layers).toEqual(["indicator"]);
      await click("Secret");
    });
    expect(refused).toMatchObject({ code: "denied" });
    expect(JSON.stringify(refused)).not.toMatch(/vault|Secret key/i);
  });

  test("keeps to a rule about the window that is picked in", async () => {
    const { pick, click } = open({ rules: [{ window: "My vault", tool: "pick_*", verdict: "deny" }] });
    const refused = await pick(() => click("Secret"));
    expect(refused).toMatchObject({ code: "denied" });
    expect(JSON.stringify(refused)).not.toMatch(/vault|Secret key/i);
  });

  test("asks for itself on a person's desktop, even where looking is allowed", async () => {
    const { outcome } = open({ enabled: true }, { policy: "ask" });
    expect(await outcome("pick_element", {}, { canAsk: true })).toMatchObject({
      kind: "ask",
      question: { text: expect.stringContaining("take the pointer") },
    });
    expect(await outcome("pick_element")).toMatchObject({ kind: "failed", envelope: { error: { code: "denied" } } });
  });
});
