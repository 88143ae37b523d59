import type { NodeState, UiNode } from "../base/node.ts";
import { meaningful, type Item } from "./meaning.ts";
import type { Snapshot, SnapshotNode } from "./snapshot.ts";

export interface OutlineOptions {
  readonly maxNodes: number;
  readonly maxChars: number;
  /** Show where each element is. */
  readonly bounds: boolean;
  /** The roots were asked for, so their children are shown as far as the budget goes. */
  readonly isExpanded?: boolean;
}

export interface Outline {
  readonly text: string;
  readonly shown: number;
  /** Elements left out for the budget. */
  readonly cut: number;
}

// A container shows this many children before it says "… more"; a list of thousands must not push out the rest.
const childrenPerParent = 40;
const longestText = 80;
const defaultStates: ReadonlySet<NodeState> = new Set([
  "enabled",
  "showing",
  "focusable",
  "selectable",
  "checkable",
  "expandable",
]);

/**
 * The tree as a model reads it well: one line per element, indented, only what matters. Groups that say nothing are
 * left out and their content moves up. What does not fit is named, with the ref to ask for it.
 */
export function outline(
  snapshot: Snapshot,
  options: OutlineOptions,
  roots: readonly SnapshotNode[] = snapshot.roots,
): Outline {
  const { items: visible, omitted } = meaningful(roots);
  const chosen = choose(visible, options);
  const lines: string[] = [];
  let chars = 0;
  let shown = 0;
  let full = false;
  const print = (line: string): boolean => {
    if (full) return false;
    chars += line.length + 1;
    if (chars > options.maxChars) full = true;
    else lines.push(line);
    return !full;
  };
  const visit = (item: Item, depth: number): void => {
    if (print(`${"  ".repeat(depth)}${describe(item.source, options.bounds)}`)) shown++;
    for (const child of item.children) if (chosen.has(child)) visit(child, depth + 1);
    const more =
      item.omitted + item.children.filter((child) => !chosen.has(child)).reduce((sum, child) => sum + weigh(child), 0);
    if (more > 0) print(`${"  ".repeat(depth + 1)}… ${more} more under ${item.source.ref}`);
  };
  for (const item of visible) if (chosen.has(item)) visit(item, 0);
  const all = visible.reduce((sum, item) => sum + weigh(item), omitted);
  if (full) lines.push(`… cut at ${options.maxChars} characters; ask for less with root, or raise max_tokens`);
  return { text: lines.join("\n"), shown, cut: all - shown };
}

const weigh = (item: Item): number => 1 + item.omitted + item.children.reduce((sum, child) => sum + weigh(child), 0);

/** Breadth first, so that a budget shows the whole at less depth rather than one corner in full. */
function choose(roots: readonly Item[], { maxNodes, isExpanded = false }: OutlineOptions): ReadonlySet<Item> {
  const chosen = new Set<Item>();
  let level: readonly Item[] = roots;
  let mostChildren = isExpanded ? maxNodes : childrenPerParent;
  while (level.length > 0 && chosen.size < maxNodes) {
    for (const item of level.slice(0, maxNodes - chosen.size)) chosen.add(item);
    level = level.filter((item) => chosen.has(item)).flatMap(({ children }) => children.slice(0, mostChildren));
    mostChildren = childrenPerParent;
  }
  return chosen;
}

function describe({ ref, node }: SnapshotNode, bounds: boolean): string {
  const states = node.states.filter((state) => !defaultStates.has(state));
  const parts = [
    node.role,
    node.name === "" ? idOf(node) : JSON.stringify(shorten(node.name)),
    ref,
    node.value === undefined || node.value === node.name
      ? undefined
      : `=${JSON.stringify(typeof node.value === "string" ? shorten(node.value) : node.value)}`,
    node.states.includes("enabled") || !node.states.includes("showing") ? undefined : "disabled",
    ...states,
    bounds && node.bounds ? `${node.bounds.x},${node.bounds.y} ${node.bounds.width}x${node.bounds.height}` : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

/** Where nothing is written on it, what the programmer called it says best what it is. */
const idOf = ({ automationId }: UiNode): string | undefined =>
  automationId === undefined || automationId === "" ? undefined : `#${shorten(automationId)}`;

// Words of ASCII with one space between them.
const isPlain = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/;

/** One line, whatever an app puts into a name: control characters would forge the structure of the outline. */
export function shorten(text: string): string {
  if (text.length <= longestText && isPlain.test(text)) return text;
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  const characters = Array.from(plain.slice(0, longestText * 4));
  return characters.length > longestText ? `${characters.slice(0, longestText - 1).join("")}…` : characters.join("");
}
