import { sleep } from "../../base/async.ts";
import type { Interrupts } from "./interrupt.ts";
import { PageDocument } from "./document.ts";
import { isFrameTree } from "./shapes.ts";
import type { SendOptions, Session, Wire } from "./wire.ts";

const adoptMs = 500;
// A browser nests no deeper, and no page has more.
const deepestFrame = 100;
const mostFrames = 5_000;

export class Frame {
  readonly id: string;
  parentId: string | undefined;
  session: Session;
  url: string;
  /** Number of the element in the parent's document that shows this frame. */
  owner: { readonly document: PageDocument; readonly id: number } | undefined;
  #document: Promise<PageDocument> | undefined;
  readonly #interrupts: Interrupts;

  constructor(id: string, parentId: string | undefined, session: Session, url: string, interrupts: Interrupts) {
    this.id = id;
    this.parentId = parentId;
    this.session = session;
    this.url = url;
    this.#interrupts = interrupts;
  }

  async document(options: SendOptions = {}): Promise<PageDocument> {
    const opening = (this.#document ??= PageDocument.open(this.session, this.id, this.#interrupts, options));
    try {
      return await opening;
    } catch (error) {
      if (this.#document === opening) this.#document = undefined;
      throw error;
    }
  }

  /** The document was left: whatever was known about its elements is void. */
  leave(): void {
    const old = this.#document;
    this.#document = undefined;
    this.owner = undefined;
    void old?.then(
      (document) => {
        document.isGone = true;
      },
      () => {},
    );
  }
}

/** All frames of a page: those of its own process, and those that live in processes and sessions of their own. */
export class FrameTree {
  readonly #frames = new Map<string, Frame>();
  readonly #interrupts: Interrupts;
  readonly #wire: Wire;
  readonly #onSession: (session: Session) => Promise<void>;
  mainId = "";

  constructor(wire: Wire, interrupts: Interrupts, onSession: (session: Session) => Promise<void>) {
    this.#wire = wire;
    this.#interrupts = interrupts;
    this.#onSession = onSession;
  }

  get main(): Frame | undefined {
    return this.#frames.get(this.mainId);
  }

  get(id: string): Frame | undefined {
    return this.#frames.get(id);
  }

  /** Parents before their children. */
  all(): readonly Frame[] {
    const ordered: Frame[] = [];
    const seen = new Set<Frame>();
    const visit = (frame: Frame): void => {
      if (seen.has(frame)) return;
      seen.add(frame);
      ordered.push(frame);
      for (const child of this.#frames.values()) if (child.parentId === frame.id) visit(child);
    };
    if (this.main) visit(this.main);
    return ordered;
  }

  /** Listens to a session and takes in the frames it has already. */
  async follow(session: Session, parentFrameId: string | undefined): Promise<void> {
    session.on("Page.frameAttached", ({ frameId, parentFrameId: parent }) => this.#put(frameId, parent, session, ""));
    session.on("Page.frameNavigated", ({ frame }) => {
      const known = this.#frames.get(frame.id);
      known?.leave();
      // A document that goes takes its frames along, without a word about each.
      for (const child of this.#frames.values()) if (child.parentId === frame.id) this.#drop(child.id);
      this.#put(frame.id, frame.parentId ?? known?.parentId, session, frame.url);
    });
    session.on("Page.navigatedWithinDocument", ({ frameId, url }) => {
      const known = this.#frames.get(frameId);
      if (known) known.url = url;
    });
    session.on("Page.frameDetached", ({ frameId, reason }) => {
      // Swapped: it goes on in another process, whose session tells of it.
      if (reason !== "swap") this.#drop(frameId);
      else this.#frames.get(frameId)?.leave();
    });
    session.on("Runtime.executionContextsCleared", () => {
      for (const frame of this.#frames.values()) if (frame.session === session) frame.leave();
    });
    session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type !== "iframe" || this.#frames.size >= mostFrames) return;
      const child = this.#wire.session(sessionId);
      const { parentFrameId } = targetInfo;
      void this.#adopt(child, targetInfo.targetId, parentFrameId ?? this.#frames.get(targetInfo.targetId)?.parentId);
    });
    session.on("Target.detachedFromTarget", ({ sessionId, targetId }) => {
      this.#wire.dropSession(sessionId);
      const frame = targetId === undefined ? undefined : this.#frames.get(targetId);
      if (frame && frame.session.id === sessionId) frame.leave();
    });
    await this.#onSession(session);
    const { frameTree } = await session.send("Page.getFrameTree");
    this.#take(frameTree, parentFrameId, session);
    await session.attempt("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
  }

  readonly adopting = new Set<Promise<void>>();

  /** Resolves when the frames that are moving to sessions of their own have arrived, or a moment later. */
  async adopted(): Promise<void> {
    await Promise.race([Promise.all(this.adopting), sleep(adoptMs)]);
  }

  async #adopt(session: Session, frameId: string, parentId: string | undefined): Promise<void> {
    const work = (async () => {
      this.#put(frameId, parentId ?? this.mainId, session, "");
      await this.follow(session, parentId ?? this.mainId);
    })().catch(() => {
      // The frame went away while it was looked at.
    });
    this.adopting.add(work);
    await work;
    this.adopting.delete(work);
  }

  #take(tree: unknown, parentId: string | undefined, session: Session, depth = 0): void {
    if (depth > deepestFrame || !isFrameTree(tree)) return;
    const { frame, childFrames } = tree;
    if (parentId === undefined && frame.parentId === undefined) this.mainId = frame.id;
    this.#put(frame.id, frame.parentId ?? parentId, session, frame.url);
    for (const child of childFrames ?? []) this.#take(child, frame.id, session, depth + 1);
  }

  /** Whoever goes from frame to parent must arrive at the page. */
  #isAbove(id: string, parentId: string | undefined): boolean {
    for (let at = parentId, depth = 0; at !== undefined; at = this.#frames.get(at)?.parentId, depth++) {
      if (at === id || depth > deepestFrame) return true;
    }
    return false;
  }

  #put(id: string, parentId: string | undefined, session: Session, url: string): void {
    if (this.#isAbove(id, parentId)) return;
    const known = this.#frames.get(id);
    if (!known) {
      if (this.#frames.size >= mostFrames) return;
      this.#frames.set(id, new Frame(id, parentId, session, url, this.#interrupts));
      return;
    }
    if (known.session !== session) known.leave();
    known.session = session;
    known.parentId = parentId ?? known.parentId;
    if (url !== "") known.url = url;
  }

  #drop(id: string): void {
    this.#frames.get(id)?.leave();
    this.#frames.delete(id);
    for (const child of this.#frames.values()) if (child.parentId === id) this.#drop(child.id);
  }
}
