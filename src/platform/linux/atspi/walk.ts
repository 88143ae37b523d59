import { intersect, type Rect } from "../../../base/geometry.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { optional, rootPath, type App } from "./app.ts";
import {
  hasPlace,
  mayShow,
  readCache,
  readChildren,
  readElement,
  readExtents,
  readStates,
  type Cache,
  type Element,
} from "./element.ts";
import { hasState, roleNumber, stateBit } from "./names.ts";
import type { Popups } from "./popups.ts";
import type { TopLevel } from "./top-levels.ts";
import { pooled } from "./pool.ts";
import { prefetchPlaces } from "./prefetch.ts";
import { quirksOf, type Quirks } from "./quirks.ts";
import { readVisibleChildren } from "./visible-range.ts";

/** A visible element with its place. */
export interface Walked {
  readonly element: Element;
  readonly parent: Walked | undefined;
  readonly topLevel: TopLevel | undefined;
  /** In the program's own coordinates. */
  readonly extents: Rect | undefined;
  /** The area, in the program's coordinates, in which it can be visible; undefined when nothing clips it. */
  readonly clip: Rect | undefined;
  readonly children: Walked[];
  /** Children that were not read. */
  omitted: number;
}

export interface WalkOptions extends BusCallOptions {
  readonly maxNodes: number;
  /** This element was requested explicitly, so include what is scrolled away below it, unless `isPart` is set. */
  readonly root?: string | undefined;
  readonly isPart?: boolean | undefined;
}

// With so few elements, a second round trip costs more than the questions it could save.
const narrowLevel = 60;

/** These open outside their parent, so their parent does not clip them. */
export const uncut = new Set<number>([
  roleNumber.application,
  roleNumber.frame,
  roleNumber.window,
  roleNumber.dialog,
  roleNumber.menu,
  roleNumber.menuBar,
  roleNumber.menuItem,
  roleNumber.popupMenu,
  roleNumber.comboBox,
  roleNumber.pageTab,
  roleNumber.pageTabList,
]);

/**
 * Walks the visible part of one program, level by level: each level costs a few round trips however wide it is. What
 * the program returns in one call (`Cache.GetItems`) is not requested again.
 */
export class Walk {
  readonly #app: App;
  readonly #quirks: Quirks;
  readonly #options: WalkOptions;
  readonly #cache: Cache | undefined;
  readonly #elements = new Map<string, Promise<Element | undefined>>();
  readonly #extents = new Map<string, Rect | undefined>();
  /** Children requested together with their parent. */
  readonly #early = new Map<string, Promise<readonly string[]>>();
  /** Visible children that were not read, where the rest is not worth counting. */
  readonly #unread = new Map<string, number>();
  #popups: Popups | undefined;
  #count = 0;

  private constructor(app: App, cache: Cache | undefined, options: WalkOptions) {
    this.#app = app;
    this.#quirks = quirksOf(app.toolkit);
    this.#cache = cache;
    this.#options = options;
  }

  static async open(app: App, options: WalkOptions): Promise<Walk> {
    // A frozen program must fail at its deadline, but a large tree in one call may take longer than that.
    const [, cache] = await Promise.all([
      app.ping(options),
      // It describes the whole program; a part of it is sooner asked for element by element.
      options.isPart ? undefined : readCache(app, { ...options, timeoutMs: (options.timeoutMs ?? 1500) * 4 }),
    ]);
    return new Walk(app, cache, options);
  }

