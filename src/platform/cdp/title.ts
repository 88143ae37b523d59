import { worldName } from "./document.ts";
import type { SendOptions, Session } from "./wire.ts";

const binding = "handsightTitle";
// As long as a browser lets one be.
const longestTitle = 4_096;

/**
 * The title of the page, told by its own document whenever it changes: browsers do not tell of titles that scripts set, and
 * rules go by them. What a document tells comes before its answer to anything it is asked later, so nobody has to ask.
 */
export class PageTitle {
  /** Our world of the document that is shown. */
  #world: number | undefined;
  #isTold = false;

  /** False where there is no title, or nobody to tell it: what the browser makes of that only the browser knows. */
  get isKnown(): boolean {
    return this.#isTold;
  }

  async follow(
    session: Session,
    isMain: (frameId: string) => boolean,
    note: (title: string) => void,
    options: SendOptions,
  ): Promise<void> {
    session.on("Runtime.executionContextCreated", ({ context: { id, name, auxData } }) => {
      const frameId = auxData?.frameId;
      if (name !== worldName || frameId === undefined || !isMain(frameId)) return;
      this.#world = id;
      this.#isTold = false;
    });
    session.on("Runtime.executionContextsCleared", () => this.#forget());
    session.on("Page.frameNavigated", ({ frame }) => {
      if (isMain(frame.id)) this.#forget();
    });
    session.on("Runtime.bindingCalled", ({ name, payload, executionContextId }) => {
      if (name !== binding || executionContextId !== this.#world) return;
      this.#isTold = payload !== "";
      if (this.#isTold) note(payload.slice(0, longestTitle));
    });
    await session.attempt("Runtime.addBinding", { name: binding, executionContextName: worldName }, options);
  }

  #forget(): void {
    this.#world = undefined;
    this.#isTold = false;
  }
}
