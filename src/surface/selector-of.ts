import type { UiNode } from "../base/node.ts";
import { elementsNamed } from "./find-element.ts";
import { frontmost } from "./frontmost.ts";
import { parseSelector, quoteInSelector, selectNodes } from "./selector.ts";

/**
 * A selector that finds this element among these and no other, as short as a person would write it; undefined when there
 * is none. `windowId` is the window that a caller will look in.
 */
export function selectorOf(
  element: UiNode,
  nodes: readonly UiNode[],
  windowId: number | undefined,
): string | undefined {
  const finds = (selector: string): boolean => {
    const [first, ...others] = frontmost(elementsNamed(nodes, { form: "selector", selector }), nodes, windowId);
    return first?.runtimeId === element.runtimeId && others.length === 0;
  };
  for (const selector of candidates(element, nodes)) if (finds(selector)) return selector;
  return undefined;
}

function* candidates(element: UiNode, nodes: readonly UiNode[]): Generator<string> {
  const own = stepOf(element);
  const ancestors = ancestorsOf(element, nodes);
  if (element.name !== "") yield own;
  if (element.automationId) yield `#${quoteInSelector(element.automationId)}`;
  const around = [
    ...ancestors.filter(isLandmark).map(stepOf),
    ...ancestors.filter(({ role }) => rows.has(role)).flatMap((row) => rowSteps(row, element, nodes)),
  ];
  for (const outer of around) yield `${outer} > ${own}`;
  for (const outer of [...around, undefined]) {
    const plain = outer === undefined ? own : `${outer} > ${own}`;
    const position = selectNodes(nodes, parseSelector(plain)).findIndex(
      ({ runtimeId }) => runtimeId === element.runtimeId,
    );
    if (position >= 0) yield `${plain}[${position + 1}]`;
  }
}

function ancestorsOf(element: UiNode, nodes: readonly UiNode[]): readonly UiNode[] {
  const byId = new Map(nodes.map((node) => [node.runtimeId, node]));
  const ancestors: UiNode[] = [];
  for (let { parent } = element; parent !== undefined;) {
    const node = byId.get(parent);
    if (!node || ancestors.includes(node)) break;
    ancestors.push(node);
    ({ parent } = node);
  }
  return ancestors;
}

/** A window is titled after its document, which will be another one next time. */
const isLandmark = ({ role, name }: UiNode): boolean => name !== "" && role !== "window" && role !== "application";

const rows: ReadonlySet<string> = new Set(["row", "listitem", "treeitem"]);
// The first cells of a row say which it is.
const mostTexts = 3;

/** A row by a text in it: `Row:has("Ann")`. */
function rowSteps(row: UiNode, element: UiNode, nodes: readonly UiNode[]): readonly string[] {
  const inside = new Set([row.runtimeId]);
  const texts = nodes.flatMap((node) => {
    if (node.parent === undefined || !inside.has(node.parent)) return [];
    inside.add(node.runtimeId);
    return node.name !== "" && node.name !== element.name && node.name.length <= longestName ? [node.name] : [];
  });
  return texts.slice(0, mostTexts).map((text) => `${roleOf(row)}:has(${quoteInSelector(text)})`);
}

// A longer text is a paragraph, which its beginning names as well.
const longestName = 60;

function stepOf({ role, name }: UiNode): string {
  const own = roleOf({ role });
  if (name === "") return own;
  if (name.length > longestName) return `${own}[name^=${quoteInSelector(name.slice(0, longestName))}]`;
  return `${own}:${/^\p{L}[\p{L}\p{N} ]*$/u.test(name) ? name : quoteInSelector(name)}`;
}

const roleOf = ({ role }: Pick<UiNode, "role">): string => role.charAt(0).toUpperCase() + role.slice(1);
