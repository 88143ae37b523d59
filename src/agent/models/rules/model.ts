import { poll } from "../../../base/async.ts";
import type { AgentAction } from "../../action.ts";
import { noUsage } from "../../budget.ts";
import type { ModelSetup } from "../../choose-model.ts";
import type { Eyes, SeenElement } from "../../eyes.ts";
import type { Decision, KeepsText, Turn, VisionModel } from "../../model.ts";
import { redacted } from "../../../journal/redact.ts";
import { Refusal } from "../../stop.ts";
import { parseInstruction, type Clause, type Step } from "./parse.ts";
import { findPlainText, resolve, type Purpose } from "./resolve.ts";
import type { Target } from "./target.ts";

/** How far a run has come: the current clause, and whether a list has been opened for it. */
interface Memory {
  readonly clause: number;
  readonly opened: boolean;
  /** Steps that were carried out without a visible effect. */
  readonly unseen: readonly string[];
}

interface Move {
  readonly actions: readonly AgentAction[];
  readonly found: string;
  /** The clause needs another look before it is done. */
  readonly isHalf?: boolean;
}

// A menu or a dialog takes a moment to appear.
const patienceMs = 2_500;
// On a busy machine an app shows its window seconds before its elements can be read.
const startMs = 8_000;

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
  const { clause: index, opened, unseen } = whereAt(turn, clauses);
  const current = clauses[index];
  if (!current?.step) throw unproven(clauses.length, unseen);
  const move = await toMove(current.step, { eyes, opened, said: current.said, signal: turn.signal });
  const isLast = move.isHalf !== true && index === clauses.length - 1 && unseen.length === 0;
  const reason = (said: string, isClaim: boolean): string =>
    isClaim
      ? `All ${clauses.length} steps of the instruction were carried out. The last was ${said}.`
      : `${index + 1} of ${clauses.length}: ${said} → ${move.found}`;
  const isClaim = (at: number): boolean => isLast && at === move.actions.length - 1;
  const wordsOf = (goal: string, all: readonly Clause[], { said, step }: Clause) => ({
    prompt: { instruction: goal, understood: all.map(describeClause) },
    answer: { clause: index + 1, of: all.length, said, understood: step, found: move.found },
    reasons: move.actions.map((_action, at) => reason(said, isClaim(at))),
  });
  const { prompt, answer, reasons } = wordsOf(turn.goal, clauses, current);
  const memory: Memory = move.isHalf
    ? { clause: index, opened: true, unseen }
    : { clause: index + 1, opened: false, unseen };
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
    conceal(keeps) {
      const all = concealClauses(clauses, keeps);
      return wordsOf(concealGoal(turn.goal, keeps), all, all[index] ?? current);
    },
  };
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

