import type { UiNode } from "../base/node.ts";

/** A text that shows which of many like it an element is. */
export interface Witness {
  readonly runtimeId: string;
  readonly name: string;
}

const rowRoles: ReadonlySet<string> = new Set(["row", "listitem", "treeitem"]);
// Enough to tell two rows apart; each is read again before the element is used.
const mostWitnesses = 6;

/**
 * The texts of the row an element is, or is in. Lists use the same few rows for whatever scrolls into view, so a row is
 * the same only while it shows the same. Nothing for elements outside of rows: a button that renames itself stays one.
 */
export function witnesses(node: UiNode, tree: readonly UiNode[]): readonly Witness[] {
  const index = indexOf(tree);
  const chain = [node];
  for (let parent = node.parent; parent !== undefined && chain.length < 64;) {
    const next = index.byId.get(parent);
    if (!next) break;
    chain.push(next);
    parent = next.parent;
  }
  const row = chain.find(({ role }) => rowRoles.has(role)) ?? chain.find(({ role }) => role === "cell");
  const found: Witness[] = [];
  const visit = (each: UiNode): void => {
    if (found.length >= mostWitnesses) return;
    const children = index.children.get(each.runtimeId) ?? [];
    // The name of something with content may be put together from it, and is not told when it is read alone.
    if (children.length === 0 && each.name !== "") found.push({ runtimeId: each.runtimeId, name: each.name });
    for (const child of children) visit(child);
  };
  if (row) visit(row);
  return found;
}

export function isSame(a: readonly Witness[], b: readonly Witness[]): boolean {
  return (
    a.length === b.length && a.every(({ runtimeId, name }, at) => runtimeId === b[at]?.runtimeId && name === b[at].name)
  );
}

interface Index {
  readonly byId: ReadonlyMap<string, UiNode>;
  readonly children: ReadonlyMap<string, readonly UiNode[]>;
}

const indexes = new WeakMap<readonly UiNode[], Index>();

function indexOf(tree: readonly UiNode[]): Index {
  const known = indexes.get(tree);
  if (known) return known;
  const children = new Map<string, UiNode[]>();
  for (const node of tree) {
    if (node.parent === undefined) continue;
    const siblings = children.get(node.parent);
    if (siblings) siblings.push(node);
    else children.set(node.parent, [node]);
  }
  const made = { byId: new Map(tree.map((node) => [node.runtimeId, node])), children };
  indexes.set(tree, made);
  return made;
}
