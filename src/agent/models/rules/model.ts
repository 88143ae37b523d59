import { noUsage } from "../../budget.ts";
import type { ModelSetup } from "../../choose-model.ts";
import type { Eyes } from "../../eyes.ts";
import type { Decision, Turn, VisionModel } from "../../model.ts";
import { Refusal } from "../../stop.ts";
import { concealClauses, concealGoal } from "./conceal.ts";
import { toMove, type Move } from "./move.ts";
import { parseInstruction, type Clause } from "./parse.ts";
import type { Means } from "./find.ts";
import { leavesState, prove, scaleOf } from "./proof.ts";
import type { Steered } from "./steer.ts";
import type { Step } from "./step.ts";
import { findUnsent, unsent } from "./unsent.ts";
import { describeClause } from "./words.ts";

/** How far a run has come: the current clause, and whether it has been begun. */
interface Memory {
  readonly clause: number;
  readonly opened: boolean;
  /** Steps that were carried out without a visible effect. */
  readonly unseen: readonly string[];
  readonly steered?: Steered | undefined;
  /** The clauses of the last move, if it has ended them. */
  readonly ended?: { readonly from: number; readonly to: number } | undefined;
}

/**
 * Not a real model: it follows plain instructions, step by step, using the elements and the picture. It reports what
 * it has understood before it acts, and never guesses: it refuses what is ambiguous or open-ended.
 */
export function openRules({ eyes }: Pick<ModelSetup, "eyes">): VisionModel {
  return {
    name: "rules",
    sees: false,
    limits: { maxSide: 1_568, maxPixels: 1_568 * 1_568 },
    next: (turn) => next(turn, eyes),
    plan: (goal) => understand(goal).map(describeClause),
    conceal: concealGoal,
  };
}

async function next(turn: Turn, eyes: Eyes): Promise<Decision> {
  const clauses = understand(turn.goal);
  const means = { eyes, signal: turn.signal };
  const { clause: index, opened, unseen, steered } = await whereAt(turn, clauses, means);
  const current = clauses[index];
  const isOver = current?.step === undefined;
  if (isOver && unseen.length > 0) throw unproven(clauses.length, unseen);
  const { said } = current ?? { said: "" };
  const rest = stepsOf(clauses).slice(index, index + groupSize(current?.step));
  const move: Move = current?.step
    ? await toMove(current.step, { ...means, opened, steered, said, rest })
    : { actions: [{ action: "done" }], found: "everything is done" };
  const upTo = index + (move.covers ?? 1);
  const button = upTo >= clauses.length ? findUnsent(stepsOf(clauses), await eyes.elements()) : undefined;
  if (isOver && button) throw unsent(button);
  // What leaves a state is looked at once more before anything is claimed.
  const waits =
    button !== undefined ||
    (current?.step !== undefined && move.actions.some(({ action }) => action !== "noop") && leavesState(current.step));
  const isLast = !waits && move.isHalf !== true && upTo >= clauses.length && unseen.length === 0;
  const reason = (words: string, isClaim: boolean): string =>
    isClaim
      ? `All ${clauses.length} steps of the instruction were carried out. The last was ${words}.`
      : `${index + 1} of ${clauses.length}: ${words} → ${move.found}`;
  const isClaim = (at: number): boolean => isLast && at === move.actions.length - 1;
  const wordsOf = (goal: string, all: readonly Clause[]) => {
    const { said: words = "", step } = all[index] ?? all.at(-1) ?? {};
    return {
      prompt: { instruction: goal, understood: all.map(describeClause) },
      answer: isOver
        ? { of: all.length, found: move.found }
        : { clause: index + 1, of: all.length, said: words, understood: step, found: move.found },
      reasons: move.actions.map((_action, at) => reason(words, isClaim(at))),
    };
  };
  const { prompt, answer, reasons } = wordsOf(turn.goal, clauses);
  const memory: Memory = move.isHalf
    ? { clause: index, opened: true, unseen, steered: move.steered }
    : { clause: upTo, opened: false, unseen, ended: { from: index, to: upTo } };
  return {
    actions: move.actions.map((action, at) => ({
      ...action,
      why: reasons[at],
      confidence: 1,
      ...(isClaim(at) ? { done: true } : {}),
    })),
    usage: noUsage,
    memory,
    prompt,
    answer,
    mustConfirm: [],
    needsEffect: true,
    conceal: (keeps) => wordsOf(concealGoal(turn.goal, keeps), concealClauses(clauses, keeps)),
  };
}

