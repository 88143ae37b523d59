import type { NodeState, UiNode } from "../base/node.ts";
import { shorten } from "./snapshot-text.ts";

export interface NodeChange {
  readonly kind: "added" | "removed" | "changed";
  readonly node: UiNode;
  readonly before?: UiNode;
  /** States gained and lost. */
  readonly gained: readonly NodeState[];
  readonly lost: readonly NodeState[];
}

/** The differences between two readings of the same tree, in tree order. Elements are matched by runtime id. */
export function diffNodes(before: readonly UiNode[], after: readonly UiNode[]): readonly NodeChange[] {
  const old = new Map(before.map((node) => [node.runtimeId, node]));
  const now = new Set(after.map(({ runtimeId }) => runtimeId));
  const changes: NodeChange[] = [];
  for (const node of after) {
    const was = old.get(node.runtimeId);
    const change: NodeChange | undefined = was ? diffNode(was, node) : { kind: "added", node, gained: [], lost: [] };
    if (change) changes.push(change);
  }
  for (const node of before) {
    if (!now.has(node.runtimeId)) changes.push({ kind: "removed", node, gained: [], lost: [] });
  }
  return changes;
}

export function diffNode(before: UiNode, after: UiNode): NodeChange | undefined {
  const gained = after.states.filter((state) => !before.states.includes(state));
  const lost = before.states.filter((state) => !after.states.includes(state));
  const same =
    gained.length === 0 &&
    lost.length === 0 &&
    before.name === after.name &&
    before.value === after.value &&
    before.description === after.description;
  return same ? undefined : { kind: "changed", node: after, before, gained, lost };
}

/** `+ dialog "Save?"`, `- row "Ann"`, `~ checkbox "Remember me" +checked`, `~ button "Play" → "Pause"`. */
export function describeChanges(changes: readonly NodeChange[], limit: number): readonly string[] {
  const lines = changes.slice(0, limit).map(describeChange);
  return changes.length > limit ? [...lines, `… ${changes.length - limit} more changes`] : lines;
}

function describeChange({ kind, node, before, gained, lost }: NodeChange): string {
  const title = (each: UiNode): string =>
    `${each.role}${each.name === "" ? "" : ` ${JSON.stringify(shorten(each.name))}`}`;
  if (kind === "added") return `+ ${title(node)}${valueOf(node)}`;
  if (kind === "removed") return `- ${title(node)}`;
  const was = before ?? node;
  const parts = [
    `~ ${title(was)}`,
    was.name === node.name ? undefined : `→ ${JSON.stringify(shorten(node.name))}`,
    was.value === node.value ? undefined : `value ${show(was.value)} → ${show(node.value)}`,
    ...gained.map((state) => `+${state}`),
    ...lost.map((state) => `-${state}`),
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

const valueOf = ({ value }: UiNode): string => (value === undefined ? "" : ` =${show(value)}`);
const show = (value: string | number | undefined): string =>
  value === undefined ? "none" : typeof value === "string" ? JSON.stringify(shorten(value)) : String(value);
