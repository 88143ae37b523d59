import { describe, expect, onTestFinished, test } from "vitest";
import { sleep } from "../../src/base/async.ts";
import { openBuses } from "../support/buses.ts";
import { answered, codeOf, openDesktop, startApp } from "../support/element-app.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { startDesktop } from "../support/xvfb.ts";
import { toolkits } from "../support/toolkits.ts";

describe.each(toolkits)("an app that is killed: %s", (toolkit, title) => {
  test("between finding an element and acting on it", { timeout: 120_000 }, async () => {
    const { env, handsight } = await openDesktop();
    const { app, uid, windowId } = await startApp(handsight, `${toolkit}_controls`, title, env);
    const other = await startApp(handsight, "gtk3_mutating", "GTK3 Mutating", env);
    const button = await uid("Button:Press me");
    const field = await uid("TextBox:Username");
    const otherButton = await other.uid("Button:Apply");
    await app.stop();
    const gone = ["uid_not_found", "process_not_running"];
    const calls: readonly (readonly [string, object])[] = [
      ["ax_click", { uid: button }],
      ["click", { uid: button }],
      ["click", { uid: button, delivery: "foreground" }],
      ["ax_set_value", { uid: field, text: "x" }],
      ["type_text", { uid: field, text: "x" }],
      ["read_text", { uid: field }],
      ["ax_focus", { uid: field }],
      ["act", { action: "click", uid: button }],
    ];
    for (const [tool, args] of calls) expect(gone, tool).toContain(codeOf(await answered(handsight, tool, args)));
    await handsight.call("wait_for", { condition: "window_closed", window_id: windowId, timeout_ms: 20_000 });
    for (const tool of ["take_ax_snapshot", "find_elements"]) {
      const search = tool === "find_elements" ? { selector: "Button" } : {};
      expect(codeOf(await answered(handsight, tool, { window_id: windowId, ...search }))).toBe("window_gone");
    }
    expect(await handsight.call("ax_click", { uid: otherButton })).toMatchObject({ ok: true, effect: "confirmed" });
  });

  test("while an action on it is being verified", { timeout: 120_000 }, async () => {
    const { env, handsight } = await openDesktop();
    for (const delay of [0, 15, 60]) {
      const { app, uid } = await startApp(handsight, `${toolkit}_controls`, title, env);
      const nothing = await uid("Button:Do nothing");
      const acting = answered(handsight, "ax_click", { uid: nothing, settle_ms: 1_500 });
      await sleep(delay);
      await app.stop();
      const answer = await acting;
      // Its window closes, which is a change of the app, or there is nothing left to ask.
      const outcome = codeOf(answer) ?? String(answer.data["effect"]);
      expect(["confirmed", "unverifiable", "uid_not_found", "process_not_running"]).toContain(outcome);
      await handsight.call("wait_for", { condition: "window_closed", window_title: title, timeout_ms: 20_000 });
    }
  });
});

/** Everything that can be asked of an element, whether it makes sense or not. */
const elementCalls = (uid: string, field: string, title: string): readonly (readonly [string, object])[] => [
  ["take_ax_snapshot", { window_title: title }],
  ["find_elements", { selector: "Button", window_title: title }],
  ["find_text", { text: "Nowhere to be seen", window_title: title }],
  ["get_focused_element", {}],
  ["read_text", { uid: field }],
  ["wait_for", { condition: "element", selector: "Button:Press me", window_title: title, timeout_ms: 500 }],
  ["ax_click", { uid, settle_ms: 200 }],
  ["ax_set_value", { uid: field, text: "frozen", settle_ms: 200 }],
  ["ax_select", { uid, settle_ms: 200 }],
  ["ax_toggle", { uid, settle_ms: 200 }],
  ["ax_expand", { uid, settle_ms: 200 }],
  ["ax_scroll", { uid, settle_ms: 200 }],
  ["ax_focus", { uid: field, settle_ms: 200 }],
  ["act", { action: "click", uid, settle_ms: 200 }],
  ["click", { selector: "Button:Press me", window_title: title, settle_ms: 200 }],
  ["click", { uid, delivery: "foreground", settle_ms: 200 }],
  ["type_text", { uid: field, text: "x", settle_ms: 200 }],
];

