import { ToolError } from "../../base/errors.ts";
import { CdpPage } from "./page.ts";
import { readVersion, type Endpoint } from "./endpoint.ts";
import { whileAsking } from "./own-client.ts";
import { AttachedPage, type PageKnowledge } from "./attached-page.ts";
import type { TargetInfo } from "./shapes.ts";
import type { DecodePicture } from "./screen.ts";
import { CdpError, Wire, type SendOptions } from "./wire.ts";

export interface KnownPage {
  readonly id: string;
  readonly targetId: string;
  url: string;
  title: string;
  /** The rule against the frame that made it, as long as its address does not say whose it is. */
  blockedBy?: string | undefined;
}

export interface BrowserHost extends PageKnowledge {
  readonly decode: DecodePicture;
  nextPageId(): string;
  isSelected(pageId: string): boolean;
}

// A browser, or something that claims to be one, might send events forever.
const mostPages = 1_000;
const mostTold = 10_000;
const mostRemembered = 1_000;

const hiddenUrls = /^(devtools|chrome-extension|chrome-untrusted):/;

/** One browser we are connected to, with its pages in the order they were first seen. */
export class CdpBrowser {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly product: string;
  readonly #wire: Wire;
  readonly #host: BrowserHost;
  readonly #known = new Map<string, KnownPage>();
  /** An event about a page may arrive after the page has closed, and would put it back on the list for good. */
  readonly #closed = new Set<string>();
  readonly #pages = new Map<string, Promise<CdpPage>>();
  readonly #attached = new Map<string, AttachedPage>();

  private constructor(id: string, endpoint: Endpoint, product: string, wire: Wire, host: BrowserHost) {
    this.id = id;
    this.endpoint = endpoint;
    this.product = product;
    this.#wire = wire;
    this.#host = host;
  }

