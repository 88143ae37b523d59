import type { UiNode } from "../base/node.ts";

/** A text that identifies an element among many similar ones. */
export interface Witness {
  readonly runtimeId: string;
  readonly name: string;
  /** It is written in the element, in a text that has no identity of its own. */
  readonly isInside?: true;
}

const rowRoles: ReadonlySet<string> = new Set(["row", "listitem", "treeitem"]);
// Enough to distinguish two rows; each is read again before the element is used.
const mostWitnesses = 6;

/**
 * The texts of the row that an element is, or is in. Lists reuse the same few rows for whatever scrolls into view, so
 * a row is the same only while it shows the same texts. Empty for elements outside rows: a button that changes its
 * name stays the same button.
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
    // The name of an element with children may be computed from them, and is then missing when it is read alone.
    if (children.length === 0 && each.name !== "") found.push(witnessOf(each));
    for (const child of children) visit(child);
  };
  if (row) visit(row);
  return found;
}

/** Text without an element of its own cannot be read again; what it is written in can. */
const witnessOf = ({ runtimeId, parent, name, isBare }: UiNode): Witness =>
  isBare && parent !== undefined ? { runtimeId: parent, name, isInside: true } : { runtimeId, name };

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
