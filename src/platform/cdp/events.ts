import type { ElementEvent, ElementEventKind, WatchOptions } from "../backend.ts";
import { isNotice } from "./agent-shapes.ts";
import { parseJson } from "./checks.ts";
import { worldName, type PageDocument } from "./document.ts";
import { ignoreGone } from "./witness.ts";
import type { AttachedPage } from "./attached-page.ts";
import { pagePid } from "./identity.ts";
import type { Session } from "./wire.ts";

const binding = "handsightNotice";

// A document that is just being loaded has no world of ours yet.
const settleMs = 50;

/** Reports changes in the page's documents until disposed. */
export async function watchPage(
  page: AttachedPage,
  kinds: readonly ElementEventKind[],
  listener: (event: ElementEvent) => void,
  options: WatchOptions = {},
): Promise<AsyncDisposable> {
  const watch = new PageWatch(page, kinds, listener, options);
  await watch.listen(options.signal);
  return watch;
}

class PageWatch implements AsyncDisposable {
  readonly #page: AttachedPage;
  readonly #kinds: readonly ElementEventKind[];
  readonly #listener: (event: ElementEvent) => void;
  readonly #onGap: (() => void) | undefined;
  readonly #documents = new Set<PageDocument>();
  readonly #stops = new Map<Session, readonly (() => void)[]>();
  #again: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    page: AttachedPage,
    kinds: readonly ElementEventKind[],
    listener: (event: ElementEvent) => void,
    { onGap }: WatchOptions,
  ) {
    this.#page = page;
    this.#kinds = kinds;
    this.#listener = listener;
    this.#onGap = onGap;
  }

  /** Also hears documents that have come since the last time. */
  async listen(signal: AbortSignal | undefined): Promise<void> {
    const frames = await this.#page.blocked.open({ signal });
    const found = await Promise.all(frames.map((frame) => frame.document({ signal }).catch(ignoreGone)));
    for (const { session } of frames) if (!this.#stops.has(session)) this.#hear(session);
    for (const known of this.#documents) if (known.isGone) this.#documents.delete(known);
    for (const document of found) {
      if (!document || this.#documents.has(document)) continue;
      this.#documents.add(document);
      await document.session.attempt(
        "Runtime.addBinding",
        { name: binding, executionContextName: worldName },
        { signal },
      );
      await document.call("notice", [1], { signal }).catch(ignoreGone);
    }
  }

  #hear(session: Session): void {
    const onGap = this.#onGap;
    const stops = [
      session.on("Runtime.bindingCalled", ({ name, payload, executionContextId }) => {
        if (name === binding) this.#tell(session, payload, executionContextId);
      }),
      ...(onGap
        ? [
            session.on("Page.frameNavigated", () => this.#listenAgain(onGap)),
            session.on("Page.domContentEventFired", () => this.#listenAgain(onGap)),
            session.on("Page.frameStoppedLoading", () => this.#listenAgain(onGap)),
          ]
        : []),
    ];
    this.#stops.set(session, stops);
  }

  #tell(session: Session, payload: string, contextId: number): void {
    const notice = parseJson(payload);
    if (!isNotice(notice)) return;
    const [kind, detail, local] = notice;
    if (!this.#kinds.includes(kind)) return;
    const document = [...this.#documents].find((each) => each.session === session && each.contextId === contextId);
    const frame = document && this.#page.frames.get(document.frameId);
    if (frame && !this.#page.blocked.isOpen(frame)) return;
    this.#listener({
      kind,
      detail,
      // An element that nobody was shown has no ref yet.
      runtimeId: (document && this.#page.elementIds.peek(document, local)) ?? "",
      pid: pagePid,
      at: Date.now(),
    });
  }

  /** Another document has come, of which nothing was heard yet. */
  #listenAgain(onGap: () => void): void {
    if (this.#isOver) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      if (this.#isOver) return;
      // What cannot be heard now is heard with the next document, or the page is gone.
      this.listen(undefined).then(onGap, onGap);
    }, settleMs);
    this.#again.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#again);
    for (const stops of this.#stops.values()) for (const stop of stops) stop();
    const open = [...this.#documents].filter((document) => !document.isGone && !this.#page.dialog);
    await Promise.allSettled(open.map((document) => document.call("notice", [-1])));
  }
}
