import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MalformedAnswer } from "../../src/agent/model.ts";
import { runAgent, type AgentOptions, type AgentResult } from "../../src/agent/run.ts";
import { Refusal } from "../../src/agent/stop.ts";
import { sleep } from "../../src/base/async.ts";
import { ToolError } from "../../src/base/errors.ts";
import { runtimeFolders } from "../../src/base/runtime.ts";
import { resumeAll, stopAll } from "../../src/base/stop.ts";
import { EmergencyStop } from "../../src/cli/emergency.ts";
import { allTools } from "../../src/tools/registry.ts";
import type { Session } from "../../src/tools/session.ts";
import { call, openAgentDesk, scripted, type AgentDesk, type Said } from "../support/agent.ts";
import type { Fixture } from "../support/fixture.ts";

const title = "GTK3 Controls";
const press = { action: "click", target: "Press me", confidence: 0.9 } as const;
const usage = { inputTokens: 500, outputTokens: 50, cachedTokens: 0 };

let desk: AgentDesk;
let app: Fixture;
let session: Session;

beforeAll(async () => {
  desk = await openAgentDesk();
  app = await desk.start("gtk3_controls");
  session = await desk.open({ settleMs: "300" });
});
afterAll(async () => {
  await app?.stop();
  await desk?.[Symbol.asyncDispose]();
});

const pressed = (): number => app.events.filter(({ event }) => event === "pressed").length;

async function run(
  said: readonly Said[],
  options: Partial<AgentOptions> = {},
  model = scripted(said),
): Promise<AgentResult> {
  return runAgent(session, { goal: "press the button", model, where: { window: title }, ...options });
}

