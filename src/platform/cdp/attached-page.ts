import { ToolError } from "../../base/errors.ts";
import type { PrivatePorts } from "../../base/private-ports.ts";
import type { PageInfo, RuleAgainstFrame } from "../browser.ts";
import type { PageDialog } from "../page-acts.ts";
import { BlockedFrames } from "./blocked-frames.ts";
import { Camera } from "./camera.ts";
import { FrameTree, type Frame } from "./frames.ts";
import { DialogOpened, DocumentGone, Interrupts } from "./interrupt.ts";
import type { PageDocument } from "./document.ts";
import { blockPorts } from "./block-ports.ts";
import type { TargetInfo } from "./shapes.ts";
import { PageTitle } from "./title.ts";
import { Trouble } from "./trouble.ts";
import type { ElementIds, ElementOwner } from "./element-ids.ts";
import { isTimeout, type SendOptions, type Session, type Wire } from "./wire.ts";

export interface PageTarget {
  readonly id: string;
  readonly targetId: string;
  readonly browser: string;
  /** As the browser told last. */
  info(): { readonly url: string; readonly title: string; readonly blockedBy?: string | undefined };
  isSelected(): boolean;
  /** Called with what the browser reports about it. */
  see(info: TargetInfo): void;
  /** Called with what the page itself reports. */
  note(told: { readonly url?: string; readonly title?: string }): void;
}

export interface Download {
  readonly frame: Frame;
  readonly name: string;
}

/** What all pages share. */
export interface PageKnowledge {
  readonly elementIds: ElementIds;
  /** Ports that no page may reach. */
  readonly ports: PrivatePorts;
  readonly ruleAgainstFrame: RuleAgainstFrame;
}

/** Instead of the words of a blocked frame. */
const hidden = "[blocked]";
const attachMs = 8_000;

// The browser reports a dialog, but the page's own process sends answers: an answer sent before the dialog may arrive
// after it.
const answersOnTheirWayMs = 30;

