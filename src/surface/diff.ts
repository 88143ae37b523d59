import type { NodeState, UiNode } from "../base/node.ts";
import { isOfPage, namesIn, shorten } from "./snapshot-text.ts";

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

/**
 * `+ dialog "Save?"`, `- row "Ann"`, `~ checkbox "Remember me" +checked`, `~ button "Play" → "Pause"`. What the screen says
 * in answer comes first and what is gone last, so that a short list has what is needed next.
 */
export function describeChanges(
  changes: readonly NodeChange[],
  limit: number,
  refOf: (node: UiNode) => string = () => "",
): readonly string[] {
  const telling = changes.filter((change) => (change.kind === "changed" ? hasWords(change) : !isFrame(change.node)));
  const { kept: all, insides } = withoutInner(telling.length > 0 ? telling : changes);
  const gone = all.filter(({ kind }) => kind === "removed");
  const { told, times } = onceEach(all.filter(({ kind }) => kind !== "removed"));
  const ordered = [...told.filter(isAnnounced), ...told.filter((change) => !isAnnounced(change))];
  const lineOf = (change: NodeChange): string =>
    `${describeChange(change, refOf)}${timesWord(times.get(change))}${insides.get(change) ?? ""}`;
  const shownGone = gone.slice(0, Math.max(fewestGone, limit - ordered.length));
  return [
    ...ordered.slice(0, limit).map((change) => lineOf(change)),
    ...(ordered.length > limit ? [`… ${ordered.length - limit} more changes`] : []),
    ...shownGone.map((change) => describeChange(change, refOf)),
    ...(gone.length > shownGone.length ? [`- ${gone.length - shownGone.length} more elements`] : []),
  ];
}

const fewestGone = 3;

/** Something that a line about it says: not that it only moved or is described otherwise. */
const hasWords = ({ node, before = node, gained, lost }: NodeChange): boolean =>
  gained.length + lost.length > 0 || before.name !== node.name || before.value !== node.value;

/** The options of a new list are named in its line; a heading around a link, or a label in a row, of one name is told once. */
function withoutInner(changes: readonly NodeChange[]): {
  readonly kept: readonly NodeChange[];
  readonly insides: ReadonlyMap<NodeChange, string>;
} {
  const added = new Map(
    changes.flatMap((change) => (change.kind === "added" ? [[change.node.runtimeId, change]] : [])),
  );
  const options = new Map<NodeChange, UiNode[]>();
  const dull = new Set<NodeChange>();
  for (const change of added.values()) {
    const { node } = change;
    const around = node.parent === undefined ? undefined : added.get(node.parent);
    if (around?.node.role === "combobox" && node.nativeRole === "option") {
      options.set(around, [...(options.get(around) ?? []), node]);
      dull.add(change);
    }
    if (around?.node.role === "heading" && around.node.name === node.name) dull.add(around);
    else if (around && node.role === "text" && around.node.name === node.name) dull.add(change);
  }
  const insides = [...options].map(([change, nodes]) => [
    change,
    ` ${namesIn(
      "options",
      nodes.map(({ name }) => name),
    )}`,
  ]);
  return {
    kept: changes.filter((change) => !dull.has(change)),
    insides: new Map(insides as [NodeChange, string][]),
  };
}

const announcing: ReadonlySet<string> = new Set(["alert", "statusbar"]);

/** A message in a place that apps have for messages. */
const isAnnounced = ({ kind, node }: NodeChange): boolean =>
  announcing.has(node.role) && (kind === "added" ? node.name !== "" : true);

const timesWord = (count = 1): string => (count === 1 ? "" : ` × ${count}`);

const textRoles: ReadonlySet<string> = new Set(["text", "paragraph"]);

/** A text that is new in several places is listed once. */
function onceEach(changes: readonly NodeChange[]): {
  readonly told: readonly NodeChange[];
  readonly times: ReadonlyMap<NodeChange, number>;
} {
  const first = new Map<string, NodeChange>();
  const times = new Map<NodeChange, number>();
  const told = changes.filter((change) => {
    const { kind, node } = change;
    if (kind !== "added" || !textRoles.has(node.role) || node.actions.includes("press")) return true;
    const key = `${node.role} ${node.name}`;
    const known = first.get(key) ?? change;
    first.set(key, known);
    times.set(known, (times.get(known) ?? 0) + 1);
    return known === change;
  });
  return { told, times };
}

const frames: ReadonlySet<string> = new Set([
  "group",
  "scrollarea",
  "unknown",
  "toolbar",
  "text",
  "paragraph",
  "list",
  "listitem",
  "table",
  "row",
]);

const acts = (actions: UiNode["actions"]): boolean => actions.some((action) => action !== "scroll_into_view");

/** Only holds or divides other elements. */
const isFrame = ({ role, name, value, actions }: UiNode): boolean =>
  role === "separator" || (frames.has(role) && name === "" && !value && !acts(actions));

function describeChange({ kind, node, before, gained, lost }: NodeChange, refOf: (node: UiNode) => string): string {
  const title = (each: UiNode): string =>
    `${each.role}${each.name === "" ? "" : ` ${JSON.stringify(shorten(each.name))}`}`;
  const ref = kind === "removed" ? "" : refOf(node);
  const uid = ref === "" ? "" : ` ${ref}`;
  if (kind === "added") return `+ ${title(node)}${uid}${valueOf(node)}`;
  if (kind === "removed") return `- ${title(node)}`;
  const was = before ?? node;
  const isSaid = was.name !== node.name || was.value !== node.value;
  // A text that appears is shown.
  const isNews = (state: NodeState): boolean => !isSaid || state !== "showing";
  const parts = [
    `~ ${title(was)}${uid}`,
    was.name === node.name ? undefined : `→ ${JSON.stringify(shorten(node.name))}`,
    was.value === node.value ? undefined : `value ${show(was.value)} → ${show(node.value)}`,
    ...gained.filter(isNews).map((state) => `+${state}`),
    ...lost.filter(isNews).map((state) => `-${state}`),
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

/** An empty field of a page goes without saying. */
const valueOf = (node: UiNode): string =>
  node.value === undefined || (node.value === "" && isOfPage(node)) ? "" : ` =${show(node.value)}`;
const show = (value: string | number | undefined): string =>
  value === undefined ? "none" : typeof value === "string" ? JSON.stringify(shorten(value)) : String(value);
