import { setMaxListeners } from "node:events";
import { sleep } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { intersect, type Rect } from "../../base/geometry.ts";
import type { ElementEvent } from "../../platform/backend.ts";
import type { Seen } from "../fuse-regions.ts";
import type { RegionSource } from "../regions.ts";
import type { Surface } from "../surface.ts";
import { drawnScale } from "./drawn-scale.ts";
import { regionShapes } from "./region-shapes.ts";
import { regionsNow, type RegionsNow } from "./regions-now.ts";

export interface RegionOverlayOptions {
  /** Marks the regions again, with their numbers kept; `seen` is known and need not be read. */
  readonly markAgain: (seen: Seen | undefined, signal: AbortSignal) => Promise<void>;
  /** It can no longer be kept true, and is to be disposed. */
  readonly onFailure: (error: unknown) => void;
}

const layer = "regions";
/** Changes come in bursts; a person sees no difference. */
const burstMs = 40;
/** Pixels are read again when they have not changed for this long: reading text takes long. */
const stillMs = 300;
/** Reading may take no more than a third of the time. */
const restPart = 2;

const fromPixels: ReadonlySet<RegionSource> = new Set(["ocr", "template", "heuristic"]);

/**
 * Draws the regions marked last on the screen, and keeps them true: they follow their windows, elements are read again when
 * their app reports a change, and pixels when they have been painted. Nothing is read while nothing happens.
 */
export class RegionOverlay implements AsyncDisposable {
  readonly #surface: Surface;
  readonly #options: RegionOverlayOptions;
  readonly #ended = new AbortController();
  #watches: readonly AsyncDisposable[] = [];
  #marks: Disposable | undefined;
  #running: Promise<void> = Promise.resolve();
  #wake: () => void = () => {};
  #hasChanged = true;
  #elementsChanged = false;
  #paintedAt: number | undefined;
  #drawn = "";

  constructor(surface: Surface, options: RegionOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
    setMaxListeners(0, this.#ended.signal);
  }

  /** Resolves once they are drawn. */
  async start(signal: AbortSignal): Promise<void> {
    const { events } = this.#surface.backend;
    this.#marks = this.#surface.regions.watch(() => this.#note());
    const settled = await Promise.allSettled([
      ...(events
        ? [events.watch(["children", "state", "property", "window"], (event) => this.#hear(event), { signal })]
        : []),
      ...(events?.damage ? [events.damage(undefined, (part) => this.#paint(part), { signal })] : []),
    ]);
    // Without accessibility there is still painting, and without both the marks of every call.
    this.#watches = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    signal.throwIfAborted();
    await this.#draw();
    this.#running = this.#run();
  }

  /** How many regions are drawn. */
  get count(): number {
    return this.#surface.regions.latest.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    this.#wake();
    this.#marks?.[Symbol.dispose]();
    await this.#running;
    await Promise.allSettled(this.#watches.map((watch) => watch[Symbol.asyncDispose]()));
    // The screen may be what was lost.
    await this.#surface.backend.overlay?.hide(layer).catch(() => {});
  }

  #note(): void {
    this.#hasChanged = true;
    this.#wake();
  }

  #hear({ pid, kind }: ElementEvent): void {
    const { scene } = this.#surface.regions;
    const isOurs = pid === undefined || kind === "window" || scene?.nodes.some((node) => node.pid === pid);
    if (!isOurs) return;
    this.#elementsChanged = true;
    this.#note();
  }

  #paint(part: Rect): void {
    const { scene } = this.#surface.regions;
    // Of windows with elements their apps report changes; there, painting is mostly a blinking cursor.
    const isRead = scene?.regions.some(({ source, rect }) => fromPixels.has(source) && intersect(rect, part));
    const isBare = [...(scene?.windows.values() ?? [])].some(
      (bounds) => intersect(bounds, part) && !scene?.regions.some(({ rect }) => intersect(rect, bounds)),
    );
    if (isRead === true || isBare) this.#paintedAt = performance.now();
    this.#note();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        await this.#change();
        await sleep(burstMs, signal);
        const began = performance.now();
        if (await this.#refresh()) await sleep(restPart * (performance.now() - began), signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ToolError) || error.code === "not_connected") return this.#options.onFailure(error);
        // An app or a window may go away at any moment; the next change is looked at again.
        await sleep(stillMs, signal).catch(() => {});
      }
    }
  }

  /** Until something has happened, or pixels that were painted stand still. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#hasChanged || this.#ended.signal.aborted) return resolve();
      if (this.#paintedAt === undefined) return;
      setTimeout(resolve, Math.max(0, this.#paintedAt + stillMs - performance.now()));
    });
  }

  /** Returns whether anything was read. */
  async #refresh(): Promise<boolean> {
    const { signal } = this.#ended;
    this.#hasChanged = false;
    const now = await this.#draw();
    const isStill = this.#paintedAt !== undefined && performance.now() - this.#paintedAt >= stillMs;
    const isOld = isStill || now?.hasResized === true;
    if (!isOld && !this.#elementsChanged) return false;
    this.#elementsChanged = false;
    if (isOld) this.#paintedAt = undefined;
    await this.#options.markAgain(isOld ? undefined : now?.seen, signal);
    await this.#draw();
    return true;
  }

  async #draw(): Promise<RegionsNow | undefined> {
    const { signal } = this.#ended;
    const { scene } = this.#surface.regions;
    const [windows, displays] = await Promise.all([
      this.#surface.need("windows").list({ signal }),
      this.#surface.need("screen").displays({ signal }),
    ]);
    const now = scene && regionsNow(scene, windows);
    const scaled = displays.map((display) => ({ ...display, scale: drawnScale(this.#surface, display) }));
    const places = now?.regions.map(({ number, rect, source }) => ({ number, rect, source }));
    const drawn = JSON.stringify([places, now?.texts, scaled]);
    if (drawn === this.#drawn || signal.aborted) return now;
    await this.#surface.need("overlay").show(layer, now ? regionShapes(now.regions, now.texts, scaled) : []);
    this.#drawn = drawn;
    return now;
  }
}
