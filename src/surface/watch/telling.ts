import type { Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { describeChanges, diffNode } from "../diff.ts";
import { appLine, isOfPage, pageLine } from "../snapshot-text.ts";
import type { Surface } from "../surface.ts";
import type { ElementHappening, Numbered } from "./event-stream.ts";
import { windowKinds, type WindowHappening } from "./window-events.ts";

export const uiEventKinds = [
  "snapshot",
  "element_added",
  "element_removed",
  "element_changed",
  "text",
  ...windowKinds,
] as const;

/** An element as its line in a snapshot has it. */
export interface ToldElement {
  readonly uid: string;
  /** The uid of the element it is in. */
  readonly parent?: string;
  readonly element: string;
}

/** An event as it is told to a reader who has only the events before it. */
export interface UiEvent extends Partial<ToldElement> {
  readonly seq: number;
  readonly at: number;
  readonly kind: (typeof uiEventKinds)[number];
  readonly appName?: string;
  readonly windowId?: number;
  readonly title?: string;
  /** The title before. */
  readonly was?: string;
  readonly bounds?: Rect;
  /** `element_added`: the uid of the line before; missing for the first one. */
  readonly after?: string;
  /** The uid that the element had before, if its texts are now those of another row. */
  readonly wasUid?: string;
  /** `~ button "Play" → "Pause"`. */
  readonly change?: string;
  readonly elements?: readonly ToldElement[];
}

/** Words events as lines, with the uids that a reader knows or is told now. */
export class Telling {
  readonly #surface: Surface;
  /** Runtime id → the uid under which the reader knows the element. */
  readonly #given = new Map<string, string>();

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  tell({ seq, at, what }: Numbered<WindowHappening>, around: WindowInfo | undefined): UiEvent {
    const head = { seq, at };
    const place = around ? { appName: around.appName, windowId: around.id } : {};
    if (what.kind === "snapshot") {
      this.#given.clear();
      return { ...head, kind: "snapshot", ...place, elements: what.nodes.map((node) => this.give(node)) };
    }
    if ("window" in what) return { ...head, ...windowEvent(what) };
    return { ...head, ...place, ...this.#elementEvent(what) };
  }

  #elementEvent(what: ElementHappening): Pick<UiEvent, "kind"> & Partial<UiEvent> {
    const { node } = what;
    const known = this.#given.get(node.runtimeId);
    if (what.kind === "element_removed") {
      this.#given.delete(node.runtimeId);
      const uid = known ?? this.#uidOf(node);
      return { kind: "element_removed", uid, element: lineOf(uid, node) };
    }
    if (what.kind === "element_added") {
      const after = what.after === undefined ? undefined : this.#given.get(what.after);
      return { kind: "element_added", ...this.give(node), ...(after === undefined ? {} : { after }) };
    }
    const told = this.give(node);
    return {
      kind: kindOfChange(what),
      ...told,
      ...(known === undefined || known === told.uid ? {} : { wasUid: known }),
      ...changeOf(what),
    };
  }

  /** The element with the uid that the reader now knows it by. */
  give(node: UiNode): ToldElement {
    const uid = this.#uidOf(node);
    this.#given.set(node.runtimeId, uid);
    const parent = node.parent === undefined ? undefined : this.#given.get(node.parent);
    return { uid, ...(parent === undefined ? {} : { parent }), element: lineOf(uid, node) };
  }

  /** Text without an element of its own has no uid to act on; what it is called only tells where it is. */
  #uidOf(node: UiNode): string {
    return node.isBare ? node.runtimeId : this.#surface.snapshots.refOf(node);
  }
}

const lineOf = (uid: string, node: UiNode): string =>
  isOfPage(node) ? pageLine({ ...node, ref: node.isBare ? "" : uid }) : appLine(uid, node, undefined);

type Changed = ElementHappening & { readonly kind: "element_changed" };

function kindOfChange({ node, before }: Changed): UiEvent["kind"] {
  if (node.states.includes("focused") && !before.states.includes("focused")) return "focus";
  const isText = typeof node.value === "string" && node.value !== before.value && node.name === before.name;
  return isText ? "text" : "element_changed";
}

function changeOf({ node, before }: Changed): Pick<UiEvent, "change"> {
  const change = diffNode(before, node);
  const [line] = change ? describeChanges([change], 1) : [];
  return line === undefined ? {} : { change: line };
}

function windowEvent({ kind, window, was }: WindowHappening): Pick<UiEvent, "kind"> & Partial<UiEvent> {
  const { id, title, appName, bounds } = window;
  return {
    kind,
    appName,
    windowId: id,
    title,
    ...(was === undefined ? {} : { was }),
    ...(kind === "window_moved" || kind.endsWith("_opened") ? { bounds } : {}),
  };
}
