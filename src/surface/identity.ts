import type { UiNode } from "../base/node.ts";

/**
 * A name for an element that survives rereading the tree and restarting the app: its role, name, position in the
 * tree, and index among similar siblings. Window titles are left out of the path, because they name the document.
 */
export function stableIds(nodes: readonly UiNode[]): ReadonlyMap<string, string> {
  const byId = new Map(nodes.map((node) => [node.runtimeId, node]));
  const ordinals = countSiblings(nodes);
  const paths = new Map<string, string>();
  const pathOf = (node: UiNode): string => {
    const known = paths.get(node.runtimeId);
    if (known !== undefined) return known;
    const parent = node.parent === undefined ? undefined : byId.get(node.parent);
    const path = `${parent ? pathOf(parent) : ""}/${node.role}.${ordinals.get(node.runtimeId)?.ofRole ?? 0}`;
    paths.set(node.runtimeId, path);
    return path;
  };
  return new Map(
    nodes.map((node) => {
      const parent = node.parent === undefined ? undefined : byId.get(node.parent);
      const own = node.automationId
        ? `#${node.automationId}`
        : `${node.name}.${ordinals.get(node.runtimeId)?.ofName ?? 0}`;
      return [node.runtimeId, hash(`${parent ? pathOf(parent) : ""}|${node.role}|${own}`)];
    }),
  );
}

interface Ordinals {
  readonly ofRole: number;
  readonly ofName: number;
}

/** The index of each element among its siblings with the same role, and among those with the same role and name. */
function countSiblings(nodes: readonly UiNode[]): ReadonlyMap<string, Ordinals> {
  const counts = new Map<string, number>();
  const next = (key: string): number => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
  return new Map(
    nodes.map(({ runtimeId, parent = "", role, name }) => [
      runtimeId,
      { ofRole: next(`${parent}|${role}`), ofName: next(`${parent}|${role}|${name}`) },
    ]),
  );
}

/** FNV-1a over two 32-bit lanes; 12 characters of base 36. */
export function hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0xcbf29ce4;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code ^ (a >>> 7), 0x01000193);
  }
  return `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}`.slice(0, 12);
}
