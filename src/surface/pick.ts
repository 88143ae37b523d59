import { setMaxListeners } from "node:events";
import { ToolError } from "../base/errors.ts";
import { cancelled } from "../base/async.ts";
import { centre, contains, sameRect, type Rect, type ScreenPoint } from "../base/geometry.ts";
import type { Display, GrabbedEvent, OverlayShape, WindowInfo } from "../platform/backend.ts";
import { drawnScale } from "./overlay/drawn-scale.ts";
import { frame } from "./overlay/frame.ts";
import type { Surface } from "./surface.ts";
import { findUnder, windowUnder } from "./under-pointer.ts";

export const pickEndings = ["picked", "cancelled", "timeout"] as const;

export type PickEnding =
  | { readonly ended: "picked"; readonly at: ScreenPoint }
  | { readonly ended: Exclude<(typeof pickEndings)[number], "picked"> };

export interface PickOptions {
  readonly timeoutMs: number;
  /** Whether this window may be looked at. Not called for blocked windows. */
  readonly permits: (window: WindowInfo) => boolean;
  /** Called once the pointer is taken. */
  readonly onStart: () => void;
  readonly signal: AbortSignal;
}

/**
 * Where the person clicks next. Until then what is under the pointer is outlined; no movement and no click reaches an
 * app, and the pointer is given back whatever happens.
 */
export async function pickPoint(surface: Surface, options: PickOptions): Promise<PickEnding> {
  const input = surface.need("input");
  const grabPointer = input.grabPointer?.bind(input);
  if (!grabPointer) {
    throw new ToolError("not_supported", `On ${surface.platform} the pointer cannot be taken from the apps.`, {
      hint: "Ask the person for the name of what they mean, and use find_elements.",
    });
  }
  const { timeoutMs, signal } = options;
  const over = new AbortController();
  // Every request in flight adds a listener; Node reports more than ten as a leak on stderr.
  setMaxListeners(0, over.signal);
  await using outline = new Outline(surface, options.permits, over.signal);
  const click = new FirstClick();
  const onEvent = (event: GrabbedEvent): void => {
    if (event.kind === "move") outline.follow(event.at);
    click.take(event);
  };
  const cancel = (): void => click.fail(cancelled(signal));
  signal.addEventListener("abort", cancel, { once: true });
  const timer = setTimeout(() => click.end({ ended: "timeout" }), timeoutMs);
  try {
    await using _grab = await grabPointer(onEvent, { signal });
    options.onStart();
    outline.follow(await input.position({ signal }));
    return await click.done;
  } finally {
    over.abort();
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}

/** A click has ended when the button is up again: given back earlier, the pointer would send an app half a click. */
class FirstClick {
  readonly done: Promise<PickEnding>;
  #resolve: (ending: PickEnding) => void = () => {};
  #reject: (error: ToolError) => void = () => {};
  #pressed: ScreenPoint | undefined;
  /** What came while the button was down. */
  #ending: PickEnding | undefined;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may fail before anybody waits for it.
    this.done.catch(() => {});
  }

  take(event: GrabbedEvent): void {
    if (event.kind === "escape") return this.end({ ended: "cancelled" });
    if (event.kind === "lost") return this.fail(new ToolError("not_connected", "The display was lost while picking."));
    if (event.kind === "move" || event.button !== "left") return;
    if (event.kind === "down") this.#pressed = event.at;
    else if (this.#pressed) this.#resolve(this.#ending ?? { ended: "picked", at: this.#pressed });
  }

  end(ending: PickEnding): void {
    if (this.#pressed) this.#ending ??= ending;
    else this.#resolve(ending);
  }

  fail(error: ToolError): void {
    this.#reject(error);
  }
}

// While an app takes longer, nothing is outlined.
const answerMs = 500;
const layer = "pick";
const blue = 0x1a73e8;
const white = 0xffffff;

/** Shows what a click would pick. One question at a time: while an app is slow, only the latest place is asked about next. */
class Outline implements AsyncDisposable {
  readonly #surface: Surface;
  readonly #permits: PickOptions["permits"];
  readonly #signal: AbortSignal;
  #next: ScreenPoint | undefined;
  #shown: Rect | undefined;
  #displays: Promise<readonly Display[]> | undefined;
  #work: Promise<void> = Promise.resolve();
  #isWorking = false;

  constructor(surface: Surface, permits: PickOptions["permits"], signal: AbortSignal) {
    this.#surface = surface;
    this.#permits = permits;
    this.#signal = signal;
  }

  follow(point: ScreenPoint): void {
    this.#next = point;
    if (this.#isWorking || this.#signal.aborted || !this.#surface.can("overlay")) return;
    this.#isWorking = true;
    this.#work = this.#outlineAll();
  }

  async #outlineAll(): Promise<void> {
    try {
      for (let point = this.#next; point && !this.#signal.aborted; point = this.#next) {
        this.#next = undefined;
        await this.#outline(await this.#boundsAt(point));
      }
    } catch {
      // Picking works without it.
    } finally {
      this.#isWorking = false;
    }
  }

  async #boundsAt(point: ScreenPoint): Promise<Rect | undefined> {
    try {
      const signal = this.#signal;
      const window = await windowUnder(this.#surface, point, signal);
      if (!window || !this.#permits(window)) return undefined;
      return (await findUnder(this.#surface, point, window, { signal, readsText: false, timeoutMs: answerMs })).bounds;
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }

  async #outline(bounds: Rect | undefined): Promise<void> {
    if (this.#signal.aborted || (bounds && this.#shown ? sameRect(bounds, this.#shown) : bounds === this.#shown))
      return;
    this.#shown = bounds;
    const overlay = this.#surface.need("overlay");
    if (bounds) await overlay.show(layer, outlineOf(bounds, await this.#scaleAt(bounds)));
    else await overlay.hide(layer);
  }

  async #scaleAt(bounds: Rect): Promise<number> {
    const displays = await (this.#displays ??= this.#surface.need("screen").displays());
    const display = displays.find((each) => contains(each.bounds, centre(bounds)));
    return display ? drawnScale(this.#surface, display) : 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work;
    // The display may be what was lost.
    if (this.#shown) await this.#surface.backend.overlay?.hide(layer).catch(() => {});
  }
}

/** Light beside dark is seen on every background. */
function outlineOf(bounds: Rect, scale: number): readonly OverlayShape[] {
  const line = Math.max(1, Math.round(2 * scale));
  const edge = Math.max(1, Math.round(scale / 2));
  return [
    { kind: "fill", rect: bounds, colour: blue, opacity: 0.12 },
    ...frame(bounds, line + edge, white),
    ...frame(bounds, line, blue),
  ];
}
