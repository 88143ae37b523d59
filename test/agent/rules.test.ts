import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runAgent } from "../../src/agent/run.ts";
import type { Session } from "../../src/tools/session.ts";
import { call, openAgentDesk, type AgentDesk } from "../support/agent.ts";
import { startFixture } from "../support/fixture.ts";

let desk: AgentDesk;
let session: Session;

beforeAll(async () => {
  desk = await openAgentDesk();
  session = await desk.open({ settleMs: "3000" });
});
afterAll(async () => {
  await desk?.[Symbol.asyncDispose]();
});

describe("the rules", () => {
  test.each(["gtk3", "qt6"])(
    "set a slider and drag one thing onto another in %s, and the effects are seen",
    async (toolkit) => {
      const app = await startFixture(`${toolkit}_controls`, { env: desk.desktop.env });
      onTestFinished(() => app.stop());
      await app.waitFor(({ event }) => event === "ready", 30_000);
      await call(session, "wait_for", { condition: "window_active", pid: app.pid, timeout_ms: 30_000 });
      await call(session, "wait_for", { condition: "stable", pid: app.pid, timeout_ms: 30_000 });
      const { verdict, history } = await runAgent(session, {
        goal: 'Set the Volume slider to "80", go to the Extras tab, then drag "Drag me" onto "Drop here"',
        model: "rules",
        where: { pid: app.pid },
      });
      expect(verdict).toMatchObject({ status: "done", evidence: { unconfirmed: [] } });
      expect(history.at(-1)?.actions).toMatchObject([{ tool: "drag", effect: "confirmed" }]);
      await app.waitFor(({ event }) => event === "dropped");
      expect(app.events.filter(({ event }) => event === "value")).toMatchObject([{ name: "Volume", value: 80 }]);
    },
  );

  test.each([
    ["galculator", "galculator", "×"],
    ["gnome-calculator", "Calculator", "*"],
  ])("multiply in %s, whatever its key for that is called", async (app, name, sign) => {
    const { pid } = (await call(session, "launch_app", { app_name: name })) as { pid: number };
    onTestFinished(() => void call(session, "quit_app", { pid, force: true }).catch(() => {}));
    await call(session, "wait_for", { condition: "stable", app_name: app, timeout_ms: 30_000 });
    const goal = `click "7", click "${sign}", click "6", click "="`;
    const { verdict } = await runAgent(session, { goal, model: "rules", where: { app: name } });
    expect(verdict).toMatchObject({ status: "done" });
    expect((await call(session, "take_ax_snapshot", { app_name: app }))["snapshot"]).toContain("42");
  });

  test("double-click a row that is scrolled out of view", async () => {
    const app = await desk.start("gtk3_long_list");
    onTestFinished(() => app.stop());
    await app.waitFor(({ event }) => event === "ready", 30_000);
    await call(session, "wait_for", { condition: "stable", pid: app.pid, timeout_ms: 30_000 });
    const goal = 'double-click "Town 3"';
    const { verdict } = await runAgent(session, { goal, model: "rules", where: { pid: app.pid } });
    await app.waitFor(({ event }) => event === "opened");
    expect(app.events.filter(({ event }) => event === "opened")).toMatchObject([{ name: "Town 3" }]);
    expect(verdict).toMatchObject({ status: "done" });
  });

  test("wait for a number as a result, not as the label of a key", async () => {
    const { pid } = (await call(session, "launch_app", { app_name: "galculator" })) as { pid: number };
    onTestFinished(() => void call(session, "quit_app", { pid, force: true }).catch(() => {}));
    await call(session, "wait_for", { condition: "stable", pid, timeout_ms: 30_000 });
    const follow = async (goal: string, maxSeconds: number) =>
      (await runAgent(session, { goal, model: "rules", where: { pid }, limits: { maxSeconds } })).verdict;
    expect(await follow('wait for "4"', 2)).toMatchObject({ status: "stopped", reason: "max_time" });
    expect(await follow('click 2, click +, click 2, click = and wait for "4"', 30)).toMatchObject({ status: "done" });
  });
});