function whereAt({ history }: Turn, clauses: readonly Clause[]): Memory {
  const last = history.at(-1);
  if (!last) return { clause: 0, opened: false, unseen: [] };
  const lines = last.outcome.split("\n");
  const failed = lines.find((line) => line.includes(": failed, "));
  if (failed !== undefined) throw new Refusal(`The step could not be carried out. ${failed}`);
  if (/^type: no_change/m.test(last.outcome)) throw new Refusal("The typed text arrived nowhere: nothing changed.");
  const memory = last.memory as Memory;
  const done = clauses[memory.clause - 1];
  if (memory.opened || !done || isSeen(last.outcome)) return memory;
  return { ...memory, unseen: [...memory.unseen, describeClause(done)] };
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

interface Means {
  readonly eyes: Eyes;
  readonly opened: boolean;
  readonly said: string;
  readonly signal: AbortSignal;
}

async function toMove(step: Step, means: Means): Promise<Move> {
  switch (step.do) {
    case "click":
      return clickOn(step.target, means, { count: step.count, button: step.button });
    case "press":
      return pressOrClick(step, means);
    case "type": {
      const { text, into, replaces } = step;
      if (!into) return { actions: [{ action: "type", text }], found: "where the keyboard is" };
      const { ref, found, element } = await find(into, "field", means);
      if (isSet(element)) return { actions: [{ action: "type", ref, text, replace: true }], found };
      if (replaces && element.value === text) {
        return { actions: [{ action: "noop", target: element.name }], found: `${found} already has it` };
      }
      if (!replaces) return { actions: [{ action: "type", ref, text }], found };
      return { actions: [{ action: "click", ref }, selectAll, { action: "type", text }], found };
    }
    case "clear": {
      const { ref, found } = await find(step.into, "field", means);
      return { actions: [{ action: "click", ref }, selectAll, { action: "key", key: "delete" }], found };
    }
    case "check": {
      const { ref, found, element } = await find(step.target, "switch", means);
      const isOn = element.states.includes("checked") || element.states.includes("pressed");
      if (isOn !== step.on) return { actions: [{ action: "click", ref }], found };
      return {
        actions: [{ action: "noop", target: element.name }],
        found: `${found} is already ${isOn ? "on" : "off"}`,
      };
    }
    case "choose":
      return choose(step, means);
    case "drag":
      return dragOnto(step, means);
    case "wait":
      if (step.text === "") return { actions: [{ action: "wait", ms: step.ms ?? 1_000 }], found: "a pause" };
      return { actions: [{ action: "wait", target: step.text }], found: `until "${step.text}" is visible` };
    case "scroll":
      return { actions: [{ action: "scroll", direction: step.direction, amount: step.amount }], found: step.direction };
  }
}

const dates = new Set(["date", "time", "month", "week", "datetime-local", "color"]);

/** Elements with a value but no text: keys would move it, or fill in its parts one by one. */
const isSet = ({ role, native_role: native = "" }: SeenElement): boolean => role === "slider" || dates.has(native);

async function dragOnto({ target, onto }: Extract<Step, { do: "drag" }>, means: Means): Promise<Move> {
  const ends = [await find(target, "drag", means, true), await find(onto, "drop", means, true)] as const;
  const found = ends.map((end) => end.found).join(" onto ");
  if (ends.some(({ ref }) => ref === undefined)) {
    return { actions: [{ action: "drag", target: target.name, to_target: onto.name }], found };
  }
  // Find both ends in one look: refs from an older one have expired.
  const elements = await means.eyes.elements();
  const [what, place] = [one(elements, target, "drag"), one(elements, onto, "drop")];
  return { actions: [{ action: "drag", ref: what.uid, to_ref: place.uid }], found };
}

const selectAll: AgentAction = { action: "key", key: "ctrl+a" };

type ClickStyle = { readonly count: number; readonly button: "left" | "right" };

async function clickOn(target: Target, means: Means, { count, button }: ClickStyle): Promise<Move> {
  const how = { ...(count > 1 ? { count } : {}), ...(button === "left" ? {} : { button }) };
  const { ref, found } = await find(target, "click", means, true);
  return { actions: [{ action: "click", ...(ref === undefined ? { target: target.name } : { ref }), ...how }], found };
}

const named = /^(?:enter|return|escape|esc|tab|up|down|left|right|page ?up|page ?down|f\d+|backspace|.*\+.+)$/i;

/** A key, if the keyboard has one with that name and nothing on the screen with that name can be clicked. */
async function pressOrClick(step: Extract<Step, { do: "press" }>, means: Means): Promise<Move> {
  const asKey: Move = { actions: [{ action: "key", key: step.key }], found: `the key ${step.key}` };
  if (step.isKey || (named.test(step.word) && step.word.length > 1)) return asKey;
  const elements = await means.eyes.elements();
  const seen = resolve(elements, step.target, "click");
  if (seen.kind === "missing") return asKey;
  if (seen.kind === "ambiguous") throw ambiguous(step.target, seen.candidates);
  if (step.word.length === 1)
    return { actions: [{ action: "click", ref: seen.element.uid }], found: describe(seen.element) };
  throw new Refusal(
    `"${means.said}" may mean the key ${step.word} or ${describe(seen.element)}. Say "key" or "button".`,
    [`the ${step.word} key`, `the ${step.word} button`],
  );
}

/** Opens the list, looks again, and picks the entry. */
async function choose({ option, from }: Extract<Step, { do: "choose" }>, means: Means): Promise<Move> {
  const elements = await means.eyes.elements();
  const seen = resolve(elements, option, "option");
  if (seen.kind === "found" && (means.opened || isShown(seen.element))) {
    return { actions: [{ action: "click", ref: seen.element.uid }], found: describe(seen.element) };
  }
  if (means.opened) {
    // In toolkits whose lists expose no entries, the entry is typed.
    return {
      actions: [
        { action: "type", text: option.name },
        { action: "key", key: "enter" },
      ],
      found: "by its first letters",
    };
  }
  const list = resolve(elements, { ...from, role: undefined }, "field");
  if (list.kind === "ambiguous") throw ambiguous(from, list.candidates);
  if (list.kind === "missing") throw missing(from, list.near);
  return { actions: [{ action: "click", ref: list.element.uid }], found: describe(list.element), isHalf: true };
}

const isShown = ({ states }: SeenElement): boolean => states.includes("showing");

interface Found {
  readonly ref: string | undefined;
  readonly found: string;
  readonly element: SeenElement;
}

async function find(target: Target, purpose: Purpose, means: Means): Promise<Found & { readonly ref: string }>;
async function find(target: Target, purpose: Purpose, means: Means, mayRead: true): Promise<Found>;
async function find(target: Target, purpose: Purpose, { eyes, signal }: Means, mayRead = false): Promise<Found> {
  let near: readonly string[] = [];
  let isBlank = true;
  let onlyText: SeenElement | undefined;
  const look = async (): Promise<Found | undefined> => {
    const elements = await eyes.elements();
    isBlank = elements.length === 0;
    const seen = resolve(elements, target, purpose);
    if (seen.kind === "ambiguous") throw ambiguous(target, seen.candidates);
    if (seen.kind === "found") return { ref: seen.element.uid, found: describe(seen.element), element: seen.element };
    ({ near } = seen);
    onlyText = purpose === "click" ? findPlainText(elements, target) : undefined;
    return mayRead && !onlyText ? read(target, eyes) : undefined;
  };
  const within = (timeoutMs: number) => poll(look, { timeoutMs, everyMs: 200, signal });
  const found = (await within(patienceMs)) ?? (isBlank ? await within(startMs) : undefined);
  if (!found && onlyText) {
    throw new Refusal(`${describe(onlyText)} is only a text: nothing says that it can be clicked.`, near);
  }
  if (!found) throw missing(target, near);
  const { element } = found;
  if (
    element.states.includes("showing") &&
    !element.states.includes("enabled") &&
    !["field", "drop"].includes(purpose)
  ) {
    throw new Refusal(`${found.found} is there but cannot be used now: it is disabled.`);
  }
  return found;
}

function one(elements: readonly SeenElement[], target: Target, purpose: Purpose): SeenElement {
  const seen = resolve(elements, target, purpose);
  if (seen.kind === "ambiguous") throw ambiguous(target, seen.candidates);
  if (seen.kind === "missing") throw missing(target, seen.near);
  return seen.element;
}

/** Text that no element has, found in the picture. */
async function read({ name }: Target, eyes: Eyes): Promise<Found | undefined> {
  if (name === "") return undefined;
  const texts = (await eyes.textsLike(name)).filter(({ source, text }) => source === "ocr" && isSame(text, name));
  const [only, ...others] = texts;
  if (!only) return undefined;
  if (others.length > 0) {
    const places = texts.map(({ text, x, y }) => `"${text}" at ${x},${y}`);
    throw new Refusal(`"${name}" was read in ${texts.length} places; say which.`, places);
  }
  const element = { uid: "", role: "text", name: only.text, states: ["showing", "enabled"], actions: [], depth: 0 };
  return { ref: undefined, found: `the text "${only.text}", read from the picture`, element };
}

const isSame = (read: string, wanted: string): boolean => read.trim().toLowerCase() === wanted.trim().toLowerCase();

function ambiguous({ name, role }: Target, candidates: readonly SeenElement[]): Refusal {
  const what = [role, name === "" ? undefined : `"${name}"`].filter((part) => part !== undefined).join(" ");
  return new Refusal(
    `${candidates.length} things match ${what}. Say which: "the second …", "… in <the name of its row or group>".`,
    candidates.slice(0, 10).map(describe),
  );
}

function missing({ name, role }: Target, near: readonly string[]): Refusal {
  return new Refusal(name === "" ? `No ${role ?? "thing"} is visible.` : `"${name}" is not visible.`, near);
}

function describe({ role, name, bounds }: SeenElement): string {
  return `${role}${name === "" ? "" : ` "${name.slice(0, 80)}"`}${bounds ? ` at ${bounds.x},${bounds.y}` : ""}`;
}

function describeClause({ said, step }: Clause): string {
  if (!step) return `? ${said}`;
  return describeStep(step);
}

function describeStep(step: Step): string {
  switch (step.do) {
    case "click": {
      const how = step.button === "right" ? "right-click" : step.count > 1 ? `click ${step.count} times` : "click";
      return `${how} ${phrase(step.target)}`;
    }
    case "press":
      return step.isKey ? `press the key ${step.key}` : `press ${step.word}`;
    case "type":
      return `${step.replaces ? "fill in" : "type"} ${JSON.stringify(step.text)}${step.into ? ` into ${phrase(step.into)}` : ""}`;
    case "clear":
      return `clear ${phrase(step.into)}`;
    case "check":
      return `turn ${step.on ? "on" : "off"} ${phrase(step.target)}`;
    case "choose":
      return `choose ${phrase(step.option)} from ${phrase(step.from)}`;
    case "drag":
      return `drag ${phrase(step.target)} onto ${phrase(step.onto)}`;
    case "wait":
      return step.text === "" ? `wait ${step.ms ?? 0} ms` : `wait for "${step.text}"`;
    case "scroll":
      return `scroll ${step.direction}`;
  }
}

/** The clauses without the texts they say to type. */
function concealClauses(clauses: readonly Clause[], keeps: KeepsText): readonly Clause[] {
  const saysSecret = ({ step }: Clause): boolean => step?.do === "type" && !keeps(step.text);
  const secret = new Set(clauses.filter(saysSecret).map(({ said }) => said));
  return clauses.map((clause) => {
    const { step } = clause;
    if (!step || !secret.has(clause.said)) return clause;
    const shown: Step = step.do === "type" && !keeps(step.text) ? { ...step, text: redacted } : step;
    return { ...clause, said: describeStep(shown), step: shown };
  });
}

/** As it was said, unless there is something to conceal. */
function concealGoal(goal: string, keeps: KeepsText): string {
  const clauses = parseInstruction(goal);
  const concealed = concealClauses(clauses, keeps);
  if (concealed.every((clause, index) => clause === clauses[index])) return goal;
  return [...new Set(concealed.map(({ said }) => said))].join(", then ");
}

function phrase({ name, role, ordinal, within }: Target): string {
  const which = ordinal === undefined ? "" : ordinal < 0 ? "last " : `number ${ordinal} `;
  const what = [which.trim(), role, name === "" ? "" : `"${name}"`]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
  return within === undefined ? what : `${what} in "${within}"`;
}
