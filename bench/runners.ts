import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Group } from "./group.ts";
import { figure, type Row } from "./measure.ts";
import { root } from "./paths.ts";

const folder = "test/api/runners";
const commands: Readonly<Record<string, readonly string[]>> = {
  vitest: [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--project",
    "system",
    "--retry",
    "0",
    `${folder}/apps.test.ts`,
  ],
  "node:test": ["--test", `${folder}/apps.node.mjs`],
};

/** The same tests of a GTK app, a Qt app and a page, written for two runners: how often they pass. */
export const runners: Group = async ({ rounds, tell }) => {
  const passed = new Map<string, number>();
  for (let round = 1; round <= rounds; round++) {
    await Promise.all(
      Object.entries(commands).map(async ([name, args]) => {
        const problem = await run(args);
        if (problem === undefined) passed.set(name, (passed.get(name) ?? 0) + 1);
        else tell(`round ${round}, ${name} failed:\n${problem}`);
      }),
    );
    tell(`round ${round}: ${JSON.stringify([...passed])}`);
  }
  const rows = Object.keys(commands).map((name): Row => {
    const count = passed.get(name) ?? 0;
    return { ...figure(name, count, "right"), runs: rounds, note: `of ${rounds} runs` };
  });
  const verdicts = rows.map(({ name, p50 = 0 }) => ({
    target: `${name} passes ${rounds} of ${rounds} times`,
    figure: `${p50} of ${rounds}`,
    state: p50 === rounds ? ("met" as const) : ("MISSED" as const),
  }));
  return [{ title: "Flakes under two test runners", rows, verdicts }];
};

/** What a run that failed has printed. */
function run(args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    execFile(process.execPath, [...args], { cwd: root, env, timeout: 180_000 }, (error, stdout) =>
      resolve(error ? stdout.slice(-6_000) : undefined),
    );
  });
}
