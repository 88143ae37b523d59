import { contains, type Rect } from "../../../base/geometry.ts";
import type { UiNode } from "../../../base/node.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import type { WindowDetails } from "../windows/details.ts";
import { optional, rootPath, type App } from "./app.ts";
import { deepest, readClip } from "./clip.ts";
import { readDetails, toNode } from "./describe.ts";
import { mayShow, readChildren, readElement, readExtents, readParent, topLevelOf, type Element } from "./element.ts";
import { hasState, roleNumber, roleOf, stateBit } from "./names.ts";
import { readPopups } from "./popups.ts";
import { matchTopLevels, type Frame, type TopLevel } from "./top-levels.ts";
import { quirksOf } from "./quirks.ts";
import { readTree } from "./tree.ts";
import { readAt } from "./visible-range.ts";
import { uncut } from "./walk.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LocateOptions extends BusCallOptions {
  readonly windows: readonly WindowDetails[] | Promise<readonly WindowDetails[]>;
}

/** The program's windows; reads nothing else. */
export async function readTopLevels(app: App, options: LocateOptions): Promise<readonly TopLevel[]> {
  const frames = await Promise.all(
    (await readChildren(app, rootPath, options)).map(async (path): Promise<Frame | undefined> => {
      const element = await readElement(app, path, options);
      return element && { element, extents: await readExtents(app, path, options) };
    }),
  );
  const windows = await options.windows;
  const topLevels = matchTopLevels(
    app,
    frames.filter((frame) => frame !== undefined),
    windows,
  );
  return app.popups.size === 0 ? topLevels : [...topLevels, ...(await readPopups(app, topLevels, windows, options))];
}

/** The element as it is now, or undefined when it is gone. */
export async function readNode(
  app: App,
  path: string,
  topLevels: readonly TopLevel[] | Promise<readonly TopLevel[]>,
  options: BusCallOptions,
): Promise<UiNode | undefined> {
  const element = await readElement(app, path, options);
  if (!element) return undefined;
  const canAsk = quirksOf(app.toolkit).canAskHidden || hasState(element.states, stateBit.showing);
  const [extents, parent, top, details, clip] = await Promise.all([
    canAsk ? readExtents(app, path, options) : undefined,
    readParent(app, path, options),
    topLevelOf(app, path, options),
    readDetails(app, element, options),
    canAsk && !uncut.has(element.role) ? readClip(app, path, options) : undefined,
  ]);
  const topLevel = (await topLevels).find((each) => each.path === top);
  // In a popover that has closed nothing has a place any more.
  const isLost = !topLevel && quirksOf(app.toolkit).placesPopupsAtOpener;
  const toScreen = (rect: Rect | undefined) =>
    rect && !isLost ? (topLevel ? topLevel.toScreen(rect) : rect) : undefined;
  return toNode(app, element, details, {
    parent: parent === rootPath ? undefined : parent,
    bounds: toScreen(extents),
    clip: toScreen(clip),
    windowId: topLevel?.windowId,
  });
}

/** Containers with more children than this are not searched child by child for what is at a point. */
const fewChildren = 200;

/** Paths from the most specific element at a point up to its window; empty when the program has none there. */
export async function findAt(
  app: App,
  point: Point,
  windowId: number,
  topLevels: readonly TopLevel[],
  options: LocateOptions,
): Promise<readonly string[]> {
  const popover = [...app.popups].find(([, shownIn]) => shownIn === windowId)?.[0];
  if (popover !== undefined) return (await searchTree(app, point, { windowId, root: popover }, options)) ?? [];
  const topLevel = topLevels.find((each) => each.windowId === windowId);
  // Chromium confuses logical and physical pixels when asked what is at a point.
  const canAsk = app.pageScale === 1;
  const hit = topLevel && canAsk && (await descend(app, topLevel, point, options));
  const chain = hit ? await ancestors(app, hit.path, options) : [];
  const isMissed =
    hit && quirksOf(app.toolkit).missesPoints && !(await isThere(app, hit.path, topLevel, point, options));
  if (hit && !isMissed && !(isBare(hit) && hit.childCount > 0)) return chain;
  return (await searchTree(app, point, { windowId }, { ...options, isMenu: topLevel === undefined })) ?? chain;
}

async function isThere(
  app: App,
  path: string,
  topLevel: TopLevel,
  point: Point,
  options: BusCallOptions,
): Promise<boolean> {
  const extents = await readExtents(app, path, options);
  return extents === undefined || contains(extents, topLevel.fromScreen(point));
}

