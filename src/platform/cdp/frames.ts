import { sleep } from "../../base/async.ts";
import type { Interrupts } from "./interrupt.ts";
import { PageDocument } from "./document.ts";
import type { ToolError } from "../../base/errors.ts";
import { isFrameTree } from "./shapes.ts";
import type { SendOptions, Session, Wire } from "./wire.ts";

const adoptMs = 500;
// Browsers do not nest deeper, and no page has more.
const deepestFrame = 100;
const mostFrames = 5_000;

/** Is told of every frame that comes, navigates or changes its title. */
export interface FrameJudge {
  judge(frame: Frame): void;
  /** Why nothing may be asked of the frame's documents. */
  refusal(frame: Frame): ToolError | undefined;
}

export class Frame {
  readonly id: string;
  parentId: string | undefined;
  session: Session;
  url: string;
  /** Whose scripts run in it, also where the address does not say it: about:blank. */
  origin = "";
  /** Of the document that is shown; undefined until it has told it. */
  title: string | undefined;
  /** It tells its title by itself when that changes. Some engines do not let it. */
  isTold = false;
  /** The rule against this frame itself. */
  rule: string | undefined;
  /** Another number for each document. */
  generation = 0;
  /** Number of the element in the parent's document that shows this frame. */
  owner: { readonly document: PageDocument; readonly id: number } | undefined;
  #document: Promise<PageDocument> | undefined;
  readonly #interrupts: Interrupts;
  readonly #judge: FrameJudge;

  constructor(
    id: string,
    parentId: string | undefined,
    session: Session,
    { interrupts, judge }: { readonly interrupts: Interrupts; readonly judge: FrameJudge },
  ) {
    this.id = id;
    this.parentId = parentId;
    this.session = session;
    this.url = "";
    this.#interrupts = interrupts;
    this.#judge = judge;
  }

  /** The title of the document with this number; one that was left tells nothing any more. */
  noteTitle(title: string, { generation, isTold }: { readonly generation: number; readonly isTold: boolean }): void {
    if (generation !== this.generation) return;
    this.title = title;
    this.isTold ||= isTold;
    this.#judge.judge(this);
  }

  noteUrl(url: string): void {
    this.url = url;
    this.#judge.judge(this);
  }

  noteOrigin(origin: string): void {
    if (origin === this.origin) return;
    this.origin = origin;
    this.#judge.judge(this);
  }

  async document(options: SendOptions = {}): Promise<PageDocument> {
    const refusal = this.#judge.refusal(this);
    if (refusal) throw refusal;
    const opening = (this.#document ??= PageDocument.open(this, this.#interrupts, options, () =>
      this.#judge.refusal(this),
    ));
    try {
      return await opening;
    } catch (error) {
      if (this.#document === opening) this.#document = undefined;
      throw error;
    }
  }

  /** The document was replaced: everything known about its elements is void. */
  leave(): void {
    const old = this.#document;
    this.#document = undefined;
    this.owner = undefined;
    this.title = undefined;
    this.isTold = false;
    this.generation++;
    void old?.then(
      (document) => {
        document.isGone = true;
      },
      () => {},
    );
  }
}

/** Where a frame is, in the words of the browser. */
interface Place {
  readonly url: string;
  readonly unreachableUrl?: string | undefined;
}

/** All frames of a page: those of its own process, and those that live in processes and sessions of their own. */
export class FrameTree {
  readonly #frames = new Map<string, Frame>();
  readonly #origins = new Map<string, string>();
  readonly #interrupts: Interrupts;
  readonly #wire: Wire;
  readonly #judge: FrameJudge;
  readonly #onSession: (session: Session) => Promise<void>;
  mainId = "";

  constructor(
    wire: Wire,
    interrupts: Interrupts,
    { judge, onSession }: { readonly judge: FrameJudge; readonly onSession: (session: Session) => Promise<void> },
  ) {
    this.#wire = wire;
    this.#interrupts = interrupts;
    this.#judge = judge;
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

  /** Listens to a session and adds the frames it already has. */
  async follow(session: Session, parentFrameId: string | undefined): Promise<void> {
    session.on("Page.frameAttached", ({ frameId, parentFrameId: parent }) => this.#put(frameId, parent, session));
    session.on("Page.frameNavigated", ({ frame }) => {
      const known = this.#frames.get(frame.id);
      known?.leave();
      // When a document goes away its frames go with it, without an event for each.
      for (const child of this.#frames.values()) if (child.parentId === frame.id) this.#drop(child.id);
      this.#put(frame.id, frame.parentId ?? known?.parentId, session, frame);
    });
    session.on("Page.navigatedWithinDocument", ({ frameId, url }) => {
      const known = this.#frames.get(frameId);
      known?.noteUrl(url);
    });
    session.on("Page.frameDetached", ({ frameId, reason }) => {
      // Swapped: it continues in another process, whose session reports it.
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

  /** Resolves when the frames that are moving to their own sessions have arrived, or after a short time. */
  async adopted(): Promise<void> {
    await Promise.race([Promise.all(this.adopting), sleep(adoptMs)]);
  }

  async #adopt(session: Session, frameId: string, parentId: string | undefined): Promise<void> {
    const work = (async () => {
      this.#put(frameId, parentId ?? this.mainId, session);
      await this.follow(session, parentId ?? this.mainId);
    })().catch(() => {
      // The frame disappeared while it was being attached.
    });
    this.adopting.add(work);
    await work;
    this.adopting.delete(work);
  }

  #take(tree: unknown, parentId: string | undefined, session: Session, depth = 0): void {
    if (depth > deepestFrame || !isFrameTree(tree)) return;
    const { frame, childFrames } = tree;
    if (parentId === undefined && frame.parentId === undefined) this.mainId = frame.id;
    this.#put(frame.id, frame.parentId ?? parentId, session, frame);
    for (const child of childFrames ?? []) this.#take(child, frame.id, session, depth + 1);
  }

  /** Told before the frame itself, where its session is new. */
  noteOrigin(frameId: string, session: Session, origin: string): void {
    const frame = this.#frames.get(frameId);
    if (frame?.session === session) frame.noteOrigin(origin);
    else if (!frame && this.#origins.size < mostFrames) this.#origins.set(frameId, origin);
  }

  /** Whoever goes from frame to parent must arrive at the page. */
  #isAbove(id: string, parentId: string | undefined): boolean {
    for (let at = parentId, depth = 0; at !== undefined; at = this.#frames.get(at)?.parentId, depth++) {
      if (at === id || depth > deepestFrame) return true;
    }
    return false;
  }

  #put(id: string, parentId: string | undefined, session: Session, place?: Place): void {
    if (this.#isAbove(id, parentId)) return;
    const known = this.#frames.get(id);
    if (!known && this.#frames.size >= mostFrames) return;
    const parts = { interrupts: this.#interrupts, judge: this.#judge };
    const frame = known ?? new Frame(id, parentId, session, parts);
    if (!known) {
      this.#frames.set(id, frame);
      frame.origin = this.#origins.get(id) ?? "";
      this.#origins.delete(id);
    }
    if (frame.session !== session) frame.leave();
    frame.session = session;
    frame.parentId = parentId ?? frame.parentId;
    // One that could not be opened shows an error that names its address.
    if (place && place.url !== "") frame.noteUrl(place.unreachableUrl || place.url);
  }

  #drop(id: string): void {
    this.#frames.get(id)?.leave();
    this.#frames.delete(id);
    for (const child of this.#frames.values()) if (child.parentId === id) this.#drop(child.id);
  }
}
