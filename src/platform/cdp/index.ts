import { ToolError } from "../../base/errors.ts";
import { poll } from "../../base/async.ts";
import type { PrivatePorts } from "../../base/private-ports.ts";
import { join } from "node:path";
import type { CallOptions } from "../backend.ts";
import type {
  BrowserEndpoint,
  BrowserInfo,
  Browsers,
  FoundBrowser,
  LaunchBrowser,
  Page,
  PageInfo,
  PageName,
  RuleAgainstFrame,
} from "../browser.ts";
import type { ChildProcess } from "node:child_process";
import { CdpBrowser, type KnownPage } from "./browser.ts";
import type { CdpPage } from "./page.ts";
import { findBrowser } from "./find-browser.ts";
import { refuseOwnClient } from "./own-client.ts";
import { endGently, launchBrowser, runningWith, untilEnded } from "./launch.ts";
import type { DecodePicture } from "./screen.ts";
import { ElementIds } from "./element-ids.ts";

export interface BrowsersOptions {
  readonly decode: DecodePicture;
  /** Profiles of browsers we start; kept, so that sign-ins last. */
  readonly profiles: string;
  /** The environment that names the display on which browsers are started. */
  readonly env: () => Promise<NodeJS.ProcessEnv>;
  /** Ports that no page may reach; the debugging ports of all browsers are added. */
  readonly ports: PrivatePorts;
  /** Frames of pages that nobody may see or use. */
  readonly ruleAgainstFrame: RuleAgainstFrame;
  /** Leave browsers we started running when the process ends (one-shot commands). */
  readonly keepRunning: boolean;
}

const noConnection = (): ToolError =>
  new ToolError("not_connected", "No CDP connection.", { hint: "Call cdp_connect {port} or cdp_launch first." });

const profileNames = { headed: "default", headless: "headless" } as const;

interface Slot {
  readonly id: string;
  readonly endpoint: BrowserEndpoint;
  browser: CdpBrowser;
  child: ChildProcess | undefined;
  /** The profile folder, if handsight started the browser. */
  profile: string | undefined;
}

interface Found {
  readonly endpoint: BrowserEndpoint;
  readonly child?: ChildProcess | undefined;
  readonly profile?: string | undefined;
}

export function openBrowsers(options: BrowsersOptions): Browsers {
  return new CdpBrowsers(options);
}

class CdpBrowsers implements Browsers {
  readonly #options: BrowsersOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #elementIds = new ElementIds();
  #browserCount = 0;
  #pageCount = 0;
  #selected: string | undefined;

  constructor(options: BrowsersOptions) {
    this.#options = options;
  }

  async connect(endpoint: BrowserEndpoint, { signal }: CallOptions): Promise<BrowserInfo> {
    const same = [...this.#slots.values()].find(
      (slot) => slot.endpoint.host === endpoint.host && slot.endpoint.port === endpoint.port,
    );
    if (same) await this.#revive(same, signal);
    const slot = same ?? (await this.#add({ endpoint }, signal));
    const first = slot.browser.pages()[0];
    if (first) this.#selected = first.id;
    return this.#infoOf(slot);
  }

  async #add({ endpoint, child, profile }: Found, signal: AbortSignal | undefined): Promise<Slot> {
    const id = `browser:${this.#browserCount + 1}`;
    const browser = await CdpBrowser.connect(id, endpoint, this.#host(), { signal });
    try {
      refuseOwnClient(endpoint);
    } catch (error) {
      await browser.disconnect();
      throw error;
    }
    this.#options.ports.add(endpoint.port, "the debugging port of a browser");
    this.#browserCount++;
    const slot = { id, endpoint, browser, child, profile };
    this.#slots.set(id, slot);
    return slot;
  }

  #host() {
    return {
      elementIds: this.#elementIds,
      ports: this.#options.ports,
      ruleAgainstFrame: this.#options.ruleAgainstFrame,
      decode: this.#options.decode,
      nextPageId: () => `page:${++this.#pageCount}`,
      isSelected: (pageId: string) => pageId === this.#selected,
    };
  }

