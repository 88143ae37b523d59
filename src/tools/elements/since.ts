import type { UiNode } from "../../base/node.ts";
import { describeChanges, diffNodes, partners } from "../../surface/diff.ts";
import { shorten } from "../../surface/snapshot-text.ts";
import type { Snapshot, Snapshots } from "../../surface/snapshot.ts";

/** The snapshot to compare with; undefined if it is not known any more, or is of another document. */
export function earlier(
  snapshots: Snapshots,
  id: string | undefined,
  { pid, nodes }: { readonly pid: number; readonly nodes: readonly UiNode[] },
): Snapshot | undefined {
  const known = id === undefined ? undefined : snapshots.known(id, pid);
  if (!known || !snapshots.areLasting || known.nodes.length === 0 || nodes.length === 0) return known;
  // Every element of another document is a new one, although most may read the same.
  return nodes.some(({ runtimeId }) => known.refs.has(runtimeId)) ? known : undefined;
}

export const unknownSince = (id: string): string =>
  `There is no snapshot ${id} of what is there now to compare with, so this is all of it.`;

/** What is new, different or gone, one line each, with the uids to use. */
export function listChanges(
  before: Snapshot,
  now: Snapshot,
  most: number,
): { readonly snapshot: string; readonly cut: number } {
  const refOf = ({ runtimeId }: UiNode): string => now.refs.get(runtimeId) ?? "";
  const isBrief = [before, now].some(({ nodes }) => !nodes.some(({ bounds }) => bounds));
  const [old, current] = [before, now].map(({ nodes }) => (isBrief ? nodes.map(withoutPlace) : nodes)) as [
    Nodes,
    Nodes,
  ];
  const known = partners(old, current);
  const changes = diffNodes(old, current, known);
  const told = new Set(changes.map(({ node }) => node));
  const lines = [
    ...describeChanges(changes, Number.POSITIVE_INFINITY, refOf),
    ...[...known].flatMap(([node, was]) => (told.has(node) ? [] : renewed(node, before.refs.get(was.runtimeId), now))),
  ];
  let room = most - longestRest;
  const shown = lines.filter((line) => (room -= line.length + 1) >= 0);
  const cut = lines.length - shown.length;
  const rest = cut > 0 ? [`… ${cut} more changes; raise max_tokens`] : [];
  return { snapshot: lines.length === 0 ? "nothing changed" : [...shown, ...rest].join("\n"), cut };
}

const longestRest = 50;

type Nodes = readonly UiNode[];

/** The snapshots of a page do without what takes long to measure. */
function withoutPlace(node: UiNode): UiNode {
  return { ...node, description: undefined, states: node.states.filter((state) => state !== "showing") };
}

/** `~ button "Remove" d37 → d100`: reads the same, but was drawn anew, and the uid of the old one is not valid. */
function renewed(node: UiNode, before: string | undefined, { refs }: Snapshot): readonly string[] {
  const ref = refs.get(node.runtimeId);
  const isUsed = node.actions.some((action) => action !== "scroll_into_view");
  if (before === undefined || ref === undefined || ref === before || !isUsed || !isLasting(ref)) return [];
  return [`~ ${node.role}${node.name === "" ? "" : ` ${JSON.stringify(shorten(node.name))}`} ${before} → ${ref}`];
}

/** Elsewhere a new object may be the same element. */
const isLasting = (ref: string): boolean => /^[a-z]\d+$/.test(ref);
