import type { AttachedPage } from "./attached-page.ts";
import { parseJson } from "./checks.ts";
import { worldName } from "./document.ts";
import type { Frame } from "./frames.ts";
import type { Session } from "./wire.ts";
import { ignoreGone } from "./witness.ts";

export interface ReportScript {
  /** Of the function that the script reports with. */
  readonly name: string;
  /** The body of a function that may call `tell(value)` and returns one that ends it. */
  readonly source: string;
}

/** A script in every frame that may be seen, which reports something while anybody listens. */
export class PageReports {
  readonly #page: AttachedPage;
  readonly #name: string;
  readonly #off: string;
  readonly #script: string;
  readonly #listeners = new Set<() => void>();
  #read: (value: unknown, frame: Frame | undefined) => boolean = () => true;
  /** What ends the reports. */
  #running: Promise<() => Promise<void>> | undefined;

  constructor(page: AttachedPage, { name, source }: ReportScript) {
    this.#page = page;
    this.#name = name;
    this.#off = `${name}Off`;
    this.#script = `(() => {
      if (globalThis.${this.#off}) return;
      const tell = (value) => globalThis.${name} && globalThis.${name}(JSON.stringify(value));
      const end = (() => {${source}})();
      globalThis.${this.#off} = () => {
        end();
        delete globalThis.${this.#off};
      };
    })()`;
  }

  /** Is handed every report; what it accepts is passed on to the listeners. */
  read(read: (value: unknown, frame: Frame | undefined) => boolean): void {
    this.#read = read;
  }

  async listen(listener: () => void): Promise<AsyncDisposable> {
    const own = (): void => listener();
    this.#listeners.add(own);
    this.#running ??= this.#beginAll();
    try {
      await this.#running;
    } catch (error) {
      this.#listeners.delete(own);
      this.#running = undefined;
      throw error;
    }
    return {
      [Symbol.asyncDispose]: async () => {
        this.#listeners.delete(own);
        if (this.#listeners.size > 0) return;
        const ending = this.#running;
        this.#running = undefined;
        await (
          await ending
        )?.();
      },
    };
  }

  async #beginAll(): Promise<() => Promise<void>> {
    const frames = await this.#page.blocked.open({});
    const sessions = [...new Set(frames.map(({ session }) => session))];
    const stops = await Promise.all(sessions.map((session) => this.#begin(session)));
    return async () => {
      await Promise.allSettled(stops.map((stop) => stop()));
    };
  }

  async #begin(session: Session): Promise<() => Promise<void>> {
    const page = this.#page;
    const worlds = new Map<number, string>();
    const stops = [
      session.on("Runtime.executionContextCreated", ({ context: { id, name, auxData } }) => {
        if (name === worldName && auxData?.frameId !== undefined) worlds.set(id, auxData.frameId);
      }),
      session.on("Runtime.executionContextsCleared", () => worlds.clear()),
      session.on("Runtime.bindingCalled", ({ name, payload, executionContextId }) => {
        if (name !== this.#name) return;
        const frame = page.frames.get(worlds.get(executionContextId) ?? "");
        if (frame && !page.blocked.isOpen(frame)) return;
        if (!this.#read(parseJson(payload), frame)) return;
        for (const listener of this.#listeners) listener();
      }),
    ];
    for (const frame of page.frames.all().filter((each) => each.session === session)) {
      const document = await frame.document({}).catch(ignoreGone);
      if (document) worlds.set(document.contextId, frame.id);
    }
    await session.attempt("Runtime.addBinding", { name: this.#name, executionContextName: worldName });
    const script = { source: this.#script, worldName, runImmediately: true };
    const added = await session.attempt("Page.addScriptToEvaluateOnNewDocument", script);
    return async () => {
      for (const stop of stops) stop();
      if (page.ended) return;
      if (added) await session.attempt("Page.removeScriptToEvaluateOnNewDocument", added);
      const end = { expression: `globalThis.${this.#off} && globalThis.${this.#off}()` };
      const asked = [...worlds.keys()].map((contextId) => session.attempt("Runtime.evaluate", { ...end, contextId }));
      await Promise.allSettled(page.dialog ? [] : asked);
    };
  }
}
