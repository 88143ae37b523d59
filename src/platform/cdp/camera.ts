import type { AttachedPage } from "./attached-page.ts";
import type { Params, SendOptions } from "./wire.ts";

// A page in front takes a third of this.
const patienceMs = 150;
// Long enough for the next call.
const lingerMs = 15_000;
const smallest = { format: "jpeg", quality: 1, maxWidth: 1, maxHeight: 1, everyNthFrame: 1_000 } as const;

/**
 * Takes pictures of one page. In a background tab a picture waits for a frame that nobody draws, up to the time limit. While
 * somebody follows the page, the browser draws it; so we follow it when a picture does not come, and ignore what that sends.
 */
export class Camera {
  readonly #page: AttachedPage;
  #following: NodeJS.Timeout | undefined;

  constructor(page: AttachedPage) {
    this.#page = page;
  }

  /** The picture as base64. */
  async take(params: Params<"Page.captureScreenshot">, options: SendOptions): Promise<string> {
    const { session, interrupts } = this.#page;
    if (this.#following) this.#follow();
    const timer = setTimeout(() => this.#follow(), patienceMs);
    try {
      return (await interrupts.race(session.send("Page.captureScreenshot", params, options))).data;
    } finally {
      clearTimeout(timer);
    }
  }

  #follow(): void {
    if (!this.#following) this.#send("Page.startScreencast", smallest);
    clearTimeout(this.#following);
    this.#following = setTimeout(() => {
      this.#following = undefined;
      this.#send("Page.stopScreencast", undefined);
    }, lingerMs).unref();
  }

  /** If it fails, the picture fails too, and says so. */
  #send(method: "Page.startScreencast" | "Page.stopScreencast", params: object | undefined): void {
    this.#page.session.attempt(method, params).catch(() => undefined);
  }
}