  static async connect(
    id: string,
    endpoint: Endpoint,
    host: BrowserHost,
    { signal }: SendOptions,
  ): Promise<CdpBrowser> {
    const { browser, url } = await readVersion(endpoint, signal);
    const where = `the browser on ${endpoint.host}:${endpoint.port}`;
    const wire = await Wire.open(url, where, { signal, refusal: whileAsking(endpoint) });
    const made = new CdpBrowser(id, endpoint, browser, wire, host);
    try {
      await made.#follow(signal);
    } catch (error) {
      await wire[Symbol.asyncDispose]();
      throw asNoBrowser(error, where);
    }
    return made;
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  async #follow(signal: AbortSignal | undefined): Promise<void> {
    const { root } = this.#wire;
    root.on("Target.targetCreated", ({ targetInfo }) => this.#see(targetInfo));
    root.on("Target.targetInfoChanged", ({ targetInfo }) => this.#see(targetInfo));
    root.on("Target.targetDestroyed", ({ targetId }) => this.#lose(targetId, "was closed"));
    root.on("Target.targetCrashed", ({ targetId }) => this.#attached.get(targetId)?.crashed("browser"));
    root.on("Target.detachedFromTarget", ({ sessionId, targetId }) => {
      this.#wire.dropSession(sessionId);
      if (targetId !== undefined) this.#detach(targetId, "no longer lets us in");
    });
    root.on("Browser.downloadWillBegin", ({ frameId, suggestedFilename }) => {
      for (const page of this.#attached.values()) {
        const frame = page.frames.get(frameId);
        if (frame && page.downloads.length < mostTold) page.downloads.push({ frame, name: suggestedFilename });
      }
    });
    void this.#wire.closed.then(() => {
      for (const page of this.#attached.values()) {
        page.end(
          new ToolError("not_connected", `The connection to the browser on port ${this.endpoint.port} was lost.`, {
            hint: "The next call connects again if the browser is back.",
          }),
        );
        for (const frame of page.frames.all()) frame.leave();
      }
    });
    await root.send("Target.setDiscoverTargets", { discover: true }, { signal });
    const { targetInfos } = await root.send("Target.getTargets", {}, { signal });
    for (const info of targetInfos) this.#see(info);
    // Without this, a download opens a prompt in a window of the browser, or is not reported at all.
    await root.attempt("Browser.setDownloadBehavior", { behavior: "default", eventsEnabled: true }, { signal });
  }

  #see({ targetId, type, url, title, openerId, openerFrameId }: TargetInfo): void {
    if (type !== "page" && type !== "webview") return;
    if (hiddenUrls.test(url) || this.#closed.has(targetId)) return;
    const known = this.#known.get(targetId);
    if (known) {
      // The page's own word is newer.
      if (this.#attached.get(targetId)?.title.isKnown !== true) note(known, { url, title });
      return;
    }
    if (this.#known.size >= mostPages) return;
    const opener = openerId === undefined ? undefined : this.#attached.get(openerId);
    const frame = openerFrameId === undefined ? undefined : opener?.frames.get(openerFrameId);
    const blockedBy = frame && !saysWhose(url) ? opener?.blocked.ruleOf(frame) : undefined;
    const made: KnownPage = { id: this.#host.nextPageId(), targetId, url, title, blockedBy };
    this.#known.set(targetId, made);
    if (opener && opener.opened.length < mostTold) opener.opened.push(made.id);
  }

  #lose(targetId: string, how: string): void {
    this.#closed.add(targetId);
    const [oldest] = this.#closed;
    if (oldest !== undefined && this.#closed.size > mostRemembered) this.#closed.delete(oldest);
    this.#detach(targetId, how);
    this.#known.delete(targetId);
  }

  #detach(targetId: string, how: string): void {
    const page = this.#attached.get(targetId);
    this.#attached.delete(targetId);
    this.#pages.delete(targetId);
    page?.end(
      new ToolError("window_gone", `${page.target.id} ${how}.`, { hint: "See cdp_list_pages for what is open." }),
    );
    for (const frame of page?.frames.all() ?? []) frame.leave();
  }

  /** Browsers do not report titles set by scripts; asking is cheap. */
  async refresh({ signal }: SendOptions): Promise<void> {
    const where = `The browser on ${this.endpoint.host}:${this.endpoint.port}`;
    const { targetInfos } = await this.#wire.root.send("Target.getTargets", {}, { signal }).catch((error: unknown) => {
      throw asNoBrowser(error, where);
    });
    for (const info of targetInfos) this.#see(info);
  }

  pages(): readonly KnownPage[] {
    return [...this.#known.values()];
  }

  async page(targetId: string, { signal }: SendOptions): Promise<CdpPage> {
    const opening = this.#pages.get(targetId) ?? this.#attach(targetId, signal);
    this.#pages.set(targetId, opening);
    try {
      return await opening;
    } catch (error) {
      this.#pages.delete(targetId);
      throw error instanceof CdpError
        ? new ToolError("window_gone", "The page was just closed.", { hint: "See cdp_list_pages.", cause: error })
        : error;
    }
  }

  async #attach(targetId: string, signal: AbortSignal | undefined): Promise<CdpPage> {
    const known = this.#known.get(targetId);
    if (!known) throw new ToolError("window_gone", "The page was closed.", { hint: "See cdp_list_pages." });
    const target = {
      id: known.id,
      targetId,
      browser: this.id,
      info: () => ({ url: known.url, title: known.title, blockedBy: known.blockedBy }),
      isSelected: () => this.#host.isSelected(known.id),
      see: (info: TargetInfo) => this.#see(info),
      note: (told: { readonly url?: string; readonly title?: string }) => note(known, told),
    };
    const core = await AttachedPage.attach(target, this.#wire, this.#host, { signal });
    this.#attached.set(targetId, core);
    return new CdpPage(core, this.#host.decode);
  }

  async open(url: string, { signal }: SendOptions): Promise<KnownPage> {
    try {
      const { targetId } = await this.#wire.root.send("Target.createTarget", { url: "about:blank" }, { signal });
      const { targetInfo } = await this.#wire.root.send("Target.getTargetInfo", { targetId }, { signal });
      this.#see(targetInfo);
      const known = this.#known.get(targetId);
      if (known) return known;
    } catch (error) {
      if (!(error instanceof CdpError)) throw error;
    }
    throw new ToolError("not_supported", `This application does not allow opening pages (${this.product}).`, {
      hint: `Navigate one it has: cdp_navigate {url: "${url.slice(0, 100)}"}.`,
      candidates: this.pages().map((page) => page.id),
    });
  }

  async close(targetId: string, { signal }: SendOptions): Promise<void> {
    try {
      await this.#wire.root.send("Target.closeTarget", { targetId }, { signal });
    } catch (error) {
      if (!(error instanceof CdpError)) throw error;
      if (/No target/.test(error.message)) return this.#lose(targetId, "was closed");
      throw new ToolError("not_supported", "This application does not allow closing the page.", { cause: error });
    }
  }

  /** Asks the browser to quit; the connection ends with it. */
  async quit({ signal }: SendOptions): Promise<void> {
    await Promise.race([this.#wire.root.attempt("Browser.close", undefined, { signal }), this.#wire.closed]);
  }

  async disconnect(): Promise<void> {
    for (const page of this.#attached.values()) {
      page.end(new ToolError("not_connected", "No CDP connection.", { hint: "Call cdp_connect or cdp_launch first." }));
    }
    await this.#wire[Symbol.asyncDispose]();
  }
}

const saysWhose = (url: string): boolean => /^(https?|file):/i.test(url);

function note(page: KnownPage, told: { readonly url?: string; readonly title?: string }): void {
  Object.assign(page, told);
  if (saysWhose(page.url)) page.blockedBy = undefined;
}

/** Every browser does what is asked of it here. */
function asNoBrowser(error: unknown, where: string): unknown {
  if (!(error instanceof CdpError)) return error;
  return new ToolError("not_connected", `${where} refuses to list its pages (${error.message.slice(0, 200)}).`, {
    hint: "Is it the debugging port of a browser?",
    cause: error,
  });
}
