import { ToolError } from "../base/errors.ts";
import { contains, sameRect, screenPoint, type ScreenPoint } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { WindowInfo } from "../platform/backend.ts";
import { readTree } from "./find-element.ts";
import { stableIds } from "./identity.ts";
import type { Region } from "./regions.ts";
import { selectorOf } from "./selector-of.ts";
import type { Surface } from "./surface.ts";
import { findUnder, windowUnder, type Under } from "./under-pointer.ts";

/** What a person has pointed at, and how to find it again. */
export interface Picked extends Under {
  readonly stableId?: string | undefined;
  /** Finds it, and nothing else, in its window. */
  readonly selector?: string | undefined;
  /** The number of it in the latest marks. */
  readonly region?: Region | undefined;
}

export interface PickedOptions {
  /** Whether this window may be looked at. Not called for blocked windows. */
  readonly permits: (window: WindowInfo) => boolean;
  readonly signal: AbortSignal;
}

// More than any app shows at once; a table with a hundred thousand rows is cut here.
const mostNodes = 20_000;

/** What is at the point; undefined when no window is there. Throws `denied` when the window may not be looked at. */
export async function findPicked(
  surface: Surface,
  at: ScreenPoint,
  { permits, signal }: PickedOptions,
): Promise<Picked | undefined> {
  const window = await windowUnder(surface, at, signal);
  if (!window) return undefined;
  if (!permits(window)) {
    throw new ToolError("denied", "A rule of the rule file keeps the window there from being picked in.", {
      hint: "Only a person can change that, in the rule file (--rules).",
    });
  }
  const under = await findUnder(surface, at, window, { signal, readsText: true });
  const names = under.node && (await namesOf(surface, under.node, window, signal));
  return { ...under, ...names, region: regionOf(surface, under, at) };
}

/** Without them the element still has a uid, and its place. */
async function namesOf(
  surface: Surface,
  node: UiNode,
  { id: windowId }: WindowInfo,
  signal: AbortSignal,
): Promise<Partial<Picked>> {
  try {
    const { nodes } = await readTree(surface, { window: { windowId } }, mostNodes, signal);
    const own =
      nodes.find(({ runtimeId }) => runtimeId === node.runtimeId) ?? nodes.find((each) => isAlike(each, node));
    if (!own) return {};
    return { node: own, stableId: stableIds(nodes).get(own.runtimeId), selector: selectorOf(own, nodes, windowId) };
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return {};
  }
}

/** Some apps describe the same thing by a new object each time. */
const isAlike = (a: UiNode, b: UiNode): boolean =>
  a.role === b.role &&
  a.name === b.name &&
  a.bounds !== undefined &&
  b.bounds !== undefined &&
  sameRect(a.bounds, b.bounds);

/** The region that is this element; else the smallest one there that was only seen in the picture. */
function regionOf({ regions }: Surface, { node, window }: Under, { x, y }: ScreenPoint): Region | undefined {
  const own = node && regions.latest.find((region) => region.node?.runtimeId === node.runtimeId);
  const moved = regions.movedSince(window.id, window.bounds);
  if (own || !moved) return own;
  const then = screenPoint(x - moved.x, y - moved.y);
  const [smallest] = regions.latest
    .filter((region) => region.node === undefined && regions.windowOf(region)?.id === window.id)
    .filter(({ rect }) => contains(rect, then))
    .toSorted((a, b) => a.rect.width * a.rect.height - b.rect.width * b.rect.height);
  return smallest;
}
