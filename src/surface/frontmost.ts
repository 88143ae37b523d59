import type { UiNode } from "../base/node.ts";

/**
 * Of several elements that fit, those a person would mean: what can be seen, in the dialog that must be answered first, in
 * the window in front. Each rule counts only where some of them pass it.
 */
export function frontmost(
  matches: readonly UiNode[],
  nodes: readonly UiNode[],
  windowId: number | undefined,
): readonly UiNode[] {
  const once = [...new Map(matches.toReversed().map((node) => [whatIsSeen(node), node])).values()].toReversed();
  if (once.length < 2) return once;
  const inModal = insideModal(nodes);
  const rules: readonly ((node: UiNode) => boolean)[] = [
    ({ states }) => states.includes("showing"),
    ({ runtimeId }) => inModal.has(runtimeId),
    (node) => windowId !== undefined && node.windowId === windowId,
  ];
  return rules.reduce((left, rule) => {
    const passing = left.filter(rule);
    return passing.length > 0 ? passing : left;
  }, once);
}

/** LibreOffice describes a cell by a new object each time. What looks the same at the same place is one thing to a person. */
const whatIsSeen = ({ runtimeId, role, name, bounds, windowId }: UiNode): string =>
  bounds ? JSON.stringify([windowId, role, name, bounds.x, bounds.y, bounds.width, bounds.height]) : runtimeId;

/** Everything inside a modal dialog that is shown. */
function insideModal(nodes: readonly UiNode[]): ReadonlySet<string> {
  const inside = new Set<string>();
  for (const { runtimeId, parent, states } of nodes) {
    const isModal = states.includes("modal") && states.includes("showing");
    if (isModal || (parent !== undefined && inside.has(parent))) inside.add(runtimeId);
  }
  return inside;
}
