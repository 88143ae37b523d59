import type { Log } from "../../base/log.ts";
import type { Acted, Located } from "../../surface/engine/action.ts";
import { ActivityOverlay, activityParts, type ActivityPart } from "../../surface/overlay/activity-overlay.ts";
import { RegionOverlay, type RegionOverlayOptions } from "../../surface/overlay/region-overlay.ts";
import type { Surface } from "../../surface/surface.ts";
import type { Lasting } from "../tool.ts";

export type MarkAgain = RegionOverlayOptions["markAgain"];

export interface OverlayOptions {
  readonly surface: Surface;
  /** What to show of actions. */
  readonly activity: readonly ActivityPart[];
  readonly lasting: Lasting;
}

/** What is drawn on the screen for a person, until something ends it. */
export class ShownOverlay {
  readonly surface: Surface;
  /** Settles when it is gone from the screen; never rejects. */
  readonly done: Promise<void>;
  readonly #activity: ActivityOverlay;
  readonly #log: Log;
  readonly #finish: () => void;
  readonly #stops: readonly (() => void)[];
  #regions: RegionOverlay | undefined;
  #isOver = false;

  constructor({ surface, activity, lasting }: OverlayOptions, log: Log) {
    this.surface = surface;
    this.#log = log;
    this.#activity = new ActivityOverlay(surface, activity, (error) => this.#fail(error));
    let finish: () => void = () => {};
    this.done = new Promise((resolve) => (finish = resolve));
    this.#finish = finish;
    this.#stops = [lasting.stopping, lasting.connection].map((signal) => this.#endOn(signal));
  }

  /** How many regions it shows. */
  get count(): number {
    return this.#regions?.count ?? 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Shows the regions marked last and those that `markAgain` will find. Resolves once they are drawn. */
  async showRegions(markAgain: MarkAgain, signal: AbortSignal): Promise<void> {
    const before = this.#regions;
    const regions = new RegionOverlay(this.surface, { markAgain, onFailure: (error) => this.#fail(error) });
    this.#regions = regions;
    await before?.[Symbol.asyncDispose]();
    await regions.start(signal);
    if (this.#isOver) await regions[Symbol.asyncDispose]();
  }

  acting(located: Located, what: string): void {
    this.#activity.acting(located, what);
  }

  /** Undefined: the action has failed. */
  acted(acted: Acted | undefined): void {
    this.#activity.acted(acted?.effect ?? "failed", acted?.end ?? acted?.aim?.point);
  }

  /** Resolves when it is gone from the screen. */
  async end(): Promise<void> {
    if (this.#isOver) return this.done;
    this.#isOver = true;
    for (const stop of this.#stops) stop();
    await this.#activity.end();
    await this.#regions?.[Symbol.asyncDispose]();
    this.#finish();
  }

  #endOn(signal: AbortSignal | undefined): () => void {
    const end = (): void => void this.end();
    if (signal?.aborted) queueMicrotask(end);
    signal?.addEventListener("abort", end, { once: true });
    return () => signal?.removeEventListener("abort", end);
  }

  #fail(error: unknown): void {
    this.#log.warn("the overlay has ended", error);
    void this.end();
  }
}

/** Holds the one overlay of a session. */
export class OverlayKeeper implements AsyncDisposable {
  readonly #log: Log;
  /** Show actions and marks unasked, until somebody hides them. */
  #isAuto: boolean;
  #current: ShownOverlay | undefined;
  /** One after the other: what came of an action is shown after the action. */
  #turn: Promise<void> = Promise.resolve();

  constructor(log: Log, isAuto = false) {
    this.#log = log;
    this.#isAuto = isAuto;
  }

  get current(): ShownOverlay | undefined {
    return this.#current?.isOver === false ? this.#current : undefined;
  }

  /** Replaces the one that is shown. */
  async show(options: OverlayOptions): Promise<ShownOverlay> {
    const before = this.#current;
    const overlay = new ShownOverlay(options, this.#log);
    this.#current = overlay;
    await before?.end();
    return overlay;
  }

  /** Returns whether one was shown. */
  async hide(): Promise<boolean> {
    const { current } = this;
    this.#isAuto = false;
    await current?.end();
    return current !== undefined;
  }

  /** Shows that an action begins; the returned function, what came of it. Nobody waits for either. */
  acting(surface: Surface, located: Located, what: string): (acted: Acted | undefined) => void {
    this.#inTurn(surface, (overlay) => overlay.acting(located, what));
    return (acted) => this.#inTurn(surface, (overlay) => overlay.acted(acted));
  }

  /** Shows regions that were marked for a model, if everything is shown. */
  marked(surface: Surface, markAgain: MarkAgain): void {
    if (!this.#isAuto) return;
    const { signal } = new AbortController();
    this.#inTurn(surface, (overlay) => overlay.showRegions(markAgain, signal));
  }

  #inTurn(surface: Surface, work: (overlay: ShownOverlay) => void | Promise<void>): void {
    if ((!this.current && !this.#isAuto) || !surface.can("overlay")) return;
    this.#turn = this.#turn
      .then(async () => {
        const overlay = await this.#overlayOn(surface);
        if (overlay) await work(overlay);
      })
      .catch((error: unknown) => this.#log.warn("the overlay could not be drawn", error));
  }

  async #overlayOn(surface: Surface): Promise<ShownOverlay | undefined> {
    const { current } = this;
    if (current || !this.#isAuto) return current?.surface === surface ? current : undefined;
    if ((await surface.need("overlay").probe()) === "leaked") {
      this.#isAuto = false;
      this.#log.warn("--overlay shows nothing: captures of this screen would show it");
      return undefined;
    }
    return this.show({ surface, activity: activityParts, lasting: {} });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hide();
    await this.#turn;
  }
}
