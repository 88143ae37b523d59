import { setMaxListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { ToolError } from "../../base/errors.ts";
import { sameRect, type Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { ElementEvent, ElementEventKind, ElementOwner, ElementScope, Tree } from "../../platform/backend.ts";
import { popupsOf } from "../popups.ts";
import type { Surface } from "../surface.ts";
import { Dirty, type Work } from "./dirty.ts";
import { diffTrees, isEmptyDelta, replaceBelow, type TreeDelta } from "./tree-delta.ts";

/** What happened to a watched tree. `nodes` of the tree is up to date when it is reported. */
export type TreeNews =
  | {
      readonly kind: "delta";
      readonly delta: TreeDelta;
      /** By reading what events named, or by reading everything again. */
      readonly by: "events" | "scan";
    }
  /** Nothing is known about how it came to be: the app or its connection was lost and is back. */
  | { readonly kind: "fresh" }
  /** There is nothing left to watch. */
  | { readonly kind: "ended"; readonly error: ToolError };

export interface LiveTreeOptions {
  readonly maxNodes?: number;
  readonly signal: AbortSignal;
  readonly onNews: (news: TreeNews) => void;
}

const kinds: readonly ElementEventKind[] = ["focus", "children", "state", "property", "text", "window", "bounds"];

// An app reports one change in several events, a few milliseconds apart.
const gatherMs = 15;
// Once an app is quiet, everything is compared with what its events said: no toolkit reports every change. Sooner where
// that takes no longer than reading a part.
const longestQuietMs = 150;
const shortestQuietMs = 40;
// Comparing may take this share of the time; a tree that takes 300 ms is compared every three seconds at most.
const mostRests = 10;
// An app that was caught not reporting something is compared more often.
const fewestRests = 2;
// Painting alone, such as a blinking caret, makes us look less and less often.
const longestPaintPauseMs = 10_000;
const retryMs = 500;
// Surfaces without events are read at this pace.
const pollMs = 700;
// A page sets values without anybody hearing of it, and nothing says when it was painted.
const unheardMs = 2_000;
const mostNodes = 20_000;
const deepestUnknown = 12;

// A page answers nothing while its dialog is open.
const passing: ReadonlySet<string> = new Set(["timeout", "not_connected", "not_dispatchable"]);

/**
 * The elements of an app or window, kept up to date by the events of the app: only what an event names is read again. Once
 * the app is quiet the whole tree is compared with that, because no toolkit reports everything.
 */
export class LiveTree implements AsyncDisposable {
  /** How often each way of reading was used, and what a comparison found that events had not said. */
  readonly figures = { parts: 0, scans: 0, corrections: 0 };
  readonly owner: ElementOwner;
  readonly #surface: Surface;
  #scope: ElementScope;
  readonly #options: LiveTreeOptions;
  readonly #ended = new AbortController();
  readonly #watches: AsyncDisposable[] = [];
  readonly #dirty = new Dirty();
  #tree: Tree = { nodes: [], omitted: [] };
  #windowBounds: Rect | undefined;
  #popups = "";
  #hasEvents = false;
  #running: Promise<void> = Promise.resolve();
  #wake: () => void = () => {};
  /** When everything should be read again; `isUrgent` does not wait for quiet. */
  #scan: { at: number; isUrgent: boolean } | undefined;
  #lastScan = { endedAt: Number.NEGATIVE_INFINITY, ms: 0 };
  #paintPauseMs = longestQuietMs;
  #rests = fewestRests;
  #isLost = false;
  #hasWindowChanged = false;

  private constructor(surface: Surface, owner: ElementOwner, options: LiveTreeOptions) {
    this.#surface = surface;
    this.owner = owner;
    this.#scope = surface.need("elements").scope(owner);
    this.#options = options;
    // Every request in flight adds a listener; Node reports more than ten as a leak on stderr.
    setMaxListeners(0, this.#ended.signal);
  }

  /** Resolves once the tree was read and is watched. */
  static async open(surface: Surface, owner: ElementOwner, options: LiveTreeOptions): Promise<LiveTree> {
    const live = new LiveTree(surface, owner, options);
    try {
      // Before the first reading, so that nothing is missed in between.
      await live.#listen();
      await live.#lookAtWindow();
      live.#tree = await live.#readAll(options.signal);
      live.#dirty.clear();
    } catch (error) {
      await live[Symbol.asyncDispose]();
      throw error;
    }
    live.#running = live.#run();
    return live;
  }

  get nodes(): readonly UiNode[] {
    return this.#tree.nodes;
  }

  /** How it learns of changes: the platform reports them, or it has to look again and again. */
  get source(): "events" | "polling" {
    return this.#hasEvents ? "events" : "polling";
  }

  async #listen(): Promise<void> {
    const { events } = this.#surface.backend;
    const { signal } = this.#ended;
    if (!events) return;
    const { windowId } = this.owner;
    const opened = await Promise.allSettled([
      events.watch(kinds, (event) => this.#hear(event), {
        signal,
        leavesNothing: true,
        onGap: () => this.#lose(),
      }),
      ...(events.windows && windowId !== undefined ? [events.windows(() => this.#windowChanged(), { signal })] : []),
      ...(events.damage && windowId !== undefined ? [events.damage(windowId, () => this.#painted(), { signal })] : []),
    ]);
    for (const each of opened) if (each.status === "fulfilled") this.#watches.push(each.value);
    this.#hasEvents = opened[0]?.status === "fulfilled";
  }

  #hear(event: ElementEvent): void {
    if (event.pid !== undefined && event.pid !== this.owner.pid) return;
    this.#paintPauseMs = this.#quietMs;
    // A page does not say which of its elements have changed.
    if (event.runtimeId === "" || this.#isDocument) return this.#wantScan(gatherMs, true);
    this.#dirty.note(event);
    this.#wantScan(this.#quietMs, false);
    this.#wake();
  }

  #painted(): void {
    this.#wantScan(this.#paintPauseMs, false);
  }

  #windowChanged(): void {
    this.#hasWindowChanged = true;
    this.#wake();
  }

  #lose(): void {
    this.#isLost = true;
    this.#wantScan(0, true);
  }

  #wantScan(inMs: number, isUrgent: boolean): void {
    const at = performance.now() + inMs;
    const known = this.#scan;
    // Events keep putting off a comparison, but nothing puts off what has to be read.
    this.#scan = known?.isUrgent ? { at: Math.min(known.at, at), isUrgent: true } : { at, isUrgent };
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await this.#until(this.#due());
      if (signal.aborted) return;
      try {
        await this.#step();
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ToolError && passing.has(error.code)) {
          this.#isLost ||= error.code === "not_connected";
          this.#wantScan(retryMs, true);
          continue;
        }
        return this.#end(error);
      }
    }
  }

  async #end(error: unknown): Promise<void> {
    const known = error instanceof ToolError ? error : new ToolError("internal", String(error), { cause: error });
    this.#ended.abort();
    await this.#unlisten();
    this.#options.onNews({ kind: "ended", error: known });
  }

  #due(): number {
    const { endedAt, ms } = this.#lastScan;
    if (this.#hasWindowChanged) return 0;
    const dirty = this.#dirty.since + gatherMs;
    const polled = endedAt + this.#pollPause(ms);
    const wanted = this.#scan
      ? Math.max(this.#scan.at, endedAt + ms * (this.#scan.isUrgent ? 1 : this.#rests))
      : Number.POSITIVE_INFINITY;
    return Math.min(dirty, polled, wanted);
  }

  get #quietMs(): number {
    return Math.min(longestQuietMs, Math.max(shortestQuietMs, 2 * this.#lastScan.ms));
  }

  #pollPause(ms: number): number {
    if (!this.#hasEvents) return Math.max(pollMs, 3 * ms);
    return this.#isDocument ? Math.max(unheardMs, 30 * ms) : Number.POSITIVE_INFINITY;
  }

  get #isDocument(): boolean {
    return this.#surface.need("elements").isDocument === true;
  }

  #until(at: number): Promise<void> {
    const left = at - performance.now();
    // Promises alone never let the program read a socket or fire a timer.
    if (left <= 0) return setImmediate();
    const { signal } = this.#ended;
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        this.#wake = () => {};
        resolve();
      };
      const timer = Number.isFinite(left) ? setTimeout(finish, left) : undefined;
      timer?.unref();
      signal.addEventListener("abort", finish, { once: true });
      this.#wake = finish;
    });
  }

  async #step(): Promise<void> {
    const now = performance.now();
    if (this.#hasWindowChanged) return this.#followWindow();
    if (now >= this.#dirty.since + gatherMs) return this.#readDirty();
    if (now >= this.#due()) await this.#scanAll();
  }

  /** Moves everything with the window: apps do not report that. What it opens belongs to it. */
  async #followWindow(): Promise<void> {
    this.#hasWindowChanged = false;
    const [before, popups] = [this.#windowBounds, this.#popups];
    const now = await this.#lookAtWindow();
    if (popups !== this.#popups) this.#wantScan(0, true);
    if (!before || !now || sameRect(before, now)) return;
    if (before.width !== now.width || before.height !== now.height) return this.#wantScan(this.#quietMs, false);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    const { nodes, omitted } = this.#tree;
    this.#become({ nodes: nodes.map((node) => shifted(node, this.owner.windowId, dx, dy)), omitted }, "events");
  }

  async #lookAtWindow(): Promise<Rect | undefined> {
    const { windowId } = this.owner;
    if (windowId === undefined) return undefined;
    const all = await this.#surface.need("windows").list({ signal: this.#ended.signal });
    const window = all.find(({ id }) => id === windowId);
    const popupIds = window ? popupsOf(window, all).map(({ id }) => id) : [];
    this.#popups = popupIds.join();
    this.#scope = this.#surface.need("elements").scope({ ...this.owner, popupIds });
    this.#windowBounds = window?.bounds;
    return window?.bounds;
  }

  async #readDirty(): Promise<void> {
    const work = this.#dirty.take(this.nodes);
    if (work.isWhole) return this.#wantScan(0, true);
    const elements = this.#surface.need("elements");
    const { signal } = this.#ended;
    const options = { maxNodes: this.#maxNodes, isPart: true, signal };
    this.figures.parts += work.parts.size + work.alone.size;
    const [parts, alone] = await Promise.all([
      Promise.all(
        [...work.parts].map(
          async (root) => [root, await this.#orGone(elements.tree(this.#scope, { ...options, root }))] as const,
        ),
      ),
      work.alone.size === 0 ? [] : elements.read([...work.alone], { signal }),
    ]);
    const before = new Map(this.nodes.map((node) => [node.runtimeId, node]));
    const read = new Map(
      parts.map(([root, part]) => [
        root,
        { ...part, nodes: part.nodes.map((node) => likeBefore(node, before.get(node.runtimeId))) },
      ]),
    );
    const { nodes, omitted } = replaceBelow(this.#tree, read);
    const own = new Map(alone.flatMap((node) => (node ? [[node.runtimeId, node]] : [])));
    this.#become({ nodes: nodes.map((node) => mergeAlone(node, own.get(node.runtimeId))), omitted }, "events");
    // Once what is known was read again, they may be known.
    await this.#adopt(work);
  }

  async #orGone(reading: Promise<Tree>): Promise<Tree> {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof ToolError && error.code === "uid_not_found") return { nodes: [], omitted: [] };
      throw error;
    }
  }

  /** Finds the elements in the tree that got unknown ones. */
  async #adopt({ unknown }: Work): Promise<void> {
    const known = new Set(this.nodes.map(({ runtimeId }) => runtimeId));
    const elements = this.#surface.need("elements");
    let asked = [...unknown].filter((id) => !known.has(id));
    for (let depth = 0; asked.length > 0 && depth < deepestUnknown; depth++) {
      const read = await elements.read(asked.slice(0, 20), { signal: this.#ended.signal });
      const parents = read.flatMap((node) => {
        // Nothing that is hidden has become part of what is visible.
        if (!node?.states.includes("showing")) return [];
        // A window of the app that is not in the tree yet.
        if (node.parent === undefined) this.#wantScan(gatherMs, true);
        return node.parent === undefined ? [] : [node.parent];
      });
      for (const parent of parents) if (known.has(parent)) this.#dirty.noteHolder(parent);
      asked = [...new Set(parents)].filter((id) => !known.has(id));
    }
  }

  async #scanAll(): Promise<void> {
    const wasUrgent = this.#scan?.isUrgent ?? true;
    const wasLost = this.#isLost;
    this.#scan = undefined;
    const tree = await this.#readAll(this.#ended.signal);
    this.#isLost = false;
    if (wasLost && !hasCommon(this.nodes, tree.nodes)) {
      this.#tree = tree;
      this.#options.onNews({ kind: "fresh" });
      return;
    }
    const corrections = this.#become(tree, "scan");
    if (!wasUrgent) this.figures.corrections += corrections;
    this.#rests = corrections > 0 ? fewestRests : Math.min(mostRests, this.#rests + 1);
    this.#paintPauseMs = corrections > 0 ? this.#quietMs : Math.min(longestPaintPauseMs, 2 * this.#paintPauseMs);
  }

  async #readAll(signal: AbortSignal): Promise<Tree> {
    const started = performance.now();
    try {
      const { nodes, omitted } = await this.#surface
        .need("elements")
        .tree(this.#scope, { maxNodes: this.#maxNodes, signal });
      this.figures.scans++;
      return { nodes: withKeys(nodes), omitted };
    } finally {
      // Also after a failure: a page that is gone refuses at once, and would be asked again at once, for ever.
      const endedAt = performance.now();
      this.#lastScan = { endedAt, ms: endedAt - started };
    }
  }

  /** How many elements say something else now. */
  #become(tree: Tree, by: "events" | "scan"): number {
    const delta = diffTrees(this.#tree.nodes, tree.nodes);
    this.#tree = tree;
    if (isEmptyDelta(delta)) return 0;
    this.#options.onNews({ kind: "delta", delta, by });
    return delta.added.length + delta.removed.length + delta.changed.length;
  }

  get #maxNodes(): number {
    return this.#options.maxNodes ?? mostNodes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#running;
    await this.#unlisten();
  }

  async #unlisten(): Promise<void> {
    // The connection may be what was lost.
    await Promise.allSettled(this.#watches.splice(0).map((watch) => watch[Symbol.asyncDispose]()));
  }
}

