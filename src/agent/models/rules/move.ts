import type { AgentAction } from "../../action.ts";
import type { SeenElement } from "../../eyes.ts";
import { Refusal } from "../../stop.ts";
import { ambiguous, find, missing, one, type Means } from "./find.ts";
import { isOn, isScale, openOne } from "./proof.ts";
import { resolve } from "./resolve.ts";
import { steer, type Steered } from "./steer.ts";
import type { Step } from "./step.ts";
import type { Target } from "./target.ts";
import { describe } from "./words.ts";

/** What to do now for a step. */
export interface Move {
  readonly actions: readonly AgentAction[];
  readonly found: string;
  /** The step needs another look before it is done. */
  readonly isHalf?: boolean;
  /** It does this many clauses at once; one unless told. */
  readonly covers?: number;
  readonly steered?: Steered;
}

export interface Situation extends Means {
  /** The step has been begun: its list was opened, or its value was set. */
  readonly opened: boolean;
  readonly steered?: Steered | undefined;
  readonly said: string;
  /** The steps of the same clause, from this one on. */
  readonly rest: readonly Step[];
}

/** Looks for what the step names, and decides what to do with it. Refuses what is missing or ambiguous. */
export async function toMove(step: Step, means: Situation): Promise<Move> {
  switch (step.do) {
    case "click":
      await needOpen(step, means);
      return (await asOneName(step, means)) ?? clickOn(step, means);
    case "press":
      await needOpen(step, means);
      return pressOrClick(step, means);
    case "type": {
      const { text, into, replaces } = step;
      if (!into) return { actions: [{ action: "type", text }], found: "where the keyboard is" };
      const { ref, found, element } = await find(into, "field", means);
      if (means.opened) return { ...steer(element, text, means.steered), found, isHalf: true };
      if (isSet(element)) return { actions: [{ action: "type", ref, text, replace: true }], found };
      if (replaces && element.value === text) {
        return { actions: [{ action: "noop", target: element.name }], found: `${found} already has it` };
      }
      if (!replaces || element.value === "") return { actions: [{ action: "type", ref, text }], found };
      return { actions: [{ action: "click", ref }, selectAll, { action: "type", text }], found };
    }
    case "clear": {
      const { ref, found } = await find(step.into, "field", means);
      return { actions: [{ action: "click", ref }, selectAll, { action: "key", key: "delete" }], found };
    }
    case "check": {
      await needAll(means, "switch");
      const { ref, found, element } = await find(step.target, "switch", means);
      if (isOn(element) !== step.on) return { actions: [{ action: "click", ref }], found };
      return {
        actions: [{ action: "noop", target: element.name }],
        found: `${found} is already ${step.on ? "on" : "off"}`,
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
const isSet = (element: SeenElement): boolean => isScale(element) || dates.has(element.native_role ?? "");

async function dragOnto({ target, onto }: Extract<Step, { do: "drag" }>, means: Situation): Promise<Move> {
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

type ClickStep = Extract<Step, { do: "click" }>;

async function clickOn({ target, count, button, selects, among, leads }: ClickStep, means: Situation): Promise<Move> {
  const how = { ...(count > 1 ? { count } : {}), ...(button === "left" ? {} : { button }) };
  const { ref, found, element } = await find(target, "click", means, true);
  if (leads && isInPageMenu(element, await means.eyes.elements())) {
    throw new Refusal(
      `${found} is an entry of a page's menu itself: a click may choose it instead of opening what is below it.`,
    );
  }
  if (among) await needAll(means, "click");
  if (selects && element.role !== "menuitem" && isOn(element)) {
    return { actions: [{ action: "noop", target: element.name }], found: `${found} is already selected` };
  }
  return { actions: [{ action: "click", ...(ref === undefined ? { target: target.name } : { ref }), ...how }], found };
}

/** Menus of pages open under the pointer; those of apps, and what stands in a menu bar, open by a click. */
function isInPageMenu(element: SeenElement, elements: readonly SeenElement[]): boolean {
  const at = elements.findIndex(({ uid }) => uid === element.uid);
  if (element.role !== "menuitem" || at < 0) return false;
  const above: SeenElement[] = [];
  for (let index = at - 1, depth = element.depth; index >= 0 && depth > 0; index--) {
    const outer = elements[index];
    if (!outer || outer.depth >= depth) continue;
    ({ depth } = outer);
    above.push(outer);
  }
  const list = above.find(({ role }) => role === "menu" || role === "menubar");
  // The elements of an app are in its window; those of a page are in none.
  return list?.role !== "menubar" && !above.some(({ role }) => role === "window" || role === "application");
}

/** "Find and Replace" may be two things or the name of one; what is on the screen decides. */
async function asOneName({ among, ...step }: ClickStep, means: Situation): Promise<Move | undefined> {
  if (among?.index !== 0 || among.whole === undefined) return undefined;
  const target: Target = { ...step.target, name: among.whole, isQuoted: true };
  if (resolve(await means.eyes.elements(), target, "click").kind === "missing") return undefined;
  return { ...(await clickOn({ ...step, target }, means)), covers: among.count };
}

/** Half of a list may be worse than none: all must be there before the first is touched. */
async function needAll({ rest, eyes }: Situation, purpose: "click" | "switch"): Promise<void> {
  const others = rest.flatMap((step) => (step.do === "click" || step.do === "check" ? [step] : [])).slice(1);
  if (others.length === 0) return;
  const elements = await eyes.elements();
  for (const { target } of others) one(elements, target, purpose);
}

/** What is to be closed must be open. */
async function needOpen({ closes }: { readonly closes?: Target }, { eyes }: Situation): Promise<void> {
  if (closes && !openOne(closes, await eyes.elements())) throw missing(closes, []);
}

const named = /^(?:enter|return|escape|esc|tab|up|down|left|right|page ?up|page ?down|f\d+|backspace|.*\+.+)$/i;

/** A key, if the keyboard has one with that name and nothing on the screen with that name can be clicked. */
async function pressOrClick(step: Extract<Step, { do: "press" }>, means: Situation): Promise<Move> {
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
async function choose({ option, from }: Extract<Step, { do: "choose" }>, means: Situation): Promise<Move> {
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
  const list = resolve(elements, from.name === "" ? from : { ...from, role: undefined }, "field");
  if (list.kind === "ambiguous") throw ambiguous(from, list.candidates);
  if (list.kind === "missing") throw missing(from, list.near);
  return { actions: [{ action: "click", ref: list.element.uid }], found: describe(list.element), isHalf: true };
}

const isShown = ({ states }: SeenElement): boolean => states.includes("showing");
