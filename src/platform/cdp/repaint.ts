import { sleep } from "../../base/async.ts";
import type { Rect } from "../../base/geometry.ts";
import { frameOffset } from "./geometry.ts";
import type { AttachedPage } from "./attached-page.ts";
import type { ElementOwner } from "./element-ids.ts";
import { CdpError, type SendOptions } from "./wire.ts";

/** What part of the page is compared as a picture: its canvases, or the element itself. */
export type Drawn = "canvas" | "element";

/** Whether the picture has changed; "restless" when that says nothing about the action. */
export type Repainted = "no" | "yes" | "restless";

// A page that draws in response to an event has done so by the first look. A moving picture may look the same now and
// then, by chance or because it repeats, but not at each of these times: they have no period in common.
const looksMs = [80, 53, 97];

/**
 * Sees what an action draws when the document reports nothing: on a canvas, or by styles alone. Several looks
 * distinguish a response from a picture that moves by itself: what the action draws appears soon, and stays.
 */
export class Picture {
  readonly #page: AttachedPage;
  readonly #clip: Rect;
  readonly #before: string;

  private constructor(page: AttachedPage, clip: Rect, before: string) {
    this.#page = page;
    this.#clip = clip;
    this.#before = before;
  }

  /** Undefined when there is nothing of the kind in view. */
  static async take(
    page: AttachedPage,
    owner: ElementOwner | undefined,
    what: Drawn,
    options: SendOptions,
  ): Promise<Picture | undefined> {
    const frame = owner ? page.frames.get(owner.frameId) : page.frames.main;
    const document = owner?.document ?? (await page.mainDocument(options));
    if (!frame) return undefined;
    const rect = await document.call("drawn", [owner?.local ?? 0, what], options);
    if (!rect) return undefined;
    const [offset, main] = await Promise.all([frameOffset(page, frame, options), page.mainDocument(options)]);
    const [scrollX, scrollY] = await main.call("scrolled", [], options);
    const [x, y, width, height] = rect;
    const clip = { x: x + offset.x + scrollX, y: y + offset.y + scrollY, width, height };
    const before = await capture(page, clip, options);
    return before === undefined ? undefined : new Picture(page, clip, before);
  }

  /** Looks soon after the action; call it right then. `compare` looks once more, when everything else is done. */
  soon(options: SendOptions): { readonly compare: () => Promise<Repainted>; readonly stop: () => void } {
    const looking = new AbortController();
    const signal = AbortSignal.any([looking.signal, ...(options.signal ? [options.signal] : [])]);
    const early = this.#look({ ...options, signal });
    early.catch(() => undefined);
    const compare = async (): Promise<Repainted> => {
      const seen = [...(await early), await capture(this.#page, this.#clip, options)];
      const [first] = seen;
      if (first === undefined || seen.includes(undefined)) return "no";
      if (seen.some((each) => each !== first)) return "restless";
      return first === this.#before ? "no" : "yes";
    };
    return { compare, stop: () => looking.abort() };
  }

  /** Runs while the page settles, so it costs no extra time. */
  async #look(options: SendOptions): Promise<readonly (string | undefined)[]> {
    const seen: (string | undefined)[] = [];
    for (const pauseMs of looksMs) {
      await sleep(pauseMs, options.signal);
      seen.push(await capture(this.#page, this.#clip, options));
    }
    return seen;
  }
}

/** Lossless, so that identical pictures have identical text. */
async function capture(page: AttachedPage, clip: Rect, options: SendOptions): Promise<string | undefined> {
  const params = { format: "png", optimizeForSpeed: true, clip: { ...clip, scale: 1 } } as const;
  return page.camera.take(params, { ...options, timeoutMs: 5_000 }).catch((error: unknown) => {
    if (error instanceof CdpError) return undefined;
    throw error;
  });
}
