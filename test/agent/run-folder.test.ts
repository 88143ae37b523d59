import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAgentRuns } from "../../src/agent/read.ts";
import { runAgent } from "../../src/agent/run.ts";
import { poll } from "../../src/base/async.ts";
import { readRun } from "../../src/journal/read.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { queryKeymap, queryPointer } from "../../src/platform/linux/x11/requests.ts";
import { openAgentDesk, scripted, type AgentDesk } from "../support/agent.ts";
import type { Fixture } from "../support/fixture.ts";
import { mainFile } from "../support/handsight.ts";

let desk: AgentDesk;
let app: Fixture;

beforeAll(async () => {
  desk = await openAgentDesk();
  app = await desk.start("gtk3_login");
});
afterAll(async () => {
  await app?.stop();
  await desk?.[Symbol.asyncDispose]();
});

describe("the run folder", () => {
  test("holds picture, window, prompt, answer, action and both coordinates of every step [S0-72…S0-76]", async () => {
    const session = await desk.open();
    const model = scripted([
      ({ observation }) => [
        { action: "click", x: Math.floor((observation.picture?.size.width ?? 0) / 2), y: 120, why: "the button" },
      ],
      [{ action: "done", why: "pressed" }],
    ]);
    const result = await runAgent(session, { goal: "press Submit", model, where: { window: "Login Form" } });
    const folder = join(desk.runsDir, result.run_id);
    const [noted] = readAgentRuns(folder);
    expect(noted?.run).toMatchObject({
      goal: "press Submit",
      model: "scripted",
      verdict: { status: "done", message: "pressed" },
    });
    const [step] = noted?.steps ?? [];
    expect(step).toMatchObject({
      window: { title: "Login Form", pid: app.pid, bounds: { width: expect.any(Number) as number } },
      prompt: { goal: "press Submit" },
      answer: [{ action: "click", why: "the button" }],
      actions: [{ tool: "click", effect: expect.any(String) as string }],
      usage: { input_tokens: 1_000, output_tokens: 100 },
      timing: { look_ms: expect.any(Number) as number },
    });
    const { shot, actions } = step ?? {};
    const picture = readFileSync(join(folder, shot?.file ?? ""));
    expect(picture.subarray(0, 3).toString("hex")).toBe("ffd8ff");
    const [{ image, screen } = { image: null, screen: null }] = actions ?? [];
    expect(screen).toEqual({ x: (shot?.bounds.x ?? 0) + (image?.x ?? 0), y: (shot?.bounds.y ?? 0) + (image?.y ?? 0) });
    expect(readFileSync(join(folder, "report.html"), "utf8")).toContain("data:image/jpeg;base64,");
  });

  const filesOf = (run: string): readonly (readonly [name: string, text: string])[] => {
    const folder = join(desk.runsDir, run);
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:json|jsonl|html)$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  };

  test("shows what a field showed, and keeps a password out of the goal and every file", async () => {
    const session = await desk.open();
    const goal = 'type "swordfish-9000" into Username and type "open-sesame-77" into Password';
    const { verdict, run_id } = await runAgent(session, { goal, where: { pid: app.pid } });
    expect(verdict).toMatchObject({ status: "done", evidence: { confirmed: 2 } });
    for (const [name, text] of filesOf(run_id)) expect(text, name).not.toContain("sesame");
    const [noted] = readAgentRuns(join(desk.runsDir, run_id));
    expect(noted?.run.goal).toBe('type "swordfish-9000" into Username, then type "[REDACTED]" into "Password"');
    expect(noted?.run.verdict?.message).toContain('The last was type "[REDACTED]" into "Password"');
    const report = filesOf(run_id).find(([name]) => name === "report.html")?.[1] ?? "";
    expect(report).toContain("type &quot;swordfish-9000&quot;");
  });

  test.each([
    ["shows the words of a model whose text a field showed", "Username", "abra", true],
    ["shows no word of a model that typed a password: any may repeat it", "Password", "open", false],
  ])("%s", async (_what, target, word, isShown) => {
    const session = await desk.open();
    const text = ` ${word} "kadabra"\\${target} `;
    const model = scripted([
      [{ action: "wait", ms: 1, why: `${word} has to wait` }],
      () => {
        const files = filesOf(session.journal.runId).map(([, each]) => each);
        expect(files.some((each) => each.includes(`${word} has to wait`))).toBe(true);
        return [{ action: "type", target, text, why: `${word} is next` }];
      },
      () => {
        for (const [name, each] of filesOf(session.journal.runId)) {
          if (!isShown || name.startsWith("agent"))
            expect(each, name).not.toMatch(/(?:abra|open) (?:has|is)|the word is/);
        }
        return [{ action: "done", why: `${word} it was` }];
      },
    ]);
    const { run_id } = await runAgent(session, { goal: `the word is ${text}`, model, where: { pid: app.pid } });
    const [noted] = readAgentRuns(join(desk.runsDir, run_id));
    const words = { goal: `the word is ${text}`, verdict: { message: `${word} it was` } };
    const hidden = { goal: "[REDACTED]", verdict: { message: "[REDACTED]", evidence: { claim: "[REDACTED]" } } };
    expect(noted?.run).toMatchObject(isShown ? words : hidden);
    expect(noted?.steps[1]?.actions[0]?.action).toMatchObject(isShown ? { text } : { text: "[REDACTED]" });
    for (const [name, each] of filesOf(run_id))
      if (!isShown) expect(each, name).not.toMatch(/open (?:has|is|it)|open .{1,4}kadabra|the word is/);
  });

  test("shows text from the screen and the model as text, never as HTML", async () => {
    const session = await desk.open();
    const evil = `</style><script>alert(1)</script><img src=x onerror="alert(2)">`;
    const { run_id } = await runAgent(session, { goal: evil, model: scripted([[{ action: "done", why: evil }]]) });
    const html = readFileSync(join(desk.runsDir, run_id, "report.html"), "utf8");
    expect(html).not.toMatch(/<script|<img/i);
    expect(html).toContain("&lt;script&gt;alert(1)");
    expect(html).toContain("default-src 'none'");
  });

  test("keeps both of two agents in one session", async () => {
    const session = await desk.open();
    const options = { model: scripted([[{ action: "done" }]]), where: { pid: app.pid } };
    const first = await runAgent(session, { ...options, goal: "one" });
    const second = await runAgent(session, { ...options, goal: "two" });
    expect(readAgentRuns(join(desk.runsDir, first.run_id)).map(({ run }) => run.goal)).toEqual(["one", "two"]);
    expect([first.report, second.report]).toEqual(["report.html", "report-2.html"]);
  });
});

