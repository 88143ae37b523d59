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

/** Which element of the reading before each element of the reading after is. */
export type Partners = ReadonlyMap<UiNode, UiNode>;

/**
 * Elements are matched by runtime id. Some apps make new objects at every reading (Java Swing, the cells of LibreOffice
 * Calc): what is left over is matched by meaning, that is by role and name in the same place.
 */
export function partners(before: readonly UiNode[], after: readonly UiNode[]): Partners {
  const old = new Map(before.map((node) => [node.runtimeId, node]));
  const found = new Map<UiNode, UiNode>();
  const fresh: UiNode[] = [];
  for (const node of after) {
    const was = old.get(node.runtimeId);
    if (was) found.set(node, was);
    else fresh.push(node);
  }
  if (fresh.length === 0 || found.size === before.length) return found;
  const taken = new Set(found.values());
  const waiting = new Map<string, UiNode[]>();
  for (const node of before) {
    if (taken.has(node)) continue;
    const key = meaningOf(node, node.parent);
    const alike = waiting.get(key);
    if (alike) alike.push(node);
    else waiting.set(key, [node]);
  }
  // Parents come before their children, so the parent's partner is known.
  const formerIds = new Map<string, string>();
  for (const node of fresh) {
    const parent = node.parent === undefined ? undefined : (formerIds.get(node.parent) ?? node.parent);
    const was = waiting.get(meaningOf(node, parent))?.shift();
    if (!was) continue;
    found.set(node, was);
    formerIds.set(node.runtimeId, was.runtimeId);
  }
  return found;
}

const meaningOf = ({ role, name, automationId = "" }: UiNode, parent = ""): string =>
  JSON.stringify([parent, role, name, automationId]);

/** The differences between two readings of the same tree, in tree order. */
export function diffNodes(
  before: readonly UiNode[],
  after: readonly UiNode[],
  known: Partners = partners(before, after),
): readonly NodeChange[] {
  const kept = new Set(known.values());
  const changes: NodeChange[] = [];
  for (const node of after) {
    const was = known.get(node);
    const change: NodeChange | undefined = was ? diffNode(was, node) : { kind: "added", node, gained: [], lost: [] };
    if (change) changes.push(change);
  }
  for (const node of before) {
    if (!kept.has(node)) changes.push({ kind: "removed", node, gained: [], lost: [] });
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

/** Only the numbers in its texts differ, as those of a clock or a counter do. */
export function differInNumbers(before: UiNode, after: UiNode): boolean {
  const texts = ({ name, value, description }: UiNode): string => JSON.stringify([name, value, description]);
  const [a, b] = [texts(before), texts(after)];
  return a !== b && a.replaceAll(/\d+/g, "0") === b.replaceAll(/\d+/g, "0");
}

/** `+ dialog "Save?"`, `- row "Ann"`, `~ checkbox "Remember me" +checked`, `~ button "Play" → "Pause"`. */
export function describeChanges(
  changes: readonly NodeChange[],
  limit: number,
  refOf: (node: UiNode) => string = () => "",
): readonly string[] {
  const telling = changes.filter(({ kind, node }) => kind === "changed" || !isFrame(node));
  const told = telling.length > 0 ? telling : changes;
  const lines = told.slice(0, limit).map((change) => describeChange(change, refOf));
  return told.length > limit ? [...lines, `… ${told.length - limit} more changes`] : lines;
}

const frames: ReadonlySet<string> = new Set(["group", "scrollarea", "unknown", "toolbar", "text", "paragraph"]);

/** Only holds or divides other elements. */
const isFrame = ({ role, name, value, actions }: UiNode): boolean =>
  role === "separator" || (frames.has(role) && name === "" && !value && !actions.includes("press"));

function describeChange({ kind, node, before, gained, lost }: NodeChange, refOf: (node: UiNode) => string): string {
  const title = (each: UiNode): string =>
    `${each.role}${each.name === "" ? "" : ` ${JSON.stringify(shorten(each.name))}`}`;
  const ref = kind === "removed" ? "" : refOf(node);
  const uid = ref === "" ? "" : ` ${ref}`;
  if (kind === "added") return `+ ${title(node)}${uid}${valueOf(node)}`;
  if (kind === "removed") return `- ${title(node)}`;
  const was = before ?? node;
  const parts = [
    `~ ${title(was)}${uid}`,
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