const hasCommon = (a: readonly UiNode[], b: readonly UiNode[]): boolean => {
  const ids = new Set(a.map(({ runtimeId }) => runtimeId));
  return b.some(({ runtimeId }) => ids.has(runtimeId));
};

function shifted(node: UiNode, windowId: number | undefined, dx: number, dy: number): UiNode {
  const { bounds, clickPoint } = node;
  if (!bounds || node.windowId !== windowId) return node;
  return {
    ...node,
    bounds: { ...bounds, x: bounds.x + dx, y: bounds.y + dy },
    ...(clickPoint ? { clickPoint: { ...clickPoint, x: clickPoint.x + dx, y: clickPoint.y + dy } } : {}),
  };
}

/** A part is read with fewer questions than the whole. */
const likeBefore = (node: UiNode, before: UiNode | undefined): UiNode =>
  before?.description === undefined || node.description !== undefined
    ? node
    : { ...node, description: before.description };

/** Read without what is inside, so a name from there is missing; and its parent may be one that the tree leaves out. */
const mergeAlone = (node: UiNode, read: UiNode | undefined): UiNode =>
  read ? { ...likeBefore(read, node), parent: node.parent, name: read.name === "" ? node.name : read.name } : node;

/** Texts without an element of their own are called after what they are in: their place changes as the page scrolls. */
function withKeys(nodes: readonly UiNode[]): readonly UiNode[] {
  if (!nodes.some(({ isBare }) => isBare)) return nodes;
  const counts = new Map<string, number>();
  return nodes.map((node) => {
    if (!node.isBare) return node;
    const parent = node.parent ?? "";
    const number = (counts.get(parent) ?? 0) + 1;
    counts.set(parent, number);
    return { ...node, runtimeId: `${parent}#${number}` };
  });
}