  async find(executable: string | undefined): Promise<FoundBrowser | undefined> {
    return findBrowser(executable, await this.#options.env());
  }

  async launch(
    request: LaunchBrowser,
    { signal }: CallOptions,
  ): Promise<BrowserInfo & { readonly alreadyRunning: boolean }> {
    const env = await this.#options.env();
    const hasDisplay = env["DISPLAY"] !== undefined || env["WAYLAND_DISPLAY"] !== undefined;
    const headless = request.headless ?? !hasDisplay;
    const own = join(this.#options.profiles, headless ? profileNames.headless : profileNames.headed);
    const profile = request.profile ?? own;
    const launched = await launchBrowser({
      executable: request.executable,
      profile,
      headless,
      url: request.url,
      args: request.args,
      env,
      timeoutMs: request.timeoutMs,
      signal,
    });
    this.#forgetEnded();
    const known = [...this.#slots.values()].find(({ endpoint }) => endpoint.port === launched.endpoint.port);
    if (known) await this.#revive(known, signal);
    const slot = known ?? (await this.#add(launched, signal));
    if (launched.child) slot.child = launched.child;
    // A browser that already runs with a folder named by the caller may be the person's own.
    if (launched.child || request.profile === undefined) slot.profile = profile;
    const wanted = await poll(async () => slot.browser.pages()[0], { timeoutMs: 3_000, everyMs: 20, signal });
    if (wanted) this.#selected = wanted.id;
    const alreadyRunning = launched.child === undefined;
    if (alreadyRunning && request.url !== undefined) {
      const page = await this.open(request.url, slot.id, { signal });
      const deed = { name: "navigate", to: { url: request.url }, timeoutMs: request.timeoutMs } as const;
      await page.backend.page?.perform(deed, { settleMs: 0, signal });
    }
    await slot.browser.refresh({ signal });
    return { ...this.#infoOf(slot), alreadyRunning };
  }

  async disconnect(id: string | undefined): Promise<number> {
    const slots = [...this.#slots.values()].filter((slot) => id === undefined || slot.id === id);
    if (id !== undefined && slots.length === 0) throw new ToolError("not_found", `There is no ${id}.`);
    for (const slot of slots) {
      this.#slots.delete(slot.id);
      await slot.browser.disconnect();
      await slot.endpoint.release?.();
    }
    if (!this.#everyPage().some(({ page }) => page.id === this.#selected))
      this.#selected = this.#everyPage()[0]?.page.id;
    return slots.length;
  }

  async quit(id: string | undefined, { signal }: CallOptions): Promise<readonly string[]> {
    await this.#findEarlier(signal);
    const slots = [...this.#slots.values()].filter((slot) => id === undefined || slot.id === id);
    if (slots.length === 0) throw id === undefined ? noConnection() : new ToolError("not_found", `There is no ${id}.`);
    const ours = slots.flatMap((slot) => (slot.profile === undefined ? [] : [{ slot, profile: slot.profile }]));
    if (ours.length === 0) {
      throw new ToolError("not_supported", "handsight did not start this browser, so it does not close it.", {
        hint: "cdp_disconnect only disconnects. Close it yourself, or with quit_app.",
      });
    }
    for (const { slot, profile } of ours) {
      await this.#revive(slot, signal).catch(() => undefined);
      if (slot.browser.isOpen) await slot.browser.quit({ signal });
      if (!(await untilEnded(profile, slot.child))) {
        throw new ToolError("timeout", `${slot.id} (${slot.browser.product}) is still running.`, {
          hint: "A page may be asking whether to leave: see cdp_list_pages and cdp_handle_dialog.",
        });
      }
      await this.disconnect(slot.id);
    }
    return ours.map(({ slot }) => slot.browser.product);
  }

  async pages({ signal }: CallOptions): Promise<readonly PageInfo[]> {
    await this.#ready(signal);
    for (const { browser } of this.#slots.values()) if (browser.isOpen) await browser.refresh({ signal });
    return this.#everyPage().map(({ slot, page }) => this.#pageInfo(slot, page));
  }

  async page(id: string | undefined, { signal }: CallOptions): Promise<CdpPage> {
    await this.#ready(signal);
    const all = this.#everyPage();
    const wanted = id ?? this.#selected;
    const found = all.find(({ page }) => page.id === wanted) ?? (id === undefined ? all[0] : undefined);
    if (found) {
      if (id === undefined) this.#selected = found.page.id;
      return found.slot.browser.page(found.page.targetId, { signal });
    }
    if (all.length === 0) {
      throw new ToolError("not_found", "The browser has no page open.", { hint: "Open one with cdp_new_page." });
    }
    throw new ToolError("window_gone", `There is no ${wanted}.`, {
      hint: "It was closed, or the id is wrong: see cdp_list_pages.",
      // Only ids: a title or address here would bypass the rules that hide some of them.
      candidates: all.map(({ page }) => page.id),
    });
  }

  async pageOf(ref: string, { signal }: CallOptions): Promise<Page> {
    await this.#ready(signal);
    return this.page(this.#elementIds.find(ref).pageId, { signal });
  }

  target(of: PageName): string | undefined {
    return this.#find(of)?.page.targetId;
  }

  known(of: PageName): (PageInfo & { readonly isOurs: boolean }) | undefined {
    const found = this.#find(of);
    return found && { ...this.#pageInfo(found.slot, found.page), isOurs: found.slot.child !== undefined };
  }

  areOurs(): boolean {
    return [...this.#slots.values()].every(({ child }) => child !== undefined);
  }

  #find({ ref, id }: PageName): { readonly slot: Slot; readonly page: KnownPage } | undefined {
    const wanted = ref === undefined ? (id ?? this.#selected) : this.#elementIds.pageOf(ref);
    return this.#everyPage().find(({ page }) => page.id === wanted);
  }

  async select(id: string, { signal }: CallOptions): Promise<PageInfo> {
    const page = await this.page(id, { signal });
    this.#selected = page.id;
    return page.info();
  }

  async open(url: string, browserId: string | undefined, { signal }: CallOptions): Promise<Page> {
    await this.#ready(signal);
    const current = this.#everyPage().find(({ page }) => page.id === this.#selected)?.slot;
    const slot = browserId === undefined ? (current ?? [...this.#slots.values()][0]) : this.#slots.get(browserId);
    if (!slot) throw new ToolError("not_found", `There is no ${browserId}.`);
    const known = await slot.browser.open(url, { signal });
    this.#selected = known.id;
    return slot.browser.page(known.targetId, { signal });
  }

  async close(id: string, { signal }: CallOptions): Promise<void> {
    await this.#ready(signal);
    const all = this.#everyPage();
    const found = all.find(({ page }) => page.id === id);
    if (!found) throw new ToolError("window_gone", `There is no ${id}.`, { hint: "See cdp_list_pages." });
    const own = found.slot.browser.pages();
    if (own.length === 1) {
      throw new ToolError("not_supported", "The last page cannot be closed: the browser would quit with it.", {
        hint: "Open another page first, or quit the browser with quit_app.",
      });
    }
    await found.slot.browser.close(found.page.targetId, { signal });
    const isClosed = async () => (found.slot.browser.pages().some((page) => page.id === id) ? undefined : true);
    const closed = await poll(isClosed, { timeoutMs: 3_000, everyMs: 10, signal });
    if (!closed) {
      throw new ToolError("timeout", `${id} did not close; it may be asking whether to leave.`, {
        hint: "Look for a dialog: cdp_handle_dialog.",
      });
    }
    if (this.#selected === id) this.#selected = this.#everyPage()[0]?.page.id;
  }

  /** Reconnects to lost browsers. Fails only if none is back. */
  async #ready(signal: AbortSignal | undefined): Promise<void> {
    await this.#findEarlier(signal);
    if (this.#slots.size === 0) throw noConnection();
    let failure: unknown;
    for (const slot of this.#slots.values()) {
      try {
        await this.#revive(slot, signal);
      } catch (error) {
        failure = error;
      }
    }
    if (failure !== undefined && ![...this.#slots.values()].some(({ browser }) => browser.isOpen)) throw failure;
  }

  /** A browser we started comes back on another port, if at all; trying the old port with each call is pointless. */
  #forgetEnded(): void {
    for (const { id, child } of this.#slots.values()) {
      if (child && (child.exitCode !== null || child.signalCode !== null)) this.#slots.delete(id);
    }
  }

  /** A browser that an earlier command left running becomes ours again. */
  async #findEarlier(signal: AbortSignal | undefined): Promise<void> {
    if (this.#slots.size > 0 || !this.#options.keepRunning) return;
    for (const name of Object.values(profileNames)) {
      const profile = join(this.#options.profiles, name);
      const endpoint = await runningWith(profile, signal);
      if (endpoint) await this.#add({ endpoint, profile }, signal);
    }
  }

  async #revive(slot: Slot, signal: AbortSignal | undefined): Promise<void> {
    if (slot.browser.isOpen) return;
    slot.browser = await CdpBrowser.connect(slot.id, slot.endpoint, this.#host(), { signal });
  }

  #everyPage(): readonly { readonly slot: Slot; readonly page: KnownPage }[] {
    return [...this.#slots.values()].flatMap((slot) =>
      slot.browser.isOpen ? slot.browser.pages().map((page) => ({ slot, page })) : [],
    );
  }

  #pageInfo(slot: Slot, { id, url, title, blockedBy }: KnownPage): PageInfo {
    return { id, browser: slot.id, url, title, isSelected: id === this.#selected, blockedBy };
  }

  #infoOf(slot: Slot): BrowserInfo {
    const { host, port } = slot.endpoint;
    const pages = slot.browser.pages().map((page) => this.#pageInfo(slot, page));
    return { id: slot.id, product: slot.browser.product, host, port, pages };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const slots = [...this.#slots.values()];
    this.#slots.clear();
    for (const { browser, child } of slots) {
      if (child && !this.#options.keepRunning) await endGently(child);
      await browser.disconnect().catch(() => undefined);
    }
  }
}
