import { sameRect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { Tree } from "../../platform/backend.ts";

/**
 * What turns one reading of a tree into the next. An element that has got another place among the others is both removed
 * and added.
 */
export interface TreeDelta {
  readonly removed: readonly UiNode[];
  /** In tree order. `after` is the element listed just before it; undefined for the first one. */
  readonly added: readonly { readonly node: UiNode; readonly after: string | undefined }[];
  /** It stays where it is in the list, and something that it says is different. */
  readonly changed: readonly { readonly node: UiNode; readonly before: UiNode }[];
  /** Nothing but where it is on the screen. */
  readonly moved: readonly UiNode[];
}

export const isEmptyDelta = ({ removed, added, changed, moved }: TreeDelta): boolean =>
  removed.length + added.length + changed.length + moved.length === 0;

/** How to get from one list to the other. Identifiers must be unique in each. */
export function diffTrees(before: readonly UiNode[], after: readonly UiNode[]): TreeDelta {
  const places = new Map(before.map((node, index) => [node.runtimeId, index]));
  const common = after.filter(({ runtimeId }) => places.has(runtimeId));
  const staying = longestRising(common.map(({ runtimeId }) => places.get(runtimeId) as number));
  const stays = new Set(staying.map((at) => common[at]?.runtimeId));
  const added: { node: UiNode; after: string | undefined }[] = [];
  const changed: { node: UiNode; before: UiNode }[] = [];
  const moved: UiNode[] = [];
  let last: string | undefined;
  for (const node of after) {
    const was = stays.has(node.runtimeId) ? before[places.get(node.runtimeId) as number] : undefined;
    if (!was) added.push({ node, after: last });
    else if (!saysTheSame(was, node)) changed.push({ node, before: was });
    else if (!isSamePlace(was, node)) moved.push(node);
    last = node.runtimeId;
  }
  return { removed: before.filter(({ runtimeId }) => !stays.has(runtimeId)), added, changed, moved };
}

export function applyDelta(nodes: readonly UiNode[], { removed, added, changed, moved }: TreeDelta): readonly UiNode[] {
  const gone = new Set(removed.map(({ runtimeId }) => runtimeId));
  const replaced = new Map([...changed.map(({ node }) => node), ...moved].map((node) => [node.runtimeId, node]));
  const followers = new Map(added.map(({ node, after }) => [after, node]));
  const result: UiNode[] = [];
  const addFollowers = (after: string | undefined): void => {
    for (let next = followers.get(after); next; next = followers.get(next.runtimeId)) result.push(next);
  };
  addFollowers(undefined);
  for (const node of nodes) {
    if (gone.has(node.runtimeId)) continue;
    result.push(replaced.get(node.runtimeId) ?? node);
    addFollowers(node.runtimeId);
  }
  return result;
}

/** Everything that a line about the element says, and where it hangs in the tree. */
export const saysTheSame = (a: UiNode, b: UiNode): boolean =>
  a === b ||
  (a.parent === b.parent &&
    a.role === b.role &&
    a.name === b.name &&
    a.value === b.value &&
    a.description === b.description &&
    a.states.length === b.states.length &&
    a.states.every((state) => b.states.includes(state)));

function isSamePlace(a: UiNode, b: UiNode): boolean {
  if (a.windowId !== b.windowId) return false;
  return a.bounds === b.bounds || (a.bounds !== undefined && b.bounds !== undefined && sameRect(a.bounds, b.bounds));
}

/** An element and everything below it. */
export function withDescendants(nodes: readonly UiNode[], roots: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { runtimeId, parent } of nodes) {
    if (roots.has(runtimeId) || (parent !== undefined && found.has(parent))) found.add(runtimeId);
  }
  return found;
}

/** The tree with everything below some elements replaced by what was read there; an empty reading means that it is gone. */
export function replaceBelow({ nodes, omitted }: Tree, parts: ReadonlyMap<string, Tree>): Tree {
  const old = withDescendants(nodes, new Set(parts.keys()));
  const fresh = new Set([...parts.values()].flatMap((part) => part.nodes.map(({ runtimeId }) => runtimeId)));
  const result: UiNode[] = [];
  for (const node of nodes) {
    const part = parts.get(node.runtimeId);
    if (part) result.push(...part.nodes.map((each, at) => (at === 0 ? { ...each, parent: node.parent } : each)));
    // What has been moved from one part of the tree to another is where it was read last.
    else if (!old.has(node.runtimeId) && !fresh.has(node.runtimeId)) result.push(node);
  }
  return {
    nodes: unique(result),
    omitted: [
      ...omitted.filter(({ parent }) => !old.has(parent)),
      ...[...parts.values()].flatMap((part) => part.omitted),
    ],
  };
}

function unique(nodes: readonly UiNode[]): readonly UiNode[] {
  const seen = new Set<string>();
  return nodes.filter(({ runtimeId }) => !seen.has(runtimeId) && seen.add(runtimeId));
}

/** Positions of a longest rising run of numbers, so that as few elements as possible count as moved. */
function longestRising(numbers: readonly number[]): readonly number[] {
  /** For each length, the position of the smallest number that ends a run of that length. */
  const ends: number[] = [];
  const before = new Int32Array(numbers.length).fill(-1);
  numbers.forEach((number, at) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] as number] as number) < number) low = middle + 1;
      else high = middle;
    }
    before[at] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = at;
  });
  const run: number[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) run.push(at);
  return run.toReversed();
}
