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

  test("keeps what was typed out of every file, also out of the goal and the model's answers", async () => {
    const session = await desk.open();
    const goal = 'type "swordfish-9000" into Username and type "open-sesame-77" into Password';
    const { verdict, run_id } = await runAgent(session, { goal, where: { pid: app.pid } });
    expect(verdict).toMatchObject({ status: "done", evidence: { confirmed: 2 } });
    const folder = join(desk.runsDir, run_id);
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!/\.(?:json|jsonl|html)$/.test(name)) continue;
      expect(readFileSync(join(folder, name), "utf8"), name).not.toMatch(/swordfish|sesame/);
    }
  });

  test("shows text of the screen and of the model as text, and never as a page", async () => {
    const session = await desk.open();
    const evil = `</style><script>alert(1)</script><img src=x onerror="alert(2)">`;
    const { run_id } = await runAgent(session, { goal: evil, model: scripted([[{ action: "done", why: evil }]]) });
    const html = readFileSync(join(desk.runsDir, run_id, "report.html"), "utf8");
    expect(html).not.toMatch(/<script|<img/i);
    expect(html).toContain("&lt;script&gt;alert(1)");
    expect(html).toContain("default-src 'none'");
  });

  test("of two agents of one session keeps both", async () => {
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
