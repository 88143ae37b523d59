import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import type { Where } from "../../src/agent/workplace.ts";
import type { Session } from "../../src/tools/session.ts";
import { call, openAgentDesk } from "../support/agent.ts";
import { servePages, type PageServer } from "../support/browser.ts";
import { follow, noScore, readInstructions, type Score } from "../support/instructions.ts";

let pages: PageServer;

beforeAll(async () => {
  pages = await servePages();
});
afterAll(async () => {
  await pages?.[Symbol.asyncDispose]();
});

const fixture = (name: string): readonly [string, readonly string[]] => [
  "/usr/bin/python3",
  [fileURLToPath(new URL(`../fixtures/${name}.py`, import.meta.url))],
];
const form = ["--form", "--title=Address", "--field=Name", "--field=City", "--field=Email", "--field=Subscribe:CHK"];

/** How each app is started. */
const programs: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  galculator: ["galculator", []],
  mousepad: ["mousepad", ["--disable-server"]],
  "gnome-calculator": ["gnome-calculator", []],
  gucharmap: ["gucharmap", []],
  yad: ["yad", [...form, "--button=Cancel:1", "--button=Save:0"]],
  login: fixture("gtk3_login"),
  controls: fixture("gtk3_controls"),
};

async function start(
  session: Session,
  app: string,
): Promise<{ readonly where: Where; readonly stop: () => Promise<void> }> {
  if (app === "page") {
    const { pages: open } = (await call(session, "cdp_launch", {
      url: `${pages.own}/controls.html`,
      headless: true,
    })) as {
      pages: { surface: string; selected: boolean }[];
    };
    const { surface } = open.find(({ selected }) => selected) ?? { surface: "page:1" };
    return { where: { surface }, stop: async () => {} };
  }
  const [app_name, args] = programs[app] ?? [app, []];
  const { pid } = (await call(session, "launch_app", { app_name, args, timeout_ms: 0 })) as { pid: number };
  await call(session, "wait_for", { pid, timeout_ms: 30_000 });
  // An app joins the accessibility bus after it has shown its window.
  await poll(() => call(session, "take_ax_snapshot", { pid }).catch(() => undefined), {
    timeoutMs: 30_000,
    everyMs: 100,
  });
  await call(session, "wait_for", { condition: "stable", pid, timeout_ms: 30_000 });
  return {
    where: { pid },
    stop: async () => void (await call(session, "quit_app", { pid, force: true }).catch(() => {})),
  };
}

const only = process.env["HANDSIGHT_TEST_APP"];

async function evaluate(half: "tuning" | "held-out"): Promise<Score> {
  const total = noScore();
  await using desk = await openAgentDesk();
  const session = await desk.open({ settleMs: "300" });
  for (const { app, instructions } of readInstructions(half)) {
    if (only !== undefined && only !== app) continue;
    const score = noScore();
    const { where, stop } = await start(session, app);
    try {
      for (const instruction of instructions) await follow(session, where, instruction, score);
    } finally {
      await stop();
    }
    console.log(
      `${half} ${app}: ${score.right} of ${score.clauses} clauses, ${score.outcomesRight} of ${score.outcomes} outcomes`,
    );
    for (const line of score.wrong) console.log(`  ${line}`);
    total.clauses += score.clauses;
    total.right += score.right;
    total.outcomes += score.outcomes;
    total.outcomesRight += score.outcomesRight;
  }
  const share = ((100 * total.right) / total.clauses).toFixed(1);
  console.log(
    `${half}: ${total.right} of ${total.clauses} clauses (${share} %), ${total.outcomesRight} of ${total.outcomes} outcomes`,
  );
  return total;
}

// They spend most of the time waiting for apps, each on its own desktop.
test.concurrent("the rules follow the instructions they were tuned on", { timeout: 400_000 }, async ({ expect }) => {
  const { right, clauses } = await evaluate("tuning");
  expect(right / clauses).toBeGreaterThan(0.95);
});

test.concurrent("the rules follow instructions they were not tuned on", { timeout: 400_000 }, async ({ expect }) => {
  const { right, clauses } = await evaluate("held-out");
  expect(right / clauses).toBeGreaterThan(0.9);
});
