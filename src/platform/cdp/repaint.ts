import { sleep } from "../../base/async.ts";
import type { Rect } from "../../base/geometry.ts";
import { frameOffset } from "./geometry.ts";
import type { AttachedPage } from "./attached-page.ts";
import type { ElementOwner } from "./element-ids.ts";
import type { SendOptions } from "./wire.ts";

/** What of the page is looked at as a picture: its drawings, or the element itself. */
export type Drawn = "canvas" | "element";

/** Whether the picture has changed; "restless" when that says nothing about the action. */
export type Repainted = "no" | "yes" | "restless";

// A page that draws in answer to an event has drawn by the first. A picture that moves looks the same now and then by
// chance, or because it goes round in circles, but not at each of these moments: they have no period in common.
const looksMs = [80, 53, 97];

/**
 * Sees what an action draws where the document says nothing: on a canvas, or by styles alone. Several looks tell an answer
 * from a picture that moves by itself: what the action draws is there soon, and stays.
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

  /** Nothing when there is nothing of the kind in view. */
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

  /** Looks soon after the action; call it right then. `compare` looks once more, when all else is done. */
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

  /** While the page settles: it takes no time of its own. */
  async #look(options: SendOptions): Promise<readonly (string | undefined)[]> {
    const seen: (string | undefined)[] = [];
    for (const pauseMs of looksMs) {
      await sleep(pauseMs, options.signal);
      seen.push(await capture(this.#page, this.#clip, options));
    }
    return seen;
  }
}

/** Lossless, so that the same picture is the same text. */
async function capture(page: AttachedPage, clip: Rect, options: SendOptions): Promise<string | undefined> {
  const params = { format: "png", optimizeForSpeed: true, clip: { ...clip, scale: 1 } } as const;
  const taken = await page.interrupts.race(
    page.session.attempt("Page.captureScreenshot", params, { ...options, timeoutMs: 5_000 }),
  );
  return taken?.data;
}
