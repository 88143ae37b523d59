import { setMaxListeners } from "node:events";
import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import type { ElementOwner, WindowInfo } from "../../platform/backend.ts";
import { isEmptyQuery, matchWindows, type WindowQuery } from "../choose-window.ts";
import type { GuardedWindow } from "../guard/guarded.ts";
import { isPopup } from "../popups.ts";
import type { Surface } from "../surface.ts";
import { EventStream, happeningsOf } from "./event-stream.ts";
import { LiveTree, type TreeNews } from "./live-tree.ts";
import { compareWindows, type WindowHappening } from "./window-events.ts";

export interface WatcherOptions {
  /** Whose elements are watched; empty: those of whatever window is active. */
  readonly query: WindowQuery;
  /** Whether this window may be looked at. Not called for blocked windows. */
  readonly permits: (window: WindowInfo) => boolean;
  /** Called when there is something to read. */
  readonly onEvent?: () => void;
}

// A reader who is further behind is told what is there now.
const mostPending = 2_000;
// Where the platform does not report that windows have changed.
const windowsMs = 700;
// An app may expose its elements only some time after its window has opened.
const retryMs = 2_000;

/** Watches the windows of a surface and the elements of one window or app, until its signal aborts. */
export class Watcher {
  readonly stream = new EventStream<WindowHappening>(mostPending, () => this.nodes);
  readonly #surface: Surface;
  readonly #options: WatcherOptions;
  #windows: readonly GuardedWindow[] = [];
  #live: LiveTree | undefined;
  #watched: { readonly window: GuardedWindow; readonly owner: ElementOwner } | undefined;
  #problem: ToolError | undefined;
  #hasWindowEvents = false;
  #isNudged = false;
  #wake: () => void = () => {};

  constructor(surface: Surface, options: WatcherOptions) {
    this.#surface = surface;
    this.#options = options;
  }

  /** The elements as they are, as far as is known. */
  get nodes(): readonly UiNode[] {
    return this.#live?.nodes ?? [];
  }

  /** The window whose elements are watched. */
  get window(): GuardedWindow | undefined {
    return this.#live && this.#watched?.window;
  }

  /** How changes of elements are noticed. */
  get source(): LiveTree["source"] | undefined {
    return this.#live?.source;
  }

  get figures(): LiveTree["figures"] | undefined {
    return this.#live?.figures;
  }

  /** Why no elements are watched although there is a window. */
  get problem(): ToolError | undefined {
    return this.#problem;
  }

  /** `onStart` is called once it watches. Rejects when the surface is lost. */
  async run(signal: AbortSignal, onStart: () => void): Promise<void> {
    setMaxListeners(0, signal);
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    const watch = await this.#surface.backend.events?.windows?.(() => this.#nudge(), { signal });
    this.#hasWindowEvents = watch !== undefined;
    try {
      await this.#look(signal, true);
      onStart();
      while (!signal.aborted) {
        await this.#nextNudge(signal);
        if (!signal.aborted) await this.#look(signal, false);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      // The connection may be what was lost.
      await Promise.allSettled([watch?.[Symbol.asyncDispose](), this.#leave()]);
    }
  }

  #nudge(): void {
    this.#isNudged = true;
    this.#wake();
  }

  #nextNudge(signal: AbortSignal): Promise<void> {
    if (this.#isNudged || signal.aborted) return Promise.resolve();
    const ms = this.#problem ? retryMs : this.#hasWindowEvents ? undefined : windowsMs;
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      timer?.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #look(signal: AbortSignal, isFirst: boolean): Promise<void> {
    this.#isNudged = false;
    const all = await this.#surface.need("windows").list({ signal });
    const windows = all.filter((window) => isOpen(window) && !window.blocked && this.#options.permits(window));
    const at = Date.now();
    const chosen = this.#choose(windows);
    if (!isFirst) {
      for (const happening of compareWindows(this.#windows, windows)) {
        if (this.#isAbout(happening.window, chosen)) this.stream.note(happening, at, mergeKey(happening));
      }
    }
    this.#windows = windows;
    await this.#follow(chosen, signal);
    this.#options.onEvent?.();
  }

  /** A watch of one app tells nothing of others. */
  #isAbout(window: WindowInfo, chosen: GuardedWindow | undefined): boolean {
    if (isEmptyQuery(this.#options.query)) return true;
    const pid = chosen?.pid ?? this.#watched?.window.pid;
    return window.pid !== undefined && window.pid === pid;
  }

  #choose(windows: readonly GuardedWindow[]): GuardedWindow | undefined {
    const { query } = this.#options;
    const named = isEmptyQuery(query)
      ? windows.find((window) => window.isForeground && !isPopup(window))
      : matchWindows(windows, query)[0];
    // While a menu is open, or for a moment after a window has closed, none is active.
    const kept = windows.find(({ id }) => id === this.#watched?.window.id);
    return named ?? kept;
  }

  async #follow(window: GuardedWindow | undefined, signal: AbortSignal): Promise<void> {
    const owner = window && this.#ownerOf(window);
    const isSame = owner && this.#watched?.owner.pid === owner.pid && this.#watched.owner.windowId === owner.windowId;
    if (isSame && this.#live) {
      this.#watched = { window, owner };
      return;
    }
    const had = this.#live !== undefined;
    await this.#leave();
    this.#watched = window && owner ? { window, owner } : undefined;
    this.#problem = undefined;
    if (!owner) {
      if (had) this.stream.restart(Date.now());
      return;
    }
    try {
      this.#live = await LiveTree.open(this.#surface, owner, { signal, onNews: (news) => this.#hear(news) });
      this.stream.restart(Date.now());
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError)) throw error;
      this.#problem = error;
    }
  }

  #ownerOf({ id, pid }: GuardedWindow): ElementOwner | undefined {
    const { query } = this.#options;
    if (pid === undefined) return undefined;
    const isApp = !isEmptyQuery(query) && query.windowId === undefined && query.title === undefined;
    return isApp ? { pid } : { pid, windowId: id };
  }

  #hear(news: TreeNews): void {
    const at = Date.now();
    if (news.kind === "delta") this.stream.tell(happeningsOf(news.delta), at);
    else if (news.kind === "fresh") this.stream.restart(at);
    else {
      this.#problem = news.error;
      this.#live = undefined;
      this.stream.restart(at);
      this.#nudge();
    }
    this.#options.onEvent?.();
  }

  async #leave(): Promise<void> {
    const live = this.#live;
    this.#live = undefined;
    await live?.[Symbol.asyncDispose]();
  }
}

const isOpen = ({ isVisible, isMinimized }: WindowInfo): boolean => isVisible || isMinimized;

/** Of many moves of one window that nobody has read, the last counts. */
const mergeKey = ({ kind, window: { id } }: WindowHappening): string | undefined =>
  kind === "window_moved" ? `moved ${id}` : undefined;
