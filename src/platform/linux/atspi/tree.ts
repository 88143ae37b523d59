import { ToolError } from "../../../base/errors.ts";
import type { Rect } from "../../../base/geometry.ts";
import type { UiNode } from "../../../base/node.ts";
import type { Tree } from "../../backend.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import type { WindowDetails } from "../windows/details.ts";
import { rootPath, type App } from "./app.ts";
import { isPlaceholder, readDetails, toNode, type Details } from "./describe.ts";
import { readControlled, topLevelOf } from "./element.ts";
import { hasState, roleNumber, stateBit } from "./names.ts";
import { findNamedCell } from "./named-cell.ts";
import { Popups, readPopups } from "./popups.ts";
import { matchTopLevels, type TopLevel } from "./top-levels.ts";
import { pooled } from "./pool.ts";
import { quirksOf } from "./quirks.ts";
import { readClip } from "./clip.ts";
import { uncut, Walk, type Walked } from "./walk.ts";

export interface ReadTreeOptions extends BusCallOptions {
  readonly maxNodes: number;
  readonly windowId?: number | undefined;
  /** Windows that this one has opened. GTK 3 and Chromium report what is in a menu as a top level of its own. */
  readonly popupIds?: readonly number[] | undefined;
  /** The path of an element; read only this element and its descendants. */
  readonly root?: string | undefined;
  /** Leave out what is not visible, as in the whole tree. */
  readonly isPart?: boolean | undefined;
  /** Also the cell of this name, wherever its table is scrolled. */
  readonly cell?: string | undefined;
  readonly windows: readonly WindowDetails[] | Promise<readonly WindowDetails[]>;
}

/** What is visible of a program, of one of its windows, or below one of its elements. */
export async function readTree(app: App, options: ReadTreeOptions): Promise<Tree> {
  const roots = await walkTree(app, options);
  if (app.toolkit === "chromium" && roots.length > 0 && options.root === undefined) needPages(roots);
  const hidden = await hiddenPages(app, roots, options);
  const isShown = ({ element: { path } }: Walked): boolean => !hidden.has(path);
  const found = roots.flatMap((root) => preorder(root, isShown)).filter((each) => !isEmptyShell(each));
  // Some programs list an element below two others.
  const seen = new Set<string>();
  const visible = found.filter(({ element: { path } }) => !seen.has(path) && seen.add(path));
  const cell = options.cell === undefined ? undefined : await findNamedCell(app, visible, options.cell, options);
  const walked = cell ? [...visible, cell] : visible;
  const details = await pooled(walked, ({ element }) => readDetails(app, element, options));
  const nodes = walked.map((each, index) => toUiNode(app, each, details[index] ?? {}));
  for (const { element, parent, topLevel } of walked) {
    if (topLevel) app.topLevels.set(element.path, topLevel.path);
    if (parent) app.parents.set(element.path, parent.element.path);
  }
  return {
    nodes,
    omitted: walked
      .filter(({ omitted }) => omitted > 0)
      .map(({ element, omitted }) => ({ parent: app.toId(element.path), count: omitted })),
  };
}

function needPages(roots: readonly Walked[]): void {
  if (roots.some(({ children, omitted }) => children.length + omitted > 0)) return;
  throw new ToolError("not_supported", "The program exposes its windows, but not what is in them.", {
    hint: "If it has just started, try again. Chromium and Electron apps need --force-renderer-accessibility when they start: quit_app it, then launch_app adds that; otherwise use screenshots.",
  });
}

export async function walkTree(app: App, options: ReadTreeOptions): Promise<readonly Walked[]> {
  const walk = await Walk.open(app, options);
  const topLevels = await findTopLevels(app, walk, options.windows);
  const isWhole = options.root === undefined || options.root === rootPath;
  const popups = isWhole ? [] : await readPopups(app, topLevels, await options.windows, options);
  const roots =
    options.root === undefined || isWhole
      ? await windowRoots(walk, topLevels, options)
      : await elementRoot(app, walk, [...topLevels, ...popups], options.root, options);
  if (isWhole) app.popups.clear();
  await walk.below(roots, new Popups(app, topLevels, await options.windows));
  return roots;
}

/** Every window of the program, with its X window. */
export async function findTopLevels(
  app: App,
  walk: Walk,
  windows: ReadTreeOptions["windows"],
): Promise<readonly TopLevel[]> {
  const paths = await walk.tops();
  const frames = await Promise.all(
    paths.map(async (path) => {
      const element = await walk.element(path);
      return element && { element, extents: await walk.extentsOf(element) };
    }),
  );
  return matchTopLevels(
    app,
    frames.filter((frame) => frame !== undefined),
    await windows,
  );
}