  get #includesScrolledAway(): boolean {
    return this.#options.root !== undefined && this.#options.isPart !== true;
  }

  /** Whether a walk from the top would have found this element. */
  isVisible(element: Element, extents: Rect | undefined, clip: Rect | undefined): boolean {
    return (!this.#quirks.tellsShowing || mayShow(element)) && this.#shows(element, extents, clip);
  }

  element(path: string): Promise<Element | undefined> {
    const known = this.#elements.get(path) ?? this.#readElement(path);
    this.#elements.set(path, known);
    return known;
  }

  async #readElement(path: string): Promise<Element | undefined> {
    return (await this.#cached(path)) ?? readElement(this.#app, path, this.#options);
  }

  /** The windows of the program. */
  async tops(): Promise<readonly string[]> {
    // The windows of Chromium's own menus are not among its cached ones.
    const cached = this.#app.toolkit === "chromium" ? undefined : this.#cache?.children.get(rootPath);
    return cached ?? readChildren(this.#app, rootPath, this.#options);
  }

  async childrenOf(element: Element): Promise<readonly string[]> {
    const cached = this.#cache?.children.get(element.path);
    if (cached && cached.length >= element.childCount) return cached;
    const early = this.#early.get(element.path);
    if (early) return early;
    return element.childCount > 0 ? readChildren(this.#app, element.path, this.#options) : [];
  }

  /** Reads the tree below the given elements, which are assumed to be visible. */
  async below(roots: readonly Walked[], popups: Popups): Promise<void> {
    this.#popups = popups;
    this.#count += roots.length;
    await this.#prefetch(roots);
    let level = roots.filter(({ element }) => element.childCount > 0);
    while (level.length > 0) {
      const lists = await pooled(level, (walked) => this.#childPaths(walked));
      const found = lists.flatMap((paths, index) => paths.map((path) => ({ path, parent: level[index] as Walked })));
      const next = await this.#visit(found);
      level = this.#keep(level, lists, next).filter(({ element }) => element.childCount > 0);
    }
  }

  async #prefetch(roots: readonly Walked[]): Promise<void> {
    if (!this.#cache) return;
    const paths = roots.map(({ element }) => element.path);
    for (const [path, place] of await prefetchPlaces(this.#app, this.#cache, paths, this.#options)) {
      this.#extents.set(path, place);
    }
  }

  async extentsOf(element: Element): Promise<Rect | undefined> {
    if (this.#extents.has(element.path)) return this.#extents.get(element.path);
    const extents = hasPlace(element) ? await readExtents(this.#app, element.path, this.#options) : undefined;
    this.#extents.set(element.path, extents);
    return extents;
  }

  /** Adds children to their parents, as many as the budget allows; returns those added. */
  #keep(parents: readonly Walked[], lists: readonly (readonly string[])[], found: readonly Walked[]): Walked[] {
    const kept: Walked[] = [];
    for (const walked of found) {
      if (this.#count >= this.#options.maxNodes) {
        if (walked.parent) walked.parent.omitted += 1;
        continue;
      }
      this.#count += 1;
      walked.parent?.children.push(walked);
      kept.push(walked);
    }
    parents.forEach((parent, index) => {
      const unread = Math.max(0, parent.element.childCount - (lists[index]?.length ?? 0));
      parent.omitted += this.#unread.get(parent.element.path) ?? unread;
    });
    return kept;
  }

  async #childPaths(walked: Walked): Promise<readonly string[]> {
    const { element } = walked;
    const left = this.#options.maxNodes - this.#count;
    if (left <= 0) return [];
    const cached = this.#cache?.children.get(element.path);
    if (cached && cached.length >= element.childCount) return cached;
    if (element.childCount <= this.#quirks.manyChildren) return this.childrenOf(element);
    // Requested explicitly, and a page reports all its rows at once.
    if (this.#includesScrolledAway && this.#quirks.scrolls) return (await this.childrenOf(element)).slice(0, left);
    const visible = walked.extents && (walked.clip ? intersect(walked.extents, walked.clip) : walked.extents);
    if (!visible) return [];
    const limit = Math.min(left, 3000);
    const { paths, omitted } = await readVisibleChildren(this.#app, element, visible, limit, this.#options);
    this.#unread.set(element.path, omitted);
    return paths;
  }

  async #visit(found: readonly { path: string; parent: Walked }[]): Promise<readonly Walked[]> {
    const isNarrow = found.length <= narrowLevel;
    const results = await pooled(found, ({ path, parent }) => this.#look(path, parent, isNarrow));
    return results.filter((walked) => walked !== undefined);
  }

  /** Synchronous when the cache and the prefetched places contain everything. */
  #look(path: string, parent: Walked, isNarrow: boolean): Walked | undefined | Promise<Walked | undefined> {
    const cached = this.#cache?.elements.get(path);
    if (!cached || isUncounted(cached)) return this.#ask(path, parent, isNarrow);
    if (this.#isHidden(cached, parent)) return undefined;
    if (hasPlace(cached) && !this.#extents.has(path)) return this.#ask(path, parent, isNarrow);
    return this.#place(cached, this.#extents.get(path), parent);
  }

  async #ask(path: string, parent: Walked, isNarrow: boolean): Promise<Walked | undefined> {
    const cached = await this.#cached(path);
    const canAskAll = !cached && this.#quirks.canAskHidden;
    if (canAskAll && !isNarrow) return this.#askPlaceFirst(path, parent);
    const early = canAskAll ? readExtents(this.#app, path, this.#options) : undefined;
    if (canAskAll) this.#askChildrenEarly(path);
    const [element, extents] = await Promise.all([cached ?? readElement(this.#app, path, this.#options), early]);
    if (!element || this.#isHidden(element, parent)) return undefined;
    return this.#place(element, early ? extents : await this.extentsOf(element), parent);
  }

  /** Only if there were few last time: a table would create thousands of cells for the answer. */
  #askChildrenEarly(path: string): void {
    const count = this.#app.childCounts.get(path) ?? 0;
    if (count === 0 || count > narrowLevel) return;
    const children = readChildren(this.#app, path, this.#options);
    children.catch(() => {});
    this.#early.set(path, children);
  }

  /** For most elements that are scrolled away, two questions are enough to skip the other four. */
  async #askPlaceFirst(path: string, parent: Walked): Promise<Walked | undefined> {
    const [states, extents] = await Promise.all([
      readStates(this.#app, path, this.#options),
      readExtents(this.#app, path, this.#options),
    ]);
    if (!states || (this.#quirks.tellsShowing && !hasState(states, stateBit.showing))) return undefined;
    const clip = clipBelow(parent);
    if (extents && clip && this.#quirks.showsScrolledAway && !intersect(extents, clip)) return undefined;
    const element = await readElement(this.#app, path, this.#options, states);
    return element && this.#place(element, extents, parent);
  }

  /** Whether to leave it out. What is merely scrolled away is counted with its parent. */
  #isHidden(element: Element, parent: Walked): boolean {
    if (!this.#quirks.tellsShowing || mayShow(element)) return false;
    if (!this.#quirks.scrolls || !hasState(element.states, stateBit.visible)) return true;
    if (this.#includesScrolledAway) return false;
    if (isInPage(parent)) parent.omitted += 1;
    return true;
  }

  #place(found: Element, told: Rect | undefined, parent: Walked): Walked | undefined {
    // See `mayShow`: the reported place of a viewport moves with its content.
    const extents = found.role === roleNumber.viewport ? (parent.extents ?? told) : told;
    const element = this.#quirks.hasMenuInCombo && isClosedCombo(found) ? { ...found, childCount: 0 } : found;
    const around = parent.extents;
    const popup = extents && around && this.#popups?.claim({ element, extents, around }, parent.topLevel);
    if (popup === "closed") return undefined;
    const clip = popup ? undefined : clipBelow(parent);
    this.#app.childCounts.set(element.path, element.childCount);
    if (!this.#shows(element, extents, clip)) return undefined;
    return { element, parent, topLevel: popup ?? parent.topLevel, extents, clip, children: [], omitted: 0 };
  }

  /**
   * The ATK bridge reports no child count for menus, nor for lists and tables, whose items it leaves out of the
   * cache.
   */
  async #cached(path: string): Promise<Element | undefined> {
    const element = this.#cache?.elements.get(path);
    if (!element || !isUncounted(element)) return element;
    const childCount = await optional(this.#app.get<number>(path, "Accessible.ChildCount", this.#options));
    return { ...element, childCount: childCount ?? 0 };
  }

  #shows(element: Element, extents: Rect | undefined, clip: Rect | undefined): boolean {
    // LibreOffice describes the menu bar that GTK draws for it a second time, without a place.
    if (!extents && element.role === roleNumber.menuBar && hasPlace(element)) return false;
    // In GTK 3 the children of a table have no place while they are being built, but they are visible.
    if (!extents) return !hasPlace(element) || (this.#quirks.tellsShowing && !this.#quirks.showsScrolledAway);
    return clip === undefined || !this.#quirks.showsScrolledAway || intersect(extents, clip) !== undefined;
  }
}

const isUncounted = ({ childCount, states }: Element): boolean =>
  childCount < 0 || (childCount === 0 && hasState(states, stateBit.managesDescendants));

const isClosedCombo = ({ role, states }: Element): boolean =>
  role === roleNumber.comboBox && !hasState(states, stateBit.expanded);

function isInPage(walked: Walked): boolean {
  for (let each: Walked | undefined = walked; each; each = each.parent) {
    if (each.element.role === roleNumber.documentWeb) return true;
  }
  return false;
}

function clipBelow(parent: Walked): Rect | undefined {
  if (uncut.has(parent.element.role)) return undefined;
  if (!parent.extents) return parent.clip;
  return parent.clip ? (intersect(parent.extents, parent.clip) ?? parent.extents) : parent.extents;
}
