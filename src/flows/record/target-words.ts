import type { UiNode } from "../../base/node.ts";
import { elementsNamed } from "../../surface/find-element.ts";
import { frontmost } from "../../surface/frontmost.ts";
import { readStepTarget, type StepTarget } from "../../tools/steps.ts";

/** Elements as they were when one of them was used. */
export interface Scene {
  readonly nodes: readonly UiNode[];
  readonly windowId: number | undefined;
}

/** What a person calls by its text alone. */
const spoken: ReadonlySet<string> = new Set([
  "button",
  "checkbox",
  "link",
  "listitem",
  "menuitem",
  "menu",
  "radio",
  "switch",
  "tab",
]);

// Longer texts are content, not names.
const longestName = 80;
const mostAlike = 50;

/**
 * How a step names this element: in the plainest words that mean it and nothing else. Undefined when no words do.
 */
export function targetWords(node: UiNode, scene: Scene): StepTarget | undefined {
  const { role, automationId: id } = node;
  const name = nameOf(node);
  const named = name === undefined ? [] : [...(spoken.has(role) ? [name] : []), { role, name }];
  const plain: readonly StepTarget[] = [...named, ...(id ? [{ role, id }] : []), { role }];
  const found = plain.find((target) => means(target, node, scene));
  if (found !== undefined) return found;
  const alike = name === undefined ? { role } : { role, name };
  for (let nth = 1; nth <= mostAlike; nth++) {
    if (means({ ...alike, nth }, node, scene)) return { ...alike, nth };
  }
  return undefined;
}

const nameOf = ({ name }: UiNode): string | undefined =>
  name.trim() === "" || name.length > longestName || /[\n\r]/.test(name) ? undefined : name.trim();

/** Whether the player would take exactly this element. */
function means(target: StepTarget, node: UiNode, { nodes, windowId }: Scene): boolean {
  const named = readStepTarget(target);
  if (named.form !== "element" || named.element.form === "element") return false;
  const [only, ...others] = frontmost(elementsNamed(nodes, named.element), nodes, windowId);
  return others.length === 0 && only?.runtimeId === node.runtimeId;
}