describe("an agent stops", () => {
  test("when the model points outside the picture, and presses nothing [S0-68]", async () => {
    const before = pressed();
    const { verdict } = await run([[{ action: "click", x: 5_000, y: 10 }]]);
    expect(verdict).toMatchObject({ status: "stopped", reason: "out_of_bounds" });
    expect(verdict.message).toContain("5000,10");
    expect(pressed()).toBe(before);
  });

  test("when the answer is malformed after one repair round [S0-69]", async () => {
    const model = scripted([new MalformedAnswer("click it", "this is no JSON", usage)]);
    const { verdict, usage: spent } = await run([], {}, model);
    expect(verdict).toMatchObject({ status: "stopped", reason: "malformed" });
    expect(model.turns.map(({ repair }) => repair)).toEqual([
      undefined,
      { answer: "click it", problem: "this is no JSON" },
    ]);
    expect(spent).toMatchObject({ input_tokens: 1_000, output_tokens: 100 });
  });

  test("not when the repaired answer can be used [S0-69]", async () => {
    const model = scripted([
      new MalformedAnswer("{", "this is no JSON", usage),
      [{ action: "done", why: "nothing to do" }],
    ]);
    const { verdict, history } = await run([], {}, model);
    expect(verdict).toMatchObject({ status: "done", message: "nothing to do" });
    expect(history[0]?.repair).toEqual({ answer: "{", problem: "this is no JSON" });
  });

  test("when an action is not in the vocabulary [S0-64, S0-65]", async () => {
    const { verdict } = await run([[{ action: "teleport" as "click" }]]);
    expect(verdict).toMatchObject({ status: "stopped", reason: "malformed" });
  });

  test("when the model is less sure than the threshold, or does not say although it must [S0-70]", async () => {
    const before = pressed();
    const unsure = await run([[{ ...press, confidence: 0.3 }]], { limits: { minConfidence: 0.5 } });
    expect(unsure.verdict).toMatchObject({ status: "stopped", reason: "low_confidence" });
    const { confidence: _, ...silent } = press;
    const mute = await run([[silent]], { limits: { requiresConfidence: true } });
    expect(mute.verdict).toMatchObject({ status: "stopped", reason: "low_confidence" });
    expect(pressed()).toBe(before);
  });

  test("after the allowed steps [S0-66]", async () => {
    const model = scripted([[{ action: "click", target: "Press me" }]]);
    const { verdict, steps } = await run([], { limits: { maxSteps: 2 } }, model);
    expect([verdict.reason, steps, model.turns.length]).toEqual(["max_steps", 2, 2]);
  });

  test("after the allowed time, even while the model is thinking [S0-67]", async () => {
    const thinking = scripted([async ({ signal }) => sleep(60_000, signal).then(() => [])]);
    const { verdict, ms } = await run([], { limits: { maxSeconds: 3 } }, thinking);
    expect(verdict).toMatchObject({ status: "stopped", reason: "max_time" });
    expect(ms).toBeLessThan(30_000);
  });

  test("when the tokens or the money are spent", async () => {
    const before = pressed();
    const tokens = await run([[press]], { limits: { maxTokens: 1_000 } });
    expect(tokens.verdict).toMatchObject({ status: "stopped", reason: "max_tokens" });
    const money = await run([[press]], { limits: { maxCost: 0.001 }, price: { input: 3, output: 15 } });
    expect(money.verdict).toMatchObject({ status: "stopped", reason: "max_cost" });
    expect(money.cost).toBeCloseTo(0.0045);
    expect(pressed()).toBe(before);
  });

  test("when its actions have no effect", async () => {
    const { verdict, steps } = await run([[{ action: "click", target: "Nothing of that name" }]]);
    expect(verdict).toMatchObject({ status: "stopped", reason: "no_progress" });
    expect(steps).toBeLessThan(6);
    const idle = await run([[{ action: "noop", why: "unsure" }]]);
    expect(idle.verdict).toMatchObject({ status: "stopped", reason: "no_progress" });
  });

  test("when the model refuses, with what it offers instead", async () => {
    const { verdict } = await run([new Refusal("two things fit", ["the first", "the second"])]);
    expect(verdict).toMatchObject({ status: "stopped", reason: "refused", candidates: ["the first", "the second"] });
  });

  test("when its caller cancels", async () => {
    const controller = new AbortController();
    const model = scripted([
      async ({ signal }) => {
        controller.abort();
        await sleep(60_000, signal);
        return [];
      },
    ]);
    const { verdict } = await run([], { signal: controller.signal }, model);
    expect(verdict).toMatchObject({ status: "stopped", reason: "cancelled" });
  });

  test("when the policy denies, and gets no hint of another way", async () => {
    const before = pressed();
    const watcher = await desk.open({ policy: "observe-only" });
    const model = scripted([[press]]);
    const { verdict } = await runAgent(watcher, { goal: "press", model, where: { window: title }, background: true });
    expect(verdict).toMatchObject({ status: "stopped", reason: "denied" });
    expect(model.turns).toHaveLength(1);
    expect(pressed()).toBe(before);
  });

  test("when a person says no to what is asked, and goes on when they say yes", async () => {
    const before = pressed();
    const asking = await desk.open({ policy: "ask" });
    const asked: string[] = [];
    const goal = { goal: "press", where: { window: title }, background: true };
    const no = await runAgent(asking, {
      ...goal,
      model: scripted([[press]]),
      ask: async ({ text, tool }) => {
        asked.push(text);
        return tool === "click" ? "deny" : "session";
      },
    });
    expect(no.verdict).toMatchObject({ status: "stopped", reason: "denied" });
    expect(asked.length).toBeGreaterThan(0);
    expect(pressed()).toBe(before);
    const yes = await runAgent(asking, {
      ...goal,
      model: scripted([[{ ...press, done: true }]]),
      ask: async () => "session",
    });
    expect(yes.verdict).toMatchObject({ status: "done", evidence: { confirmed: 1 } });
    expect(pressed()).toBe(before + 1);
  });

  test("when the model's vendor wants a person and there is none", async () => {
    const before = pressed();
    const model = scripted([[press]], { mustConfirm: ["this may cost money"] });
    const { verdict } = await run([], {}, model);
    expect(verdict).toMatchObject({ status: "stopped", reason: "denied" });
    expect(verdict.message).toContain("this may cost money");
    expect(pressed()).toBe(before);
  });

  test("when the emergency stop is used between two steps", async () => {
    const folder = mkdtempSync(join(tmpdir(), "handsight-agent-stop-"));
    const env = { XDG_RUNTIME_DIR: folder, PATH: process.env["PATH"] };
    const [own = ""] = runtimeFolders(env);
    const before = pressed();
    try {
      const model = scripted([
        () => {
          stopAll([own]);
          return [press];
        },
      ]);
      const { verdict } = await run([], { env }, model);
      expect(verdict).toMatchObject({ status: "stopped", reason: "emergency_stop" });
      expect(pressed()).toBe(before);
    } finally {
      resumeAll([own]);
      rmSync(folder, { recursive: true });
    }
  });

  test("when the emergency stop comes while something is held", async () => {
    const emergency = new EmergencyStop([mkdtempSync(join(tmpdir(), "handsight-agent-held-"))]);
    const guarded = await desk.open({}, { tools: emergency.guard(allTools) });
    // A different word on every attempt, because the app remembers earlier ones.
    const word = randomBytes(4).toString("hex");
    const model = scripted([
      () => {
        const begun = app.waitFor(({ event, text }) => event === "text" && text?.includes(word) === true);
        void begun.then(() => emergency.stop());
        return [{ action: "type", target: "Username", text: word.repeat(400) }];
      },
    ]);
    const { verdict } = await runAgent(guarded, { goal: "type", model, where: { window: title } });
    expect(verdict).toMatchObject({ status: "stopped", reason: "emergency_stop" });
  });

  test("as failed when its model cannot be reached, or its window is not there", async () => {
    const lost = await run([new ToolError("not_connected", "The server could not be reached.")]);
    expect(lost.verdict).toMatchObject({ status: "failed", reason: "not_connected" });
    const nowhere = await run([[press]], { where: { window: "No such window" } });
    expect(nowhere.verdict).toMatchObject({ status: "failed", reason: "not_found" });
    expect(nowhere.verdict.candidates.join()).toContain(title);
  });
});

test("a dry run decides and does nothing", async () => {
  const before = pressed();
  const { verdict, history } = await run([[press]], { dryRun: true });
  expect(verdict).toMatchObject({ status: "stopped", reason: "dry_run", evidence: { confirmed: 0, unconfirmed: [] } });
  expect(history).toMatchObject([{ answer: [press], actions: [] }]);
  expect(pressed()).toBe(before);
});

test("a dry run says what it would do if the app is not running, and starts nothing", async () => {
  const goal = 'click "7", click "*", click "6", click "="';
  const where = { app: "gucharmap" };
  const { verdict } = await runAgent(session, { goal, model: "rules", where, dryRun: true });
  expect(verdict).toMatchObject({ status: "stopped", reason: "dry_run" });
  expect(verdict.message).toContain("gucharmap is not running and would be started first");
  expect(verdict.candidates).toEqual(['click "7"', 'click "*"', 'click "6"', 'click "="']);
  const unclear = await runAgent(session, { goal: "book me a flight", model: "rules", where, dryRun: true });
  expect(unclear.verdict).toMatchObject({ status: "stopped", reason: "refused" });
  expect(await call(session, "list_windows", { app_name: where.app })).toMatchObject({ windows: [] });
});
