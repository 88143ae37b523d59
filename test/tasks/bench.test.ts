import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TaskResult, Totals } from "../../src/tasks/result.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";
import { startModelServer } from "../simulators/models/server.ts";
import { chatWire } from "../simulators/models/wire-chat.ts";
import { testKey } from "../simulators/models/wire.ts";

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = openSandbox();
});
afterAll(() => sandbox?.[Symbol.dispose]());

interface Report {
  readonly model: string;
  readonly tell: string;
  readonly totals: Totals;
  readonly tasks: readonly TaskResult[];
}

async function bench(...args: readonly string[]): Promise<{ readonly code: number | null; readonly report: Report }> {
  const { code, stdout, stderr } = await sandbox.run(["bench", "tasks", "--json", ...args]);
  if (!stdout.startsWith("{")) throw new Error(`${stdout}${stderr}`);
  return { code, report: JSON.parse(stdout) as Report };
}

const outcomes = ({ tasks }: Report) =>
  Object.fromEntries(tasks.map(({ task, attempts }) => [task, attempts.map(({ outcome }) => outcome).join(" ")]));

describe("handsight bench tasks", () => {
  test("lets the rules work in an editor, a form and a page, and refuse what cannot be done", async () => {
    const names = ["mousepad-add-line", "yad-list", "page-todo-add", "page-buy-sold-out"];
    const { code, report } = await bench("--model", "rules", "--only", names.join(","), "--require", "1");
    const { totals, tasks } = report;
    expect(tasks.flatMap(({ attempts }) => attempts.flatMap(({ problems }) => problems))).toEqual([]);
    expect(outcomes(report)).toEqual(Object.fromEntries(names.map((name) => [name, "success"])));
    expect(report).toMatchObject({ model: "rules", tell: "steps" });
    expect(totals).toMatchObject({
      success_rate: 1,
      feasible: { attempts: 3, successes: 3 },
      infeasible: { attempts: 1, successes: 1 },
      skipped: 0,
      errors: 0,
      false_claims: 0,
      tokens: 0,
    });
    expect(code).toBe(0);
    for (const { attempts, task } of tasks) {
      const { report: page, run_folder: folder, steps, seconds } = attempts[0] ?? {};
      expect(steps).toBeGreaterThan(0);
      expect(seconds).toBeGreaterThan(0);
      expect(existsSync(page ?? "")).toBe(true);
      expect(JSON.parse(readFileSync(join(folder ?? "", "agent/agent-task.json"), "utf8"))).toMatchObject({ task });
    }
  });

  test("counts nothing as done that was not done, and leaves out what cannot run", async () => {
    const folder = join(sandbox.folder, "idle");
    mkdirSync(folder);
    const own = new URL("../../bench/tasks/", import.meta.url);
    cpSync(new URL("pages", own), join(folder, "pages"), { recursive: true });
    const write = (name: string, more: object) => {
      const task = JSON.parse(readFileSync(new URL(`${name}.json`, own), "utf8")) as object;
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...task, ...more }));
    };
    const idle = { steps: "wait 10 ms" };
    write("mousepad-add-line", idle);
    write("page-todo-add", idle);
    write("yad-no-phone", idle);
    write("yad-cancel", { open: { program: "no-such-program" } });
    const { code, report } = await bench("--tasks", folder, "--require", "0.1");
    expect(outcomes(report)).toEqual({
      "mousepad-add-line": "failure",
      "page-todo-add": "failure",
      "yad-cancel": "skipped",
      "yad-no-phone": "failure",
    });
    const problems = Object.fromEntries(report.tasks.map(({ task, attempts }) => [task, attempts[0]?.problems]));
    expect(problems).toEqual({
      "mousepad-add-line": ['list.txt is "- flour\\n- eggs\\n"'],
      "page-todo-add": ["the page was left as it was"],
      "yad-cancel": ["no-such-program is not installed"],
      "yad-no-phone": ["it cannot be done, but the agent did not say so"],
    });
    expect(report.totals).toMatchObject({ attempts: 3, success_rate: 0, false_claims: 3, skipped: 1 });
    expect(code).toBe(1);
  });

  test("gives another model the goal, and counts what it reads and writes", async () => {
    await using server = await startModelServer();
    const answers = [
      { action: "type", text: "mkdir -p reports/2026 reports/2027" },
      { action: "key", key: "enter" },
      { action: "done", done: true, why: "the prompt is back" },
    ];
    server.next(...answers.map((one) => ({ kind: "answer", body: chatWire.says(JSON.stringify(one)) }) as const));
    const model = ["--model", `chat:${chatWire.plainModel}`, "--model-url", `${server.url}${chatWire.base}`];
    const { report } = await bench("--only", "xterm-folders", ...model, "--model-key", testKey);
    expect(server.complaints).toEqual([]);
    const asked = JSON.stringify(server.received[0]?.body);
    expect(asked).toContain("make the folders reports/2026 and reports/2027");
    expect(asked).not.toContain("mkdir");
    expect(outcomes(report)).toEqual({ "xterm-folders": "success" });
    expect(report.tasks[0]).toMatchObject({ told: "goal", attempts: [{ steps: 3, tokens: 3 * 135, said: "done" }] });
    expect(report.totals.tokens).toBe(3 * 135);
  });

  test("says what is wrong with the request", async () => {
    const said = async (...args: readonly string[]) => {
      const { code, stderr } = await sandbox.run(["bench", ...args]);
      return `${code} ${stderr}`;
    };
    expect(await said("tasks", "--only", "nothing-like-it")).toMatch(/^1 .*No task fits "nothing-like-it"/);
    expect(await said("tasks", "--rounds", "0")).toMatch(/^2 .*--rounds takes a whole number from 1/);
    expect(await said("tasks", "--require", "80")).toMatch(/^2 .*--require takes a number from 0 to 1/);
    expect(await said("speed")).toMatch(/^2 .*Allowed choices are tasks/);
  });
});
