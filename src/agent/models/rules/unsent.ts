import { foldText } from "../../../base/match-text.ts";
import type { SeenElement } from "../../eyes.ts";
import { Refusal } from "../../stop.ts";
import { resolve, type Purpose } from "./resolve.ts";
import type { Step } from "./step.ts";
import type { Target } from "./target.ts";
import { describe } from "./words.ts";

/**
 * The button that would send what the instruction entered last. A page's form that was filled in but not sent may count
 * for nothing, and an instruction that does not mention the button leaves open whether it is meant. The fields of an app
 * keep what was entered.
 */
export function findUnsent(steps: readonly Step[], elements: readonly SeenElement[]): SeenElement | undefined {
  const last = steps.findLast(({ do: what }) => what !== "wait" && what !== "scroll");
  const field = last && fieldOf(last);
  if (!field) return undefined;
  const found = resolve(elements, field.target, field.purpose);
  // A form ends with the button that sends it; what stands before the field belongs to something else.
  const from = found.kind === "found" ? elements.indexOf(found.element) + 1 : 0;
  return elements.slice(from).find((element) => isOfPage(element) && isSending(element));
}

export const unsent = (button: SeenElement): Refusal =>
  new Refusal(
    `Everything was entered, but not sent: the instruction does not mention ${describe(button)}. Whether the goal is ` +
      `reached is not known; add 'and press "${button.name}"' if that is meant.`,
  );

function fieldOf(step: Step): { readonly target: Target; readonly purpose: Purpose } | undefined {
  if (step.do === "type") return step.into && { target: step.into, purpose: "field" };
  if (step.do === "check") return { target: step.target, purpose: "switch" };
  if (step.do === "click") return step.selects ? { target: step.target, purpose: "click" } : undefined;
  return step.do === "choose" ? { target: step.from, purpose: "field" } : undefined;
}

const sending: ReadonlySet<string> = new Set(["submit", "send"].map((name) => foldText(name)));

const isOfPage = ({ uid }: SeenElement): boolean => uid.startsWith("d");

const isSending = ({ role, name, states }: SeenElement): boolean =>
  role === "button" && states.includes("showing") && states.includes("enabled") && sending.has(foldText(name));