async function windowRoots(
  walk: Walk,
  topLevels: readonly TopLevel[],
  { windowId, popupIds = [] }: ReadTreeOptions,
): Promise<readonly Walked[]> {
  const isPopup = (each: TopLevel): boolean => each.windowId !== undefined && popupIds.includes(each.windowId);
  const named = topLevels.filter((each) => each.windowId === windowId);
  const asked = named.length === 0 ? named : [...named, ...topLevels.filter(isPopup)];
  // To X a menu or tooltip is a window of its own, but it belongs to the element that opened it.
  const chosen = windowId === undefined || asked.length === 0 ? topLevels : asked;
  const roots = await Promise.all(
    chosen.map(async (topLevel): Promise<Walked | undefined> => {
      const element = await walk.element(topLevel.path);
      if (!element) return undefined;
      const extents = await walk.extentsOf(element);
      return { element, parent: undefined, topLevel, extents, clip: undefined, children: [], omitted: 0 };
    }),
  );
  return roots.filter((root) => root !== undefined);
}

async function elementRoot(
  app: App,
  walk: Walk,
  topLevels: readonly TopLevel[],
  path: string,
  options: ReadTreeOptions,
): Promise<readonly Walked[]> {
  const [element, top] = await Promise.all([walk.element(path), topLevelOf(app, path, options)]);
  if (!element) return [];
  const topLevel = topLevels.find((each) => each.path === top);
  const [extents, clip] = await Promise.all([
    walk.extentsOf(element),
    options.isPart && !uncut.has(element.role) ? readClip(app, path, options) : undefined,
  ]);
  if (options.isPart && !walk.isVisible(element, extents, clip)) return [];
  return [{ element, parent: undefined, topLevel, extents, clip, children: [], omitted: 0 }];
}

/** The page of a hidden tab in GTK 4: it has no place, and nothing in it is visible. */
const isEmptyShell = ({ element, extents, children, omitted }: Walked): boolean =>
  !extents && element.childCount > 0 && children.length === 0 && omitted === 0 && element.role !== roleNumber.frame;

/**
 * Pages of tabs that are not in front. In GTK 4 a page that was in front before keeps its place, as does everything
 * in it.
 */
async function hiddenPages(app: App, roots: readonly Walked[], options: BusCallOptions): Promise<ReadonlySet<string>> {
  if (quirksOf(app.toolkit).tellsShowing) return new Set();
  const behind = roots
    .flatMap((root) => preorder(root))
    .filter(({ element: { role, states } }) => role === roleNumber.pageTab && !hasState(states, stateBit.selected));
  return new Set((await pooled(behind, ({ element }) => readControlled(app, element.path, options))).flat());
}

function preorder(walked: Walked, isWanted: (walked: Walked) => boolean = () => true): readonly Walked[] {
  const list: Walked[] = [];
  const stack = [walked];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (!isWanted(next)) continue;
    list.push(next);
    for (let index = next.children.length - 1; index >= 0; index--) stack.push(next.children[index] as Walked);
  }
  return list;
}

function toUiNode(app: App, walked: Walked, details: Details): UiNode {
  const { element, parent, topLevel, extents, clip } = walked;
  const toScreen = (rect: Rect | undefined) => rect && (topLevel ? topLevel.toScreen(rect) : rect);
  const node = toNode(app, element, details, {
    parent: parent?.element.path,
    bounds: toScreen(extents),
    clip: toScreen(clip),
    windowId: topLevel?.windowId,
  });
  if (!isPlaceholder(app, element) && !(app.toolkit === "gtk4" && element.role === roleNumber.comboBox)) return node;
  const labels = labelsIn(walked);
  if (element.role === roleNumber.comboBox) return { ...node, value: labels };
  return containers.has(node.role) ? node : { ...node, name: labels };
}

/** The labels inside these are the names of other elements. */
const containers = new Set([
  "list",
  "table",
  "tree",
  "tablist",
  "menubar",
  "toolbar",
  "scrollarea",
  "window",
  "dialog",
]);

const longestName = 200;

/** The texts of the labels inside, which a person would take for the name. What it has opened has its own. */
function labelsIn(walked: Walked): string {
  const labels = preorder(walked, ({ topLevel }) => topLevel === walked.topLevel)
    .filter(({ element }) => element.role === roleNumber.label)
    .map(({ element }) => element.name);
  return [...new Set(labels)].join(" ").slice(0, longestName);
}
