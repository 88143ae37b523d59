import { ToolError } from "../../base/errors.ts";
import { contains, intersect, type Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { isEmptyQuery, matchWindows } from "../../surface/choose-window.ts";
import type { Surface } from "../../surface/surface.ts";
import type { AnyTool } from "../tool.ts";

type Input = Readonly<Record<string, unknown>>;

export interface LookedAt {
  readonly windows: readonly WindowInfo[];
  readonly node?: UiNode | undefined;
}

/**
 * Every window that a call without an action is about: those that the arguments name, those that a picture shows, or
 * the one that has the keyboard focus. Does not fail when that is unknown.
 */
export async function findLookedAt(
  surface: Surface,
  tool: AnyTool,
  input: Input,
  signal: AbortSignal,
): Promise<LookedAt> {
  try {
    const all = await surface.need("windows").list({ signal });
    // A page is all that its tools look at; the windows of a device are what its displays show.
    if (surface.id !== "desktop") return { windows: all.filter(({ isVisible }) => isVisible) };
    const node = nodeOf(surface, input);
    const found = named(surface, input, all, node);
    // What an earlier picture showed is looked at again; unless it was one window, that may be anything.
    const isAgain = tool.captures === true && input["since"] !== undefined && found.length === 0;
    const mode = isAgain ? "screen" : modeOf(tool, input);
    const shown = await pictured(surface, { ...input, mode }, all, signal);
    const isSaid = found.length > 0 || shown.length > 0 || isWide(mode);
    const own = isSaid ? [...found, ...shown] : all.filter(({ isForeground }) => isForeground);
    // If no window is named, the elements of all windows of the app are read.
    const isOfApp = readsTree(tool, input) && !hasOneWindow(input);
    const windows = isOfApp ? all.filter((each) => own.some((one) => one === each || isSameApp(one, each))) : own;
    return { windows: [...new Map(windows.map((window) => [window.id, window])).values()], node };
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return { windows: [] };
  }
}

/** Whether a picture in this mode shows more than one window. */
const isWide = (mode: string | undefined): boolean =>
  mode === "screen" || mode === "fullscreen" || mode === "display" || mode === "region";

/**
 * A tool that takes a picture without naming a part of the screen captures all of it; a recording follows the active
 * window.
 */
function modeOf({ captures, set, input: { shape } }: AnyTool, input: Input): string | undefined {
  const mode = text(input["mode"]);
  if ("mode" in shape && (isWide(mode) || mode === "window" || mode === "element")) return mode;
  if (input["display_id"] !== undefined) return "display";
  return captures === true &&
    set === "vision" &&
    !hasOneWindow(input) &&
    input["app_name"] === undefined &&
    input["pid"] === undefined
    ? "screen"
    : undefined;
}

/** Whether it looks for elements or their texts, not only at pixels. */
const readsTree = ({ needs, input: { shape } }: AnyTool, { mode }: Input): boolean =>
  needs.includes("elements") ||
  (("selector" in shape || "text" in shape) && (!("mode" in shape) || mode === "element"));

const hasOneWindow = (input: Input): boolean =>
  ["window_id", "window_title", "uid", "root", "within", "region", "region_id", "x"].some(
    (field) => input[field] !== undefined,
  );

const isSameApp = (a: WindowInfo, b: WindowInfo): boolean => a.pid !== undefined && a.pid === b.pid;

/** The window of every element, region, screenshot and name in the arguments. */
function named(
  surface: Surface,
  input: Input,
  all: readonly WindowInfo[],
  node: UiNode | undefined,
): readonly WindowInfo[] {
  const region = regionOf(input);
  const frame = text(input["screenshot_id"]) ?? text(input["since"]);
  const ids = [
    node?.windowId,
    nodeAt(surface, input["root"])?.windowId,
    nodeAt(surface, input["within"])?.windowId,
    region === undefined ? undefined : attempt(() => surface.regions.windowOf(surface.regions.find(region))?.id),
    frame === undefined ? undefined : windowOfFrame(surface, frame),
  ];
  const query = {
    windowId: number(input["window_id"]),
    title: text(input["window_title"]),
    appName: text(input["app_name"]),
    pid: number(input["pid"]),
  };
  return [...all.filter(({ id }) => ids.includes(id)), ...(isEmptyQuery(query) ? [] : matchWindows(all, query))];
}

/** The windows at a point, or in the part of the screen that is captured. */
async function pictured(
  surface: Surface,
  input: Input,
  all: readonly WindowInfo[],
  signal: AbortSignal,
): Promise<readonly WindowInfo[]> {
  const shown = all.filter(({ isVisible, isMinimized }) => isVisible && !isMinimized);
  const visibleIn = (area: Rect): readonly WindowInfo[] =>
    shown.filter(({ bounds }, index) => {
      const part = intersect(bounds, area);
      return part && !shown.slice(0, index).some((above) => covers(above.bounds, part));
    });
  if (isWide(text(input["mode"]))) return visibleIn(await areaOf(surface, input, signal));
  const area = rectOf(input["region"]);
  if (area) return visibleIn(area);
  const [x, y] = [number(input["x"]), number(input["y"])];
  if (x === undefined || y === undefined) return [];
  return shown.filter(({ bounds }) => contains(bounds, { x, y })).slice(0, 1);
}

async function areaOf(surface: Surface, input: Input, signal: AbortSignal): Promise<Rect> {
  const id = number(input["display_id"]);
  if (input["mode"] === "display" && id !== undefined) return (await surface.needDisplay(id, signal)).bounds;
  const own = input["mode"] === "region" ? rectOf(input) : undefined;
  return own ?? surface.screenBounds(signal);
}

const covers = (above: Rect, part: Rect): boolean =>
  above.x <= part.x &&
  above.y <= part.y &&
  above.x + above.width >= part.x + part.width &&
  above.y + above.height >= part.y + part.height;

function nodeOf(surface: Surface, input: Input): UiNode | undefined {
  const region = regionOf(input);
  return (
    nodeAt(surface, input["uid"]) ??
    (region === undefined ? undefined : attempt(() => surface.regions.find(region).node))
  );
}

const nodeAt = (surface: Surface, uid: unknown): UiNode | undefined =>
  typeof uid === "string" ? attempt(() => surface.snapshots.find(uid).node) : undefined;

function windowOfFrame(surface: Surface, id: string): number | undefined {
  const source = attempt(() => surface.frames.get(id).source);
  return source?.kind === "window" ? source.windowId : undefined;
}

const regionOf = (input: Input): number | string | undefined => number(input["region"]) ?? text(input["region_id"]);

/** Ignores errors: the call itself will report what is wrong with a name. */
function attempt<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return undefined;
  }
}

function rectOf(value: unknown): Rect | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { x, y, width, height } = value as Partial<Rect>;
  return x === undefined || y === undefined || width === undefined || height === undefined
    ? undefined
    : { x, y, width, height };
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