/** One page we are attached to: its frames, its open dialog, its errors, and whether it is loading. */
export class AttachedPage {
  readonly target: PageTarget;
  readonly session: Session;
  readonly wire: Wire;
  readonly frames: FrameTree;
  readonly interrupts = new Interrupts(() => this.#dialog && new DialogOpened(this.#dialog));
  readonly blocked: BlockedFrames;
  readonly troubles: Trouble;
  readonly title = new PageTitle();
  readonly camera = new Camera(this);
  readonly elementIds: ElementIds;
  /**
   * Pages that this one opened, and downloads it started, in order; actions compare with how many there were before.
   */
  readonly opened: string[] = [];
  readonly downloads: Download[] = [];
  navigations = 0;
  isLoading = false;
  /** The page's own JavaScript world of each frame, where its scripts run. */
  readonly contexts = new Map<string, number>();
  #dialog: (PageDialog & { readonly session: Session; readonly rule: string | undefined }) | undefined;
  #ended: ToolError | undefined;
  readonly #crashes = { page: 0, browser: 0 };
  #currentLoader = "";
  #loadedLoader = "";
  readonly #loadWaiters = new Set<() => void>();

  readonly #ports: PrivatePorts;
  readonly #offPorts: (() => void)[] = [];

  private constructor(
    target: PageTarget,
    wire: Wire,
    session: Session,
    { elementIds, ports, ruleAgainstFrame }: PageKnowledge,
  ) {
    this.target = target;
    this.#ports = ports;
    this.wire = wire;
    this.session = session;
    this.elementIds = elementIds;
    this.blocked = new BlockedFrames(this, ruleAgainstFrame);
    this.frames = new FrameTree(wire, this.interrupts, {
      judge: this.blocked,
      onSession: (each) => this.#prepare(each),
    });
    this.troubles = new Trouble(this.frames, this.blocked, ruleAgainstFrame);
  }

  static async attach(
    target: PageTarget,
    wire: Wire,
    known: PageKnowledge,
    { signal }: SendOptions,
  ): Promise<AttachedPage> {
    const options = { timeoutMs: attachMs, signal };
    const { sessionId } = await wire.root.send(
      "Target.attachToTarget",
      { targetId: target.targetId, flatten: true },
      options,
    );
    const page = new AttachedPage(target, wire, wire.session(sessionId), known);
    page.#listen();
    await page.frames.follow(page.session, undefined);
    // Frames in other processes announce themselves at once; without them the first look would miss their content.
    await page.session.attempt("Runtime.evaluate", { expression: "1" }, options).catch(() => undefined);
    await Promise.all(page.frames.adopting);
    return page;
  }

  async #prepare(session: Session): Promise<void> {
    const options = { timeoutMs: attachMs };
    this.troubles.follow(session);
    session.on("Page.javascriptDialogOpening", ({ type, message, defaultPrompt = "", url, frameId }) => {
      const rule = this.#ruleAgainstDialog(frameId, url);
      const words = rule === undefined ? { message, defaultPrompt } : { message: hidden, defaultPrompt: "" };
      this.#dialog = { type, ...words, session, rule };
      this.interrupts.raise(new DialogOpened(this.#dialog), answersOnTheirWayMs);
    });
    session.on("Page.javascriptDialogClosed", () => {
      this.#dialog = undefined;
    });
    session.on("Runtime.executionContextCreated", ({ context: { id, origin = "", auxData } }) => {
      const { frameId, isDefault } = auxData ?? {};
      if (frameId === undefined || isDefault !== true) return;
      this.contexts.set(frameId, id);
      this.frames.noteOrigin(frameId, session, origin);
    });
    await session.send("Page.enable", {}, options);
    const noteTitle = (frameId: string, title: string) => this.#noteTitle(session, frameId, title);
    await this.title.follow(session, this.#isMain, noteTitle, options);
    await Promise.all([
      session.attempt("DOM.enable", {}, options),
      session.attempt("Network.enable", {}, options),
      // Without it a page in the background silently loses clicks and draws nothing.
      session.attempt("Emulation.setFocusEmulationEnabled", { enabled: true }, options),
      // Otherwise a native file dialog opens that nobody can see or close from here.
      session.attempt("Page.setInterceptFileChooserDialog", { enabled: true }, options),
      blockPorts(session, this.#ports, options).then((off) => this.#offPorts.push(off)),
    ]);
  }

  #noteTitle(session: Session, frameId: string, title: string): void {
    if (this.#isMain(frameId)) this.target.note({ title });
    const frame = this.frames.get(frameId);
    // A process that the frame has left may still have something to tell.
    if (frame?.session === session) frame.noteTitle(title, { generation: frame.generation, isTold: true });
  }

  /** A frame that opens one before anybody has looked into it may have a blocked title. */
  #ruleAgainstDialog(frameId: string | undefined, url: string | undefined): string | undefined {
    const openers = this.frames
      .all()
      .filter((frame) => (frameId === undefined ? frame.url === url : frame.id === frameId));
    const opener = openers.find((frame) => !this.blocked.isOpen(frame));
    return opener && (this.blocked.ruleOf(opener) ?? "built in: the frame does not say what it is");
  }

  readonly #isMain = (frameId: string): boolean => frameId === this.frames.mainId;

  #listen(): void {
    const { session } = this;
    const isMain = this.#isMain;
    session.on("Page.frameRequestedNavigation", ({ frameId, disposition }) => {
      if (isMain(frameId) && disposition === "currentTab") this.#start();
    });
    session.on("Page.frameStartedLoading", ({ frameId }) => {
      if (isMain(frameId)) this.#start();
    });
    session.on("Page.frameNavigated", ({ frame }) => {
      if (frame.parentId === undefined) {
        this.navigations++;
        this.target.note({ url: `${frame.url}${frame.urlFragment ?? ""}` });
        this.#currentLoader = frame.loaderId;
        if (this.#ended?.code === "process_not_running") this.#ended = undefined;
      }
    });
    session.on("Page.navigatedWithinDocument", ({ frameId, url }) => {
      if (isMain(frameId)) this.target.note({ url });
    });
    session.on("Page.domContentEventFired", () => this.#loaded());
    session.on("Page.frameStoppedLoading", ({ frameId }) => {
      if (isMain(frameId)) this.#loaded();
    });
    session.on("Inspector.targetCrashed", () => this.crashed("page"));
  }

  /**
   * Reported by the page's own session and, a moment later, by the browser; by then the page may be loading again.
   */
  crashed(by: "page" | "browser"): void {
    const known = Math.max(this.#crashes.page, this.#crashes.browser);
    this.#crashes[by]++;
    if (this.#crashes[by] <= known) return;
    this.end(
      new ToolError("process_not_running", `${this.target.id} has crashed.`, {
        hint: 'Load it again with cdp_navigate {type: "reload"}, or close it.',
      }),
    );
  }

  #start(): void {
    this.isLoading = true;
  }

  /** A navigation was accepted; unless it has already finished, the page is loading. */
  expectLoad(loaderId: string): void {
    if (this.#loadedLoader !== loaderId) this.isLoading = true;
  }

  forgetDialog(): void {
    this.#dialog = undefined;
  }

  /** The dialog was answered with "stay", so the navigation has ended. */
  stay(): void {
    this.isLoading = false;
    for (const wake of this.#loadWaiters) wake();
  }

  #loaded(): void {
    this.isLoading = false;
    this.#loadedLoader = this.#currentLoader;
    for (const wake of this.#loadWaiters) wake();
  }

  /** True when the document has loaded; false when it has not in time. */
  async loaded(timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (!this.isLoading) return true;
    let wake: (() => void) | undefined;
    let timer: NodeJS.Timeout | undefined;
    const done = new Promise<boolean>((resolve, reject) => {
      wake = () => resolve(true);
      this.#loadWaiters.add(wake);
      timer = setTimeout(() => resolve(false), timeoutMs);
      signal?.addEventListener(
        "abort",
        () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted")),
        { once: true },
      );
    });
    try {
      return await this.interrupts.race(done);
    } finally {
      clearTimeout(timer);
      if (wake) this.#loadWaiters.delete(wake);
    }
  }

  /** The page is gone or cannot answer. Every pending request fails with the reason. */
  end(reason: ToolError): void {
    this.#ended = reason;
    for (const off of this.#offPorts.splice(0)) off();
    this.interrupts.raise(reason);
  }

  get ended(): ToolError | undefined {
    return this.#ended;
  }

  get dialog(): PageDialog | undefined {
    return (
      this.#dialog && {
        type: this.#dialog.type,
        message: this.#dialog.message,
        defaultPrompt: this.#dialog.defaultPrompt,
      }
    );
  }

  /** The rule that blocks the frame which opened the dialog. */
  get dialogRule(): string | undefined {
    return this.#dialog?.rule;
  }

  get dialogSession(): Session | undefined {
    return this.#dialog?.session;
  }

  /** Throws when the page cannot answer right now. */
  needResponsive(): void {
    if (this.#ended) throw this.#ended;
    const { dialog } = this;
    if (dialog) {
      throw new ToolError(
        "not_dispatchable",
        `A JavaScript ${dialog.type} is open on ${this.target.id}: "${dialog.message.slice(0, 200)}".`,
        {
          hint: "Close it with cdp_handle_dialog first; the page does nothing until then.",
        },
      );
    }
  }

  info(): PageInfo {
    const { id, browser } = this.target;
    const told = this.target.info();
    const { main } = this.frames;
    const blockedBy = told.blockedBy ?? (main && this.blocked.ruleOf(main));
    return { id, browser, ...told, isSelected: this.target.isSelected(), blockedBy };
  }

  /** The names of downloads that have begun since there were so many, without those of blocked frames. */
  async downloadsSince(count: number, options: SendOptions): Promise<readonly string[]> {
    const since = this.downloads.slice(count);
    if (since.length > 0 && !this.#dialog) await this.blocked.look(options).catch(() => undefined);
    return since.filter(({ frame }) => this.#isHarmless(frame)).map(({ name }) => name);
  }

  /** An empty frame that was made for a download says nothing, and may be gone by now. */
  #isHarmless(frame: Frame): boolean {
    const isEmpty = frame.title === undefined && /^(about:blank)?$/.test(frame.url);
    return this.blocked.isOpen(frame) || (isEmpty && this.blocked.ruleOf(frame) === undefined);
  }

  async mainDocument(options: SendOptions = {}): Promise<PageDocument> {
    const { main } = this.frames;
    if (!main) throw new DocumentGone("the page has no document");
    return main.document(options);
  }

  /**
   * The element behind a ref. Its document still exists; only the document knows whether the element is still in it.
   */
  owner(ref: string): ElementOwner & { readonly frame: Frame } {
    const owner = this.elementIds.find(ref);
    if (owner.pageId !== this.target.id) {
      throw new ToolError("invalid_argument", `${ref} is an element of ${owner.pageId}, not of ${this.target.id}.`);
    }
    const frame = this.frames.get(owner.frameId);
    if (!frame) {
      throw new ToolError("snapshot_expired", `The frame of ${ref} is gone.`, {
        hint: "Call cdp_find_elements or cdp_take_dom_snapshot again.",
      });
    }
    this.blocked.need(frame);
    return { ...owner, frame };
  }
}

/** Asks again if the document was replaced meanwhile: the caller wants to know what is there now. */
export async function onDocument<T>(page: AttachedPage, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    page.needResponsive();
    try {
      return await ask();
    } catch (error) {
      if (error instanceof DialogOpened) page.needResponsive();
      if (!(error instanceof DocumentGone) || attempt >= 5) throw foreseen(error, page);
      await page.loaded(3_000, signal);
      // The new document's world appears a moment after the old one is gone.
      await new Promise((resolve) => setTimeout(resolve, 20 * (attempt + 1)));
    }
  }
}

/** Turns failures between a page and us into errors that a caller can act on. */
export function foreseen(error: unknown, page: AttachedPage): unknown {
  if (error instanceof DocumentGone) {
    return (
      page.ended ??
      new ToolError("timeout", `${page.target.id} keeps navigating.`, {
        hint: "Wait for it with cdp_wait_for.",
        cause: error,
      })
    );
  }
  if (isTimeout(error) && page.isLoading) {
    return new ToolError("timeout", `${page.target.id} is navigating, and the next document is still loading.`, {
      hint: "It responds once that has loaded. Call again later, or go elsewhere with cdp_navigate.",
      cause: error,
    });
  }
  if (error instanceof Error && error.name === "CdpError") {
    return page.ended ?? new ToolError("not_supported", `The browser refused: ${error.message}.`, { cause: error });
  }
  return error;
}