// They spend most of the time waiting for deadlines, each on its own desktop.
describe.each(toolkits)("an app that is stopped: %s", { concurrent: true }, (toolkit, title) => {
  test(
    "costs each call its deadline and nobody else anything, and continues afterwards",
    { timeout: 240_000 },
    async ({ expect, onTestFinished }) => {
      const { env, handsight } = await openDesktop(undefined, onTestFinished);
      const beside = ["--geometry", "420x720+1100+50"];
      const lively = await startApp(handsight, "gtk3_mutating", "GTK3 Mutating", env, beside, onTestFinished);
      const other = await lively.uid("Button:Apply");
      const place = ["--geometry", "760x600+20+20"];
      const { app, uid } = await startApp(handsight, `${toolkit}_controls`, title, env, place, onTestFinished);
      const button = await uid("Button:Press me");
      const field = await uid("TextBox:Username");
      const [{ click_point: at }] = (
        await handsight.call("find_elements", { selector: "Button:Press me", window_title: title })
      )["elements"] as [{ click_point: { x: number; y: number } }];
      process.kill(app.pid, "SIGSTOP");
      onTestFinished(() => signal(app.pid, "SIGCONT"));
      // Each call takes its full deadline, so one toolkit tries all of them and the others only some.
      const calls = elementCalls(button, field, title);
      for (const [tool, args] of toolkit === "gtk3" ? calls : calls.filter((_call, index) => index % 8 === 0)) {
        const answer = await answered(handsight, tool, args);
        expect([tool, codeOf(answer)]).toEqual([tool, "timeout"]);
      }
      const found = await answered(handsight, "element_at_point", at);
      expect([codeOf(found), found.data["element"]]).toEqual(["timeout", undefined]);
      // A frozen app can be clicked, too; the effect is unknown.
      const clicked = await answered(handsight, "click", { ...at, settle_ms: 300 });
      expect(codeOf(clicked) ?? clicked.data["effect"]).not.toBe("confirmed");
      await expect(servedMeanwhile(handsight, title)).resolves.toEqual("lively first");
      expect(await handsight.call("ax_click", { uid: other })).toMatchObject({ effect: "confirmed" });
      process.kill(app.pid, "SIGCONT");
      await expect
        .poll(async () => (await handsight.ask("take_ax_snapshot", { window_title: title })).isError, {
          timeout: 20_000,
        })
        .toBe(false);
      const before = app.events.filter(({ event }) => event === "pressed").length;
      expect(await handsight.call("ax_click", { uid: await uid("Button:Press me") })).toMatchObject({ ok: true });
      await expect.poll(() => app.events.filter(({ event }) => event === "pressed").length).toBeGreaterThan(before);
    },
  );

  test(
    "by itself, when a button was pressed, is not waited for",
    { timeout: 120_000 },
    async ({ expect, onTestFinished }) => {
      const { env, handsight } = await openDesktop(undefined, onTestFinished);
      const args = ["--freeze-seconds", "60"];
      const { app, uid } = await startApp(handsight, `${toolkit}_controls`, title, env, args, onTestFinished);
      const freeze = await uid("Button:Freeze");
      const pressed = await answered(handsight, "ax_click", { uid: freeze, settle_ms: 500 });
      expect(codeOf(pressed)).toBeUndefined();
      await app.waitFor(({ event, on }) => event === "frozen" && on === true);
      expect(codeOf(await answered(handsight, "take_ax_snapshot", { window_title: title }))).toBe("timeout");
      expect(app.events.some(({ event, on }) => event === "frozen" && on === false)).toBe(false);
    },
  );
});

/** Asks the frozen app and then the responsive one; returns which answered first. */
async function servedMeanwhile(handsight: Handsight, frozen: string): Promise<string> {
  const slow = handsight.ask("take_ax_snapshot", { window_title: frozen }).then(() => "frozen first");
  const quick = handsight
    .ask("find_elements", { selector: "Button:Apply", window_title: "GTK3 Mutating" })
    .then(({ isError }) => (isError ? "lively failed" : "lively first"));
  const first = await Promise.race([slow, quick]);
  await Promise.all([slow, quick]);
  return first;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended.
  }
}

