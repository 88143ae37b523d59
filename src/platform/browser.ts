import type { Rect } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { Backend, CallOptions } from "./backend.ts";
import type { PageDialog, PageTrouble } from "./page-acts.ts";

/**
 * What the browser tools need beyond the contract of a surface. Every page is a surface too (`backend`), so whatever
 * works on a desktop works on a page; this is the part only pages have.
 */
export interface Browsers extends AsyncDisposable {
  connect(endpoint: BrowserEndpoint, options: CallOptions): Promise<BrowserInfo>;
  /** What `launch` would start: the program of this name or path, else the first installed one. Starts nothing. */
  find(executable: string | undefined): Promise<FoundBrowser | undefined>;
  launch(request: LaunchBrowser, options: CallOptions): Promise<BrowserInfo & { readonly alreadyRunning: boolean }>;
  /** Disconnects from one browser, or from all, without closing any. Returns how many were connected. */
  disconnect(id: string | undefined): Promise<number>;
  /** Quits one browser, or all, that handsight started; no other is touched. Returns their names. */
  quit(id: string | undefined, options: CallOptions): Promise<readonly string[]>;
  /** The pages of all browsers in a stable order. `not_connected` when there is no browser. */
  pages(options: CallOptions): Promise<readonly PageInfo[]>;
  /** The page with this id, else the selected one. */
  page(id: string | undefined, options: CallOptions): Promise<Page>;
  /** The page an element ref belongs to. */
  pageOf(ref: string, options: CallOptions): Promise<Page>;
  /**
   * The target id of a page, which is the same in every process: the page a ref belongs to, the page with this id, or
   * the selected one. Undefined when there is none.
   */
  target(of: PageName): string | undefined;
  /** What is already known about that page, without asking the browser; undefined when there is none. */
  known(of: PageName): (PageInfo & { readonly isOurs: boolean }) | undefined;
  /** Whether we started every browser here. Also true when there is none. */
  areOurs(): boolean;
  select(id: string, options: CallOptions): Promise<PageInfo>;
  open(url: string, browser: string | undefined, options: CallOptions): Promise<Page>;
  close(id: string, options: CallOptions): Promise<void>;
}

/**
 * The rule that keeps a frame with this address and title from being seen and used, by its name. Whoever opens the browsers
 * gives it: this layer knows no rules.
 */
export type RuleAgainstFrame = (place: { readonly url: string; readonly title: string }) => string | undefined;

export interface PageName {
  readonly ref?: string | undefined;
  readonly id?: string | undefined;
}

export interface BrowserEndpoint {
  readonly host: string;
  readonly port: number;
  /** Called after disconnecting, to remove the port forwarding to the browser. */
  readonly release?: (() => Promise<void>) | undefined;
}

export interface FoundBrowser {
  /** As it is found. */
  readonly executable: string;
  /** As it is run, links followed. */
  readonly file: string;
  /** One of the browsers that are known by name, as installed here. */
  readonly isKnown: boolean;
}

export interface LaunchBrowser {
  readonly executable?: string | undefined;
  readonly profile?: string | undefined;
  /** Undefined: headless if there is no display. */
  readonly headless?: boolean | undefined;
  readonly url?: string | undefined;
  readonly args: readonly string[];
  readonly timeoutMs: number;
}

export interface BrowserInfo {
  readonly id: string;
  readonly product: string;
  readonly host: string;
  readonly port: number;
  readonly pages: readonly PageInfo[];
}

export interface PageInfo {
  /** "page:3": the surface's id. */
  readonly id: string;
  readonly browser: string;
  readonly url: string;
  readonly title: string;
  readonly isSelected: boolean;
  /** The rule that blocks what made it, where its own address does not say who that was: a popup of a blocked frame. */
  readonly blockedBy?: string | undefined;
}

export interface PageNode extends UiNode {
  /** `d12`; empty for text that belongs to an element listed elsewhere. */
  readonly ref: string;
  readonly depth: number;
  readonly level?: number | undefined;
}

export interface PageTree {
  readonly nodes: readonly PageNode[];
  readonly total: number;
  readonly inventory: Readonly<Record<string, number>>;
  /** Only the beginning of a very large page was read; there are more elements than counted. */
  readonly isPartial: boolean;
  readonly url: string;
  readonly title: string;
}

export interface ElementAtPoint {
  readonly backendNodeId: number;
  /** Where the point is on the page. */
  readonly x: number;
  readonly y: number;
  /** Set when the element already has a ref. */
  readonly node?: PageNode | undefined;
}

export interface Page {
  readonly id: string;
  readonly backend: Backend;
  info(options?: CallOptions): Promise<PageInfo>;
  /** Errors on the page since the last call. */
  trouble(): PageTrouble | undefined;
  dialog(): PageDialog | undefined;
  /** Without positions; `backend.elements` has those. */
  tree(options: CallOptions & { readonly maxNodes: number }): Promise<PageTree>;
  search(
    query: { readonly text: string; readonly role: string; readonly max: number },
    options: CallOptions,
  ): Promise<PageTree & { readonly matches: number }>;
  waitForText(
    texts: readonly string[],
    options: CallOptions & { readonly timeoutMs: number },
  ): Promise<{ readonly text: string; readonly ms: number } | undefined>;
  /** `point` is in the units of the desktop that shows the window. */
  elementAt(point: { readonly x: number; readonly y: number }, options: CallOptions): Promise<ElementAtPoint>;
  /** Where a rectangle of the page is on the desktop. */
  toDesktop(rect: Rect, options: CallOptions): Promise<Rect>;
}