async function descend(
  app: App,
  topLevel: TopLevel,
  point: Point,
  options: BusCallOptions,
): Promise<Element | undefined> {
  const own = topLevel.fromScreen(point);
  let current = topLevel.path;
  const seen = new Set<string>();
  for (let depth = 0; depth < deepest && !seen.has(current); depth++) {
    seen.add(current);
    const asked = await readAt(app, current, own, options);
    // Some return themselves although they have children there; then the children's places decide.
    const next = asked !== undefined && asked !== current ? asked : await childAt(app, current, own, options);
    if (next === undefined) break;
    current = next;
  }
  return readElement(app, current, options);
}

/** The smallest child that is visible at the point. */
async function childAt(app: App, path: string, point: Point, options: BusCallOptions): Promise<string | undefined> {
  const count = await optional(app.get<number>(path, "Accessible.ChildCount", options));
  if (typeof count !== "number" || count === 0 || count > fewChildren) return undefined;
  const { canAskHidden, tellsShowing } = quirksOf(app.toolkit);
  const children = await Promise.all(
    (await readChildren(app, path, options)).map(async (child) => {
      const element = await readElement(app, child, options);
      const isShown = element && mayShow(element);
      if (!element || (tellsShowing && !isShown) || (!canAskHidden && !isShown)) return undefined;
      const extents = await readExtents(app, child, options);
      if (extents && contains(extents, point)) return { child, size: extents.width * extents.height };
      // In GTK 3 the page is a child of its tab, whose own place is only the handle; see also `mayShow`.
      const isPage = element.role === roleNumber.pageTab && hasState(element.states, stateBit.selected);
      const isElsewhere = isPage || element.role === roleNumber.viewport;
      return isElsewhere && element.childCount > 0 ? { child, size: Infinity } : undefined;
    }),
  );
  return children
    .filter((each) => each !== undefined)
    .sort((a, b) => a.size - b.size)
    .at(0)?.child;
}

/** A box that may contain something more specific that the program did not report. */
const isBare = ({ role }: Element): boolean => boxes.has(roleOf(role));
const boxes = new Set(["group", "scrollarea", "document", "unknown", "tablist", "window", "dialog"]);

async function ancestors(app: App, path: string, options: BusCallOptions): Promise<readonly string[]> {
  const chain = [path];
  for (let depth = 0; depth < deepest; depth++) {
    const parent = await readParent(app, chain.at(-1) ?? path, options);
    if (parent === undefined || parent === rootPath) return chain;
    chain.push(parent);
  }
  return chain;
}

/** Menus and other things outside their parent's place can only be found by searching everything visible. */
async function searchTree(
  app: App,
  point: Point,
  where: { readonly windowId: number; readonly root?: string },
  { isMenu = false, ...options }: LocateOptions & { readonly isMenu?: boolean },
): Promise<readonly string[] | undefined> {
  const { nodes } = await readTree(app, { ...options, maxNodes: 5000, ...where });
  const byId = new Map(nodes.map((node) => [node.runtimeId, node]));
  const depthOf = (node: UiNode): number => {
    let depth = 0;
    for (let each: UiNode | undefined = node; each?.parent; each = byId.get(each.parent)) depth++;
    return depth;
  };
  const isInMenu = (node: UiNode): boolean => {
    for (let each: UiNode | undefined = node; each; each = each.parent ? byId.get(each.parent) : undefined) {
      if (each.role === "menu") return true;
    }
    return false;
  };
  const there = nodes.filter(({ bounds }) => bounds && contains(bounds, point));
  // The entries of a GTK 3 menu belong to the window below it, where something else may be at this point.
  const inMenu = isMenu ? there.filter(isInMenu) : [];
  const [best] = (inMenu.length > 0 ? inMenu : there)
    .map((node) => ({ node, depth: depthOf(node) }))
    .sort((a, b) => b.depth - a.depth);
  if (!best) return undefined;
  const chain: string[] = [];
  for (let each: UiNode | undefined = best.node; each; each = each.parent ? byId.get(each.parent) : undefined) {
    const path = app.toPath(each.runtimeId);
    if (path !== undefined) chain.push(path);
  }
  return chain;
}

/**
 * The focused element of the program. Collection.GetMatches would need just one call, but it makes GTK 3 build every
 * cell of every table first: 1.5 s for 5000 rows.
 */
export async function findFocused(app: App, options: LocateOptions): Promise<string | undefined> {
  const { nodes } = await readTree(app, { ...options, maxNodes: 5000 });
  const focused = nodes.filter(({ states }) => states.includes("focused"));
  // Qt also marks the inside of a text field as focused, which cannot have the focus.
  const best = focused.findLast(({ states }) => states.includes("focusable")) ?? focused.at(-1);
  return best && app.toPath(best.runtimeId);
}
