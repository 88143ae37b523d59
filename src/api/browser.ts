import { ToolError } from "../base/errors.ts";
import type { ToolOutput } from "../tools/registry.ts";
import { Area } from "./area.ts";
import type { Context } from "./context.ts";
import type { ActionResult } from "./effect.ts";
import { given, type WaitOptions } from "./locator.ts";

export interface BrowserLaunchOptions {
  /** Opened in the first page. */
  readonly url?: string;
  readonly headless?: boolean;
  /** Which browser; default: the first that is found. */
  readonly executable?: string;
  readonly args?: readonly string[];
}

/** A page as the browser lists it. */
export type PageInfo = ToolOutput<"cdp_list_pages">["pages"][number];

/** Chrome, Chromium, Edge and Electron apps. */
export class Browser {
  readonly #context: Context;

  /** @internal */
  constructor(context: Context) {
    this.#context = context;
  }

  /** Starts a browser with an empty profile, and returns its page. It ends with the session. */
  async launch({ args, ...options }: BrowserLaunchOptions = {}): Promise<Page> {
    const { pages } = (
      await this.#context.call("cdp_launch", { ...given(options), ...(args ? { args: [...args] } : {}) })
    ).data;
    return this.#selected(pages);
  }

  /** Connects to a browser that runs with a remote debugging port, and returns its selected page. */
  async connect(port: number, { host }: { readonly host?: string } = {}): Promise<Page> {
    return this.#selected((await this.#context.call("cdp_connect", { port, ...given({ host }) })).data.pages);
  }

  /** The pages of all browsers of this session. */
  async pages(): Promise<readonly Page[]> {
    const { pages } = (await this.#context.call("cdp_list_pages", {})).data;
    return pages.map((page) => this.#page(page));
  }

  /** Opens another page. */
  async newPage(url: string): Promise<Page> {
    const { surface } = (await this.#context.call("cdp_new_page", { url })).data;
    return new Page(this.#context, surface);
  }

  #selected(pages: readonly PageInfo[]): Page {
    const page = pages.find(({ selected }) => selected) ?? pages[0];
    if (page) return this.#page(page);
    throw new ToolError("not_found", "The browser has no page.");
  }

  #page = ({ surface }: PageInfo): Page => new Page(this.#context, surface);
}

/** One page: elements in it, not in the browser's own window. */
export class Page extends Area {
  /** Its name in tools, such as `page:1`. */
  readonly surface: string;

  /** @internal */
  constructor(context: Context, surface: string) {
    super(context, { surface });
    this.surface = surface;
  }

  /** Opens an address and waits until it is loaded. */
  async goto(url: string, { timeoutMs }: WaitOptions = {}): Promise<ActionResult> {
    const input = { surface: this.surface, url, ...given({ timeout: timeoutMs }) };
    return (await this.context.call("cdp_navigate", input)).data;
  }

  async reload(): Promise<ActionResult> {
    return (await this.context.call("cdp_navigate", { surface: this.surface, type: "reload" })).data;
  }

  async goBack(): Promise<ActionResult> {
    return (await this.context.call("cdp_navigate", { surface: this.surface, type: "back" })).data;
  }

  async url(): Promise<string> {
    return (await this.#info()).url;
  }

  async title(): Promise<string> {
    return (await this.#info()).title;
  }

  /** Runs a function in the page, written as text, and returns what it returns as JSON. */
  async evaluate(script: string): Promise<unknown> {
    return (await this.context.call("cdp_evaluate_script", { surface: this.surface, function: script })).data.result;
  }

  /** Answers a dialog of the page: alert, confirm or prompt. */
  async handleDialog(action: "accept" | "dismiss", text?: string): Promise<ActionResult> {
    const input = { surface: this.surface, action, ...given({ prompt_text: text }) };
    return (await this.context.call("cdp_handle_dialog", input)).data;
  }

  async close(): Promise<void> {
    const { page_idx } = await this.#info();
    await this.context.call("cdp_close_page", { page_idx });
  }

  async #info(): Promise<PageInfo> {
    const { pages } = (await this.context.call("cdp_list_pages", {})).data;
    const page = pages.find(({ surface }) => surface === this.surface);
    if (page) return page;
    throw new ToolError("window_gone", `The page ${this.surface} is closed.`);
  }
}
