import { worldName } from "./document.ts";
import type { SendOptions, Session } from "./wire.ts";

const binding = "handsightTitle";
// The longest title a browser allows.
const longestTitle = 4_096;
const mostWorlds = 10_000;

/**
 * Frames tell their title from the start, before anybody has looked into them: what they do until then is judged too. The
 * page itself is judged when it is looked at.
 */
const tellTitles = `(() => {
  if (parent === window) return;
  const title = Object.getOwnPropertyDescriptor(Document.prototype, "title");
  let told;
  const tell = () => {
    const now = title && title.get ? String(title.get.call(document)) : document.title;
    if (now === told) return;
    told = now;
    if (globalThis.${binding}) globalThis.${binding}(now);
  };
  tell();
  new MutationObserver(tell).observe(document, { subtree: true, childList: true, characterData: true });
})()`;

/**
 * The titles of a page and its frames. Each document reports its own title when it changes, because browsers do not report
 * titles that scripts set, and rules depend on them. The report arrives before any later answer of the document, so the
 * title is always current without asking.
 */
export class PageTitle {
  /** Our own world in the current document. */
  #world: number | undefined;
  #isTold = false;

  /**
   * False when the document has no title or has not reported one; then only the browser knows what it shows instead.
   */
  get isKnown(): boolean {
    return this.#isTold;
  }

  /** Turns the reports about worlds on: whoever listens to them does so before. */
  async follow(
    session: Session,
    isMain: (frameId: string) => boolean,
    note: (frameId: string, title: string) => void,
    options: SendOptions,
  ): Promise<void> {
    // Numbers of worlds are good in one session only.
    const frames = new Map<number, string>();
    session.on("Runtime.executionContextCreated", ({ context: { id, name, auxData } }) => {
      const frameId = auxData?.frameId;
      if (name !== worldName || frameId === undefined) return;
      frames.set(id, frameId);
      if (frames.size > mostWorlds) frames.delete([...frames.keys()][0] ?? id);
      if (!isMain(frameId)) return;
      this.#world = id;
      this.#isTold = false;
    });
    session.on("Runtime.executionContextsCleared", () => {
      if ([...frames.values()].some(isMain)) this.#forget();
      frames.clear();
    });
    session.on("Page.frameNavigated", ({ frame }) => {
      if (isMain(frame.id)) this.#forget();
    });
    session.on("Runtime.bindingCalled", ({ name, payload, executionContextId }) => {
      const frameId = frames.get(executionContextId);
      if (name !== binding || frameId === undefined) return;
      const title = payload.slice(0, longestTitle);
      if (!isMain(frameId)) return note(frameId, title);
      if (executionContextId !== this.#world) return;
      this.#isTold = payload !== "";
      if (this.#isTold) note(frameId, title);
    });
    // A world that was made before this has no way to tell anything.
    await session.send("Runtime.enable", undefined, options);
    await session.attempt("Runtime.addBinding", { name: binding, executionContextName: worldName }, options);
    await session.attempt(
      "Page.addScriptToEvaluateOnNewDocument",
      { source: tellTitles, worldName, runImmediately: true },
      options,
    );
  }

  #forget(): void {
    this.#world = undefined;
    this.#isTold = false;
  }
}
