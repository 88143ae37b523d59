import { readFileSync } from "node:fs";
import type { StepRecord } from "../../src/agent/record.ts";
import { runAgent } from "../../src/agent/run.ts";
import type { Where } from "../../src/agent/workplace.ts";
import type { Session } from "../../src/tools/session.ts";
import { call } from "./agent.ts";

/** The expected result of a clause, from the app's point of view. */
interface Expected {
  readonly do: "click" | "type" | "key" | "wait" | "scroll" | "check" | "uncheck" | "choose" | "clear";
  readonly name?: string;
  readonly role?: string;
  readonly label?: string;
  readonly into?: string;
  readonly text?: string;
  readonly key?: string;
  readonly direction?: string;
  readonly count?: number;
  readonly button?: string;
}

interface Instruction {
  readonly say: string;
  readonly steps?: readonly Expected[];
  readonly refuses?: string;
  /** What the app should show in the end. */
  readonly see?: string;
}

export interface AppInstructions {
  readonly app: string;
  readonly instructions: readonly Instruction[];
}

export function readInstructions(half: "tuning" | "held-out"): readonly AppInstructions[] {
  const file = new URL(`../fixtures/instructions/${half}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as AppInstructions[];
}

export interface Score {
  clauses: number;
  right: number;
  outcomes: number;
  outcomesRight: number;
  readonly wrong: string[];
}

export const noScore = (): Score => ({ clauses: 0, right: 0, outcomes: 0, outcomesRight: 0, wrong: [] });

/** Lets the rules follow one instruction in a real app, and compares each clause with the expected one. */
export async function follow(session: Session, where: Where, instruction: Instruction, score: Score): Promise<void> {
  const { say, steps = [], refuses, see } = instruction;
  const labels = await fieldsByLabel(session, where);
  const { verdict, history } = await runAgent(session, {
    goal: say,
    model: "rules",
    where,
    limits: { maxSeconds: 40 },
  });
  const note = (what: string) =>
    score.wrong.push(`${say} — ${what} [${verdict.status} ${verdict.reason ?? ""}: ${verdict.message}]`);
  if (refuses !== undefined) {
    score.clauses++;
    const isRefused = verdict.reason === "refused" && history.every(({ actions }) => actions.length === 0);
    if (isRefused) score.right++;
    else note(`should have been refused as ${refuses}`);
    return;
  }
  const clauses = byClause(history);
  for (const [index, expected] of steps.entries()) {
    score.clauses++;
    const problem = compare(expected, clauses[index], labels);
    if (problem === undefined) score.right++;
    else note(`step ${index + 1}: ${problem}`);
  }
  if (clauses.length > steps.length) note(`${clauses.length} steps instead of ${steps.length}`);
  if (see === undefined) return;
  score.outcomes++;
  const target = where.surface === undefined ? { pid: where.pid } : { surface: where.surface };
  const seen = await call(session, "wait_for", {
    condition: "element",
    selector: see,
    timeout_ms: 3_000,
    ...target,
  }).catch(() => undefined);
  if (seen) score.outcomesRight++;
  else note(`${see} was not to be seen`);
}

interface Answer {
  readonly clause: number;
  readonly found: string;
  readonly understood: { readonly do: string; readonly on?: boolean };
}

/** The last record of every clause: some need two looks. */
function byClause(history: readonly StepRecord[]): readonly StepRecord[] {
  const last = new Map<number, StepRecord>();
  for (const step of history) {
    const { clause } = (step.answer ?? {}) as Partial<Answer>;
    if (clause !== undefined) last.set(clause, step);
  }
  return [...last.values()];
}

function compare(
  expected: Expected,
  step: StepRecord | undefined,
  labels: ReadonlyMap<string, string>,
): string | undefined {
  if (!step) return "was not reached";
  const { found, understood } = step.answer as Answer;
  const failed = step.actions.find(({ error }) => error !== null)?.error;
  if (failed) return `failed: ${failed.message}`;
  const last = step.actions.at(-1)?.action ?? {};
  const isNamed = (name: string) => found.includes(`"${name}`) && new RegExp(`"${escape(name)}[:…. ]*"`).test(found);
  const isField = (field: string) =>
    field === "textbox"
      ? found.startsWith("textbox")
      : isNamed(field) || found.endsWith(` at ${labels.get(field.toLowerCase()) ?? "?"}`);
  const wrong = (what: string) => `${what} instead of ${JSON.stringify(expected)} (found ${found})`;
  switch (expected.do) {
    case "click": {
      if (last["action"] !== "click") return wrong(String(last["action"]));
      if (expected.name !== undefined && !isNamed(expected.name)) return wrong("another thing");
      if (expected.label !== undefined && !isField(expected.label)) return wrong("another field");
      if (expected.role !== undefined && !found.startsWith(expected.role) && !alike(expected.role, found))
        return wrong("another role");
      if ((last["count"] ?? 1) !== (expected.count ?? 1)) return wrong("another number of clicks");
      return (last["button"] ?? "left") === (expected.button ?? "left") ? undefined : wrong("another button");
    }
    case "type":
      if (last["action"] !== "type" || last["text"] !== expected.text) return wrong(JSON.stringify(last));
      return expected.into === undefined || isField(expected.into) ? undefined : wrong("another field");
    case "clear":
      return understood.do === "clear" && isField(expected.into ?? "") ? undefined : wrong(understood.do);
    case "key": {
      const { key } = last;
      return last["action"] === "key" && typeof key === "string" && key.toLowerCase() === expected.key
        ? undefined
        : wrong(JSON.stringify(last));
    }
    case "wait":
      return last["action"] === "wait" && last["target"] === expected.text ? undefined : wrong(JSON.stringify(last));
    case "scroll":
      return last["direction"] === expected.direction ? undefined : wrong(JSON.stringify(last));
    case "check":
    case "uncheck":
      if (understood.do !== "check" || understood.on !== (expected.do === "check")) return wrong(understood.do);
      return isNamed(expected.name ?? "") ? undefined : wrong("another thing");
    case "choose":
      return isNamed(expected.name ?? "") || found === "by its first letters" ? undefined : wrong("another thing");
  }
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** To a person a toggle is a button. */
const alike = (role: string, found: string): boolean => role === "button" && found.startsWith("togglebutton");

/** Where the field beside each label is, computed independently of the rules. */
async function fieldsByLabel(session: Session, where: Where): Promise<ReadonlyMap<string, string>> {
  const target = where.surface === undefined ? { pid: where.pid } : { surface: where.surface };
  const { elements } = (await call(session, "take_ax_snapshot", { ...target, format: "json", max_nodes: 500 })) as {
    elements: { role: string; name: string; bounds?: { x: number; y: number; width: number; height: number } }[];
  };
  const labels = new Map<string, string>();
  for (const { role, name, bounds } of elements) {
    if (role !== "text" || !bounds) continue;
    const middle = bounds.y + bounds.height / 2;
    const field = elements.find(
      (each) =>
        each.role === "textbox" &&
        each.bounds &&
        each.bounds.y <= middle &&
        middle <= each.bounds.y + each.bounds.height &&
        each.bounds.x > bounds.x,
    );
    if (field?.bounds) labels.set(name.toLowerCase(), `${field.bounds.x},${field.bounds.y}`);
  }
  return labels;
}
