import { contains, intersect, type Rect, type ScreenPoint } from "../base/geometry.ts";
import { ToolError } from "../base/errors.ts";
import type { UiNode } from "../base/node.ts";
import { needOpen } from "./choose-window.ts";
import type { GuardedWindow } from "./guard/guarded.ts";
import { readScreen } from "./read-screen.ts";
import type { Surface } from "./surface.ts";

export const underSources = ["accessibility", "dom", "ocr", "window"] as const;

/** What is under the pointer: an element, a text that was read from the pixels, or the window alone. */
export interface Under {
  readonly source: (typeof underSources)[number];
  readonly window: GuardedWindow;
  readonly bounds: Rect;
  readonly role: string;
  readonly name: string;
  /** Missing for what was read, and for a window whose app has no elements. */
  readonly node?: UiNode | undefined;
  /** Innermost first. */
  readonly ancestors: readonly UiNode[];
}

export interface UnderOptions {
  readonly signal: AbortSignal;
  /** Where an app has no element for the place, read the text there. */
  readonly readsText: boolean;
  /** How long to wait for an unresponsive app. */
  readonly timeoutMs?: number | undefined;
}

/** The window at a point; throws `denied` when the rules block it. */
export async function windowUnder(
  surface: Surface,
  point: ScreenPoint,
  signal: AbortSignal,
): Promise<GuardedWindow | undefined> {
  const all = await surface.need("windows").list({ signal });
  const window = all.find(({ bounds, isVisible, isMinimized }) => isVisible && !isMinimized && contains(bounds, point));
  if (window) needOpen(window);
  return window;
}

/** Asks the app of this window once. */
export async function findUnder(
  surface: Surface,
  point: ScreenPoint,
  window: GuardedWindow,
  { signal, readsText, timeoutMs }: UnderOptions,
): Promise<Under> {
  const { elements } = surface.backend;
  const chain = elements ? await asked(elements.at(point, { signal, timeoutMs })) : [];
  const [node, ...ancestors] = chain.slice(indexOfControl(chain));
  const source = elements?.isDocument === true ? "dom" : "accessibility";
  const own: Under = node?.bounds
    ? { source, window, bounds: node.bounds, role: node.role, name: node.name, node, ancestors }
    : { source: "window", window, bounds: window.bounds, role: "window", name: window.title, ancestors: [] };
  if (!readsText || !surface.can("screen") || !isBlank(node)) return own;
  return (await textUnder(surface, point, window, signal)) ?? own;
}

/** Plain X11 apps have no accessibility interface at all; what they show can still be read. */
async function asked(at: Promise<readonly UiNode[]>): Promise<readonly UiNode[]> {
  try {
    return await at;
  } catch (error) {
    if (error instanceof ToolError && (error.code === "not_supported" || error.code === "not_found")) return [];
    throw error;
  }
}

const usable: ReadonlySet<string> = new Set(["press", "toggle", "select", "expand", "set_value"]);
const parts: ReadonlySet<string> = new Set(["text", "label", "image", "unknown"]);
// The text of a button may be in a box.
const deepestPart = 3;

/** The control a person sees there: of the text or icon inside a button, the button. */
function indexOfControl([node, ...ancestors]: readonly UiNode[]): number {
  const isUsable = ({ actions }: UiNode): boolean => actions.some((action) => usable.has(action));
  if (!node || isUsable(node) || !parts.has(node.role)) return 0;
  return ancestors.slice(0, deepestPart).findIndex(isUsable) + 1;
}

const blank: ReadonlySet<string> = new Set(["application", "window", "dialog", "canvas", "image", "unknown"]);

/** It says nothing about what is drawn at the place. */
const isBlank = (node: UiNode | undefined): boolean => node === undefined || blank.has(node.role);

// A line of text, with what is left and right of it.
const reach = { x: 320, y: 40 };
/** A pointer just below a word is meant for it. */
const margin = 3;

async function textUnder(
  surface: Surface,
  { x, y }: ScreenPoint,
  window: GuardedWindow,
  signal: AbortSignal,
): Promise<Under | undefined> {
  const near = { x: x - reach.x, y: y - reach.y, width: 2 * reach.x, height: 2 * reach.y };
  const rect = intersect(near, window.bounds);
  if (!rect) return undefined;
  const picture = await surface.picture({ kind: "region", rect }, { includeCursor: false, signal });
  const { lines } = await readScreen(surface, picture, { signal });
  const line = lines.find(({ box }) => contains(widened(box), { x, y }));
  return line && { source: "ocr", window, bounds: line.box, role: "text", name: line.text, ancestors: [] };
}

const widened = ({ x, y, width, height }: Rect): Rect => ({
  x: x - margin,
  y: y - margin,
  width: width + 2 * margin,
  height: height + 2 * margin,
});
