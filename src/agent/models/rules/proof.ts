import { poll } from "../../../base/async.ts";
import { foldText } from "../../../base/match-text.ts";
import type { SeenElement } from "../../eyes.ts";
import { Refusal } from "../../stop.ts";
import type { Means } from "./find.ts";
import { resolve, type Purpose } from "./resolve.ts";
import type { Step } from "./step.ts";
import type { Target } from "./target.ts";
import { describeStep } from "./words.ts";

// Some apps show a new state a moment after they have taken the click.
const lateMs = 1_500;

/**
 * Whether the elements show that the steps are done: undefined where they do not tell. Throws when they show the
 * opposite.
 */
export async function prove(steps: readonly Step[], { eyes, signal }: Means): Promise<boolean | undefined> {
  if (steps.every((step) => !leavesState(step))) return undefined;
  let wrong: Step | undefined;
  let last: boolean | undefined;
  const look = async (): Promise<true | undefined> => {
    const elements = await eyes.elements();
    const shown = steps.map((step) => holds(step, elements));
    // One of several is seen to be selected, so this app tells; then another that is not has been lost.
    const tells = steps.length > 1 && shown.includes(true);
    wrong = steps.find((_step, index) => shown[index] === false || (tells && shown[index] === undefined));
    last = shown.at(-1);
    return wrong ? undefined : true;
  };
  await poll(look, { timeoutMs: lateMs, everyMs: 150, signal });
  if (wrong) throw new Refusal(`It was carried out, but the result is not there: ${describeStep(wrong)}.`);
  return last;
}

/** Whether the elements may show afterwards that it was done. */
export const leavesState = (step: Step): boolean =>
  step.do === "check" ||
  step.do === "choose" ||
  (step.do === "type" && step.into !== undefined && isNumeric(step.text)) ||
  ((step.do === "click" || step.do === "press") && step.closes !== undefined) ||
  (step.do === "click" && step.selects === true);

export function holds(step: Step, elements: readonly SeenElement[]): boolean | undefined {
  switch (step.do) {
    case "check": {
      const box = one(elements, step.target, "switch");
      return box && boxes.has(box.role) ? isOn(box) === step.on : undefined;
    }
    case "click":
    case "press":
      if (step.closes) return openOne(step.closes, elements) === undefined;
      return step.do === "click" && step.selects ? isSelectedNow(one(elements, step.target, "click")) : undefined;
    case "choose":
      return isChosen(one(elements, step.from, "field"), one(elements, step.option, "option"), step.option.name);
    case "type": {
      const field = step.into && one(elements, step.into, "field");
      return field && isScale(field) ? isSameNumber(field.value, step.text) : undefined;
    }
    default:
      return undefined;
  }
}

const boxes: ReadonlySet<string> = new Set(["checkbox", "radio", "switch", "togglebutton"]);

export const isOn = ({ states }: SeenElement): boolean =>
  ["checked", "pressed", "selected"].some((state) => states.includes(state));

/** An app may not tell which of its rows is selected; boxes and the options of a page always do. */
function isSelectedNow(element: SeenElement | undefined): boolean | undefined {
  if (!element) return undefined;
  if (isOn(element)) return true;
  return boxes.has(element.role) || element.native_role === "option" ? false : undefined;
}

function isChosen(list: SeenElement | undefined, option: SeenElement | undefined, name: string): boolean | undefined {
  if (option && isOn(option)) return true;
  if (typeof list?.value !== "string" || list.value === "") return undefined;
  return foldText(list.value) === foldText(name);
}

/** Elements whose value is a number on a scale. */
export const isScale = ({ role }: SeenElement): boolean => role === "slider" || role === "spinbutton";

export function toNumber(text: string | number = ""): number {
  return typeof text === "number" ? text : Number.parseFloat(text.replace("−", "-").replace(",", "."));
}

const isNumeric = (text: string): boolean => /^[-+−]?\d+(?:[.,]\d+)?$/.test(text);

function isSameNumber(value: string | number | undefined, wanted: string): boolean | undefined {
  const [own, asked] = [toNumber(value), toNumber(wanted)];
  if (Number.isNaN(own) || Number.isNaN(asked)) return undefined;
  return Math.abs(own - asked) < 1e-6;
}

/** Whether a slider or the like has the value that the step gives it; undefined when the field is none. */
export async function scaleOf(
  step: Extract<Step, { do: "type" }>,
  { eyes, signal }: Means,
  timeoutMs = lateMs,
): Promise<boolean | undefined> {
  if (!step.into || !isNumeric(step.text)) return undefined;
  let shown: boolean | undefined;
  const look = async (): Promise<true | undefined> => {
    shown = holds(step, await eyes.elements());
    return shown === false ? undefined : true;
  };
  await poll(look, { timeoutMs, everyMs: 150, signal });
  return shown;
}

const shuttable: Readonly<Record<string, readonly string[]>> = {
  dialog: ["dialog", "alert"],
  window: ["window", "dialog"],
};

/** The open dialog or window that the target names; any if it has no name. */
export function openOne({ name, role = "dialog" }: Target, elements: readonly SeenElement[]): SeenElement | undefined {
  return elements.find(
    (each) => shuttable[role]?.includes(each.role) && (name === "" || foldText(each.name) === foldText(name)),
  );
}

function one(elements: readonly SeenElement[], target: Target, purpose: Purpose): SeenElement | undefined {
  const seen = resolve(elements, target, purpose);
  return seen.kind === "found" ? seen.element : undefined;
}