describe("the accessibility bus goes away", () => {
  test(
    "is not_connected, pictures and input still work, and so does the next call when it is back [S4-53]",
    { timeout: 180_000 },
    async () => {
      const desktop = await startDesktop();
      onTestFinished(() => desktop[Symbol.asyncDispose]());
      const buses = await openBuses(desktop.env);
      onTestFinished(() => buses[Symbol.asyncDispose]());
      const handsight = await startHandsight(buses.env, ["--log-level", "error"]);
      onTestFinished(() => handsight[Symbol.asyncDispose]());
      const canvas = await startFixture("gtk3_canvas", { env: { ...desktop.env, NO_AT_BRIDGE: "1" } });
      onTestFinished(() => canvas.stop());
      const first = await startApp(handsight, "gtk3_controls", "GTK3 Controls", buses.env);
      const button = await first.uid("Button:Press me");
      expect(await handsight.call("ax_click", { uid: button })).toMatchObject({ effect: "confirmed" });

      await buses.kill();
      for (let turn = 0; turn < 2; turn++) {
        for (const [tool, args] of elementCalls(button, button, "GTK3 Canvas").slice(0, 4)) {
          const answer = await answered(handsight, tool, args);
          expect([tool, codeOf(answer)]).toEqual([tool, "not_connected"]);
        }
      }
      expect(codeOf(await answered(handsight, "ax_click", { uid: button }))).toBe("not_connected");
      expect((await handsight.ask("take_screenshot", { mode: "screen" })).images).toHaveLength(1);
      const { window } = await handsight.call("wait_for", { window_title: "GTK3 Canvas" });
      const { window_id: windowId } = window as { window_id: number };
      await handsight.call("focus_window", { window_id: windowId });
      const clicked = await answered(handsight, "click", { window_id: windowId, window_x: 60, window_y: 90 });
      expect(codeOf(clicked)).toBeUndefined();
      await canvas.waitFor(({ event }) => event === "press");
      expect(codeOf(await answered(handsight, "press_key", { key: "a" }))).toBeUndefined();

      await first.app.stop();
      await buses.start();
      const second = await startApp(handsight, "gtk3_controls", "GTK3 Controls", buses.env);
      expect(await handsight.call("ax_click", { uid: await second.uid("Button:Press me") })).toMatchObject({
        effect: "confirmed",
      });
      // What was found before belongs to a bus that no longer exists.
      expect(["uid_not_found", "snapshot_expired", "process_not_running"]).toContain(
        codeOf(await answered(handsight, "ax_click", { uid: button })),
      );
    },
  );
});

describe("a call that is cancelled", () => {
  test("ends at once, leaves nothing behind, and the next one works", { timeout: 120_000 }, async () => {
    const { env, handsight } = await openDesktop();
    const title = "GTK3 Controls";
    const { app, uid } = await startApp(handsight, "gtk3_controls", title, env);
    const button = await uid("Button:Press me");
    process.kill(app.pid, "SIGSTOP");
    onTestFinished(() => signal(app.pid, "SIGCONT"));
    for (const [tool, args] of elementCalls(button, button, title).filter(([name]) => name !== "wait_for")) {
      const giveUp = new AbortController();
      const asked = handsight.ask(tool, args, giveUp.signal);
      setTimeout(() => giveUp.abort(), 50);
      await expect(asked, tool).rejects.toThrow(/abort/i);
    }
    // The lock has been released: the frozen calls would have kept it for one deadline after the other.
    expect(await handsight.call("set_clipboard", { text: "free again" })).toMatchObject({ ok: true });
    process.kill(app.pid, "SIGCONT");
    await expect
      .poll(async () => (await handsight.ask("ax_click", { uid: button })).isError, { timeout: 20_000 })
      .toBe(false);
    // A snapshot of many elements, cancelled in the middle of the walk.
    for (let delay = 0; delay < 30; delay += 3) {
      const giveUp = new AbortController();
      const asked = handsight.ask("take_ax_snapshot", { window_title: title }, giveUp.signal).catch(() => undefined);
      setTimeout(() => giveUp.abort(), delay);
      await asked;
    }
    expect(await handsight.call("take_ax_snapshot", { window_title: title })).toMatchObject({ cut: 0 });
  });
});
