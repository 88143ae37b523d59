import { beforeAll, afterAll, describe, expect, test } from "vitest";
import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

let desktop: VirtualDesktop;
let handsight: Handsight;
let app: Fixture;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  handsight = await startHandsight(desktop.env);
  app = await startFixture("gtk3_controls", { env: desktop.env });
  await handsight.call("wait_for", { window_title: "GTK3 Controls" });
});
afterAll(async () => {
  await app?.stop();
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
});

describe("an action waits for what its caller expects", () => {
  test("a text that appears late, and where it is", async () => {
    const { data, text } = await handsight.ask("click", { text: "Late", settle_ms: 0, expect: "Late 1" });
    expect(data).toMatchObject({
      ok: true,
      expected: { met: true, what: 'text "Late 1"', match: { source: "accessibility" } },
    });
    expect(text).toMatch(/^met after \d+ ms: text "Late 1"$/m);
  });

  test("the state of the element acted on, and of another", async () => {
    const { elements } = await handsight.call("find_elements", { selector: 'CheckBox:"Check me"' });
    const [{ uid }] = elements as [{ uid: string }];
    expect(await handsight.call("ax_toggle", { uid, expect: { checked: true } })).toMatchObject({
      expected: { met: true, element: { uid } },
    });
    const missed = await handsight.call("ax_toggle", { uid, expect: { checked: true, timeout_ms: 200 } });
    expect(missed).toMatchObject({
      ok: false,
      effect: "confirmed",
      expected: { met: false, seen: expect.stringContaining("is not checked") },
    });
    const other = await handsight.call("click", {
      text: "Press me",
      expect: { disabled: { role: "button", name: "Disabled" } },
    });
    expect(other).toMatchObject({ ok: true, expected: { met: true } });
  });

  test("a window that opens, and one that closes", async () => {
    expect(await handsight.call("click", { text: "Open dialog", expect: { window: "Question" } })).toMatchObject({
      expected: { met: true },
    });
    const closed = await handsight.call("press_key", { key: "escape", expect: { gone: { window: "Question" } } });
    expect(closed).toMatchObject({ ok: true, expected: { met: true } });
  });

  test("what does not come makes the call fail, with what is there instead", async () => {
    const { data, text, isError } = await handsight.ask("click", {
      text: "Press me",
      expect: { visible: { role: "button", name: "Pres me" }, timeout_ms: 300 },
    });
    expect(isError).toBe(false);
    expect(data).toMatchObject({
      ok: false,
      effect: "confirmed",
      expected: { met: false, candidates: expect.arrayContaining(["Press me"]) },
    });
    expect((data["expected"] as { candidates: string[] }).candidates[0]).toBe("Press me");
    expect(text).toMatch(/^not met after \d+ ms: visible button "Pres me"$/m);
    expect(text).toContain('- "Press me"');
  });

  test("a bad expectation is refused before anything is done", async () => {
    const pressed = () => app.events.filter(({ event }) => event === "pressed").length;
    const before = pressed();
    for (const [given, says] of [
      [{ visibel: "x" }, 'did you mean "visible"?'],
      [{ text: "a", window: "b" }, "names 2 things"],
      [{ checked: { selector: "Buton:x" } }, "is not a role"],
      [{ value: 3, of: { image: "i1" } }, "not for a image"],
    ] as const) {
      const { data, isError } = await handsight.ask("click", { text: "Press me", expect: given });
      expect(isError).toBe(true);
      expect(JSON.stringify(data)).toContain(says.replaceAll('"', '\\"'));
    }
    expect(pressed()).toBe(before);
  });
});

describe("an action shows what its caller asks for", () => {
  test("a snapshot of the app acted on, with uids for the next call", async () => {
    const { data, text } = await handsight.ask("click", { text: "Press me", observe: "snapshot" });
    const { snapshot } = data["now"] as { snapshot: string };
    expect(text).toContain(snapshot.split("\n").find((line) => line.includes("Do nothing")));
    const uid = /button "Do nothing" (a\d+g\d+)/.exec(snapshot)?.[1];
    expect(await handsight.call("click", { uid })).toMatchObject({ effect: "no_change" });
  });

  test("marks: numbered lines and the picture", async () => {
    const { data, text, images } = await handsight.ask("click", { text: "Press me", observe: "marks" });
    expect(images).toHaveLength(1);
    const number = /^(\d+) button "Press me"$/m.exec(text)?.[1];
    expect(data["now"]).toMatchObject({ count: expect.any(Number) });
    expect(await handsight.call("click", { region: Number(number) })).toMatchObject({ effect: "confirmed" });
  });

  test("none: the outcome alone", async () => {
    const { data, text } = await handsight.ask("click", { text: "Press me", observe: "none" });
    expect(data).toMatchObject({ ok: true, effect: "confirmed" });
    expect(data).not.toHaveProperty("changes");
    expect(text.split("\n")).toHaveLength(1);
  });
});

test("what an action shows and waits for is under the rules for looking", async () => {
  const folder = await mkdtemp(join(tmpdir(), "handsight-expect-"));
  const rules = join(folder, "policy.json");
  await writeFile(
    rules,
    JSON.stringify({
      rules: [
        { tool: "take_ax_snapshot", verdict: "deny" },
        { tool: "wait_for", verdict: "deny" },
      ],
    }),
  );
  const strict = await startHandsight(desktop.env, ["--rules", rules]);
  try {
    const { data } = await strict.ask("click", { text: "Press me", observe: "snapshot", expect: "Pressed" });
    expect(data).toMatchObject({
      ok: false,
      effect: "confirmed",
      expected: { met: false, seen: expect.stringContaining("wait_for is refused") },
    });
    expect(data["now"]).toEqual({ warning: expect.stringContaining("take_ax_snapshot is refused") });
  } finally {
    await strict[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }
});