describe("killed", () => {
  test.each([0, 1, 2, 4])(
    "after %i finished steps, the agent leaves a readable run folder and holds nothing",
    async (count) => {
      const runsDir = mkdtempSync(join(tmpdir(), "handsight-killed-"));
      const goal = Array.from(
        { length: 12 },
        (_, index) => `click "Submit" and type "text${index}" into Username`,
      ).join(", then ");
      const args = ["agent", goal, "--pid", String(app.pid), "--policy", "allow", "--runs-dir", runsDir];
      const child = spawn(process.execPath, [mainFile, ...args], { env: desk.desktop.env, stdio: "ignore" });
      const ended = once(child, "exit");
      const folder = () =>
        readdirSync(runsDir)
          .filter((name) => !name.startsWith("."))
          .map((name) => join(runsDir, name))[0] ?? "";
      const finished = async (): Promise<true | undefined> => {
        try {
          const [noted] = readAgentRuns(folder());
          const done = noted?.steps.filter(({ state }) => state === "done").length ?? -1;
          return noted && noted.steps.length > count && done >= count ? true : undefined;
        } catch {
          return undefined;
        }
      };
      expect(await poll(finished, { timeoutMs: 30_000, everyMs: 5 })).toBe(true);
      child.kill("SIGKILL");
      await ended;
      const path = folder();
      const [noted] = readAgentRuns(path);
      expect(noted?.run.verdict).toBeNull();
      expect(noted?.steps.length).toBeGreaterThan(count);
      expect(readRun(path)).toMatchObject({ badLines: 0 });
      if (count > 0) expect(readFileSync(join(path, "report.html"), "utf8")).toContain("at work");
      const connection = await openConnection(desk.desktop.env["DISPLAY"], { env: desk.desktop.env });
      const isFree = async () => {
        const keys = (await queryKeymap(connection)).some((byte) => byte !== 0);
        const buttons = ((await queryPointer(connection)).mask & 0x1f00) !== 0;
        return keys || buttons ? undefined : true;
      };
      expect(await poll(isFree, { timeoutMs: 5_000, everyMs: 20 })).toBe(true);
      connection.close();
      rmSync(runsDir, { recursive: true });
    },
  );
});