const stepsOf = (clauses: readonly Clause[]): readonly Step[] => clauses.flatMap(({ step }) => (step ? [step] : []));

/** How many steps of one list begin here; only the first one counts them. */
function groupSize(step: Step | undefined): number {
  const among = step?.do === "click" || step?.do === "check" ? step.among : undefined;
  return among?.index === 0 ? among.count : 1;
}

/** Nothing is done before everything is understood: half an instruction may be worse than none. */
function understand(goal: string): readonly Clause[] {
  const clauses = parseInstruction(goal);
  if (clauses.length === 0) throw new Refusal("The instruction contains nothing to do.");
  const unclear = clauses.filter(({ step }) => step === undefined);
  if (unclear.length === 0) return clauses;
  const reasons = unclear.map(({ said, problem }) => `"${said}": ${problem ?? "not understood"}`);
  throw new Refusal(
    `The rules follow plain steps and plan nothing by themselves. Not understood: ${reasons.join("; ")}. ` +
      "Say it as steps, or choose a model (--model) that can plan.",
    clauses.map(describeClause),
  );
}

async function whereAt({ history }: Turn, clauses: readonly Clause[], means: Means): Promise<Memory> {
  const last = history.at(-1);
  if (!last) return { clause: 0, opened: false, unseen: [] };
  const memory = last.memory as Memory;
  const { from = memory.clause, to = memory.clause } = memory.ended ?? {};
  const steps = stepsOf(clauses);
  const lines = last.outcome.split("\n");
  const failed = lines.find((line) => line.includes(": failed, "));
  const [now] = steps.slice(from, from + 1);
  // A value on a scale is moved with keys until it is right.
  if (now?.do === "type" && now.into) {
    // Between keys it would only lose time: what comes late is seen at the next look.
    const field = await scaleOf(now, means, memory.opened ? 0 : undefined);
    if (field === false) return { ...memory, clause: from, opened: true, ended: undefined };
    if (field === true && failed === undefined) return { clause: from + 1, opened: false, unseen: memory.unseen };
  }
  if (failed !== undefined) throw new Refusal(`The step could not be carried out. ${failed}`);
  if (/^type: no_change/m.test(last.outcome)) throw new Refusal("The typed text arrived nowhere: nothing changed.");
  if (memory.opened || to === from) return memory;
  const proof = to - from > 1 ? undefined : await prove(steps.slice(startOf(steps, from), to), means);
  if (proof === true || isSeen(last.outcome)) return memory;
  return { ...memory, unseen: [...memory.unseen, ...clauses.slice(from, to).map(describeClause)] };
}

/** Where the list begins that this step belongs to. */
function startOf(steps: readonly Step[], at: number): number {
  const step = steps[at];
  const among = step?.do === "click" || step?.do === "check" ? step.among : undefined;
  return at - (among?.index ?? 0);
}

/** The last action of a step is the one that counts: those before it only prepare it. */
const isSeen = (outcome: string): boolean =>
  outcome.split("\n").some((line, index, all) => index === all.length - 1 && provenLine.test(line));
const provenLine = /^(?:wait: |[a-z_]+: (?:confirmed|nothing was sent))/;

function unproven(count: number, unseen: readonly string[]): Refusal {
  if (unseen.length === 0) return new Refusal("There is nothing left to do.");
  const steps = count === 1 ? "The step was" : `All ${count} steps were`;
  return new Refusal(
    `${steps} carried out, but without a visible effect of: ${unseen.join("; ")}. Whether the goal is reached is not known.`,
  );
}
