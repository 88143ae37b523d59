import type { UiNode } from "../../base/node.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { diffNodes, type NodeChange } from "../../surface/diff.ts";
import type { Expectation } from "../../tools/steps.ts";
import { targetWords } from "./target-words.ts";

/** What could be seen at one moment. */
export interface Seen {
  readonly nodes: readonly UiNode[];
  readonly windows: readonly WindowInfo[];
  /** The window that was in front. */
  readonly windowId: number | undefined;
}

const announcing: readonly string[] = ["alert", "dialog", "status", "heading", "label", "text", "button", "menuitem"];
/** What says another thing each time it is looked at. */
const isFleeting = (text: string): boolean => /\d{1,2}:\d\d|\d{4}-\d\d-\d\d|\d+ ?%/.test(text);

/**
 * What a step is followed by, from what it was seen to do: the surest sign of it, in words that hold the next time. Undefined
 * when nothing of it can be told in words.
 */
export function expectFrom(before: Seen, after: Seen, acted: UiNode | undefined): Expectation | undefined {
  const opened = after.windows.find((window) => isOpen(window) && !before.windows.some(({ id }) => id === window.id));
  if (opened) return { window: opened.title };
  const closed = before.windows.find((window) => isOpen(window) && !after.windows.some(({ id }) => id === window.id));
  if (closed) return { gone: { window: closed.title } };
  const changes = diffNodes(before.nodes, after.nodes);
  return ofItself(changes, acted) ?? ofOthers(changes, after);
}

const isOpen = ({ title, isVisible, kind }: WindowInfo): boolean =>
  title.trim() !== "" && isVisible && (kind === "normal" || kind === "dialog");

function ofItself(changes: readonly NodeChange[], acted: UiNode | undefined): Expectation | undefined {
  const own = changes.find(({ kind, node }) => kind === "changed" && node.runtimeId === acted?.runtimeId);
  if (!own) return undefined;
  if (own.gained.includes("checked")) return { checked: true };
  if (own.lost.includes("checked")) return { unchecked: true };
  if (own.gained.includes("selected")) return { selected: true };
  return undefined;
}

function ofOthers(changes: readonly NodeChange[], after: Seen): Expectation | undefined {
  const telling = changes
    .filter(
      ({ kind, node, before, gained }) =>
        kind === "added" || gained.includes("showing") || (kind === "changed" && node.name !== before?.name),
    )
    .map(({ node }) => node)
    .filter(({ name, states }) => name.trim() !== "" && !isFleeting(name) && states.includes("showing"))
    .toSorted((a, b) => rank(a) - rank(b));
  for (const node of telling.slice(0, 5)) {
    const target = node.name.length > 0 ? targetWords(node, after) : undefined;
    const isByName = typeof target === "string" || (typeof target === "object" && target.name !== undefined);
    if (target !== undefined && isByName) return { visible: target };
  }
  return undefined;
}

const rank = ({ role }: UiNode): number => {
  const place = announcing.indexOf(role);
  return place < 0 ? announcing.length : place;
};
