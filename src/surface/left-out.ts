import type { SnapshotNode } from "./snapshot.ts";

/**
 * How many elements are missing below each shown one, counted at the nearest shown element, which a caller can ask
 * for.
 */
export function leftOut(
  roots: readonly SnapshotNode[],
  shown: ReadonlySet<SnapshotNode>,
): ReadonlyMap<SnapshotNode, number> {
  const missing = new Map<SnapshotNode, number>();
  const visit = (node: SnapshotNode, above: SnapshotNode | undefined): void => {
    const place = shown.has(node) ? node : above;
    const count = node.omitted + (place === node ? 0 : 1);
    if (place && count > 0) missing.set(place, (missing.get(place) ?? 0) + count);
    for (const child of node.children) visit(child, place);
  };
  for (const root of roots) visit(root, undefined);
  return missing;
}
