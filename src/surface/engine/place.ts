import { ToolError } from "../../base/errors.ts";
import { contains, type Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import { foldText, hasAsWords } from "../../base/match-text.ts";
import { quote } from "../../base/quote.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { isEmptyQuery, type WindowQuery } from "../choose-window.ts";
import { calm } from "../verify.ts";
import { describeNode, findByStableId, findElement, pointOf, readAgain } from "../find-element.ts";
import { findOnScreen } from "../find-on-screen.ts";
import { needInWindow } from "../named-window.ts";
import { follow } from "../regions.ts";
import { evidenceMs } from "../silence.ts";
import type { Subject } from "../state.ts";
import type { Surface } from "../surface.ts";
import type { ElementTarget, Target } from "../target.ts";
import { aim, type Aim } from "./aim.ts";

/** Where an action goes: a point, an element, or both. */
export interface Place {
  readonly aim?: Aim | undefined;
  readonly node?: UiNode | undefined;
  readonly window?: WindowInfo | undefined;
  /** For a region that is not an element: the area it covers. */
  readonly rect?: Rect | undefined;
}

/** With these errors the text may still be found in the picture: no element has it, or there are no elements. */
const withoutElement: ReadonlySet<string> = new Set(["not_found", "not_supported", "ax_error"]);

/** Where the target is now. */
export async function findPlace(surface: Surface, target: Target, signal: AbortSignal): Promise<Place> {
  switch (target.form) {
    case "region":
      return inWindow(surface, target, await findRegion(surface, target.region, signal), signal);
    case "element":
    case "selector":
    case "text":
    case "stable id":
      return findElementPlace(surface, target, signal);
    default: {
      const found = await aim(surface, target, signal);
      return inWindow(surface, target, { aim: found, window: found.window }, signal);
    }
  }
}

/** The same place; throws if the caller named another window than the one it is in. */
async function inWindow(surface: Surface, { window }: Target, place: Place, signal: AbortSignal): Promise<Place> {
  if (!window || isEmptyQuery(window)) return place;
  const at = place.window ?? (place.aim && (await windowAt(surface, place.aim.point, signal)));
  await needInWindow(surface, window, { windowId: at?.id, pid: at?.pid }, signal);
  return place;
}

async function findElementPlace(surface: Surface, target: ElementTarget, signal: AbortSignal): Promise<Place> {
  try {
    const node = await findTargetNode(surface, target, signal);
    return { node, window: await windowOf(surface, node, signal) };
  } catch (error) {
    const isUnknown = error instanceof ToolError && withoutElement.has(error.code);
    if (target.form !== "text" || target.isField || target.within !== undefined || !isUnknown || signal.aborted)
      throw error;
    const read = await findReadText(surface, target.text, target.window ?? {}, signal);
    if (read) return read;
    if (error.code !== "not_supported") throw error;
    throw new ToolError("not_found", `The text "${target.text}" is not in the picture of the window.`, {
      hint: "The window has no elements, so only what it shows can be found. Take a screenshot to see it, or scroll.",
      cause: error,
    });
  }
}

function findTargetNode(surface: Surface, target: ElementTarget, signal: AbortSignal): Promise<UiNode> {
  if (target.form === "stable id")
    return findByStableId(surface, target.stableId, { window: target.window ?? {} }, signal);
  const ref = target.form === "element" ? undefined : target.within;
  return findElement(surface, target, { window: target.window ?? {}, ref }, signal);
}

/** The element of a target, for actions that need an element. */
export async function findNode(surface: Surface, target: Target, signal: AbortSignal): Promise<UiNode> {
  if (target.form === "region") {
    const node = await needRegionNode(surface, target.region, signal);
    await needInWindow(surface, target.window, node, signal);
    return node;
  }
  if (target.form === "element" || target.form === "selector" || target.form === "stable id" || target.form === "text")
    return findTargetNode(surface, target, signal);
  throw new ToolError("invalid_argument", "A point is given where an element is needed.", {
    hint: "Name the element: uid, selector, text or region.",
  });
}

/** Where a marked region is now: its element, or its place, which moves with its window. */
export async function findRegion(surface: Surface, wanted: number | string, signal: AbortSignal): Promise<Place> {
  const region = surface.regions.find(wanted);
  if (region.node) {
    const node = await readAgain(surface, region.node, surface.regions.witnessesOf(region), signal);
    if (!node) {
      throw new ToolError("uid_not_found", `Region ${region.number} (${describeNode(region.node)}) is gone.`, {
        hint: "Call mark_regions again and use its numbers.",
      });
    }
    return { node, window: await windowOf(surface, node, signal) };
  }
  const seen = surface.regions.windowOf(region);
  if (!seen) return { aim: { form: "region", point: region.point }, rect: region.rect };
  const window = await surface.needWindow(seen.id, signal);
  const { point, rect } = follow(region, seen.bounds, window.bounds);
  return { aim: { form: "region", point, window }, window, rect };
}

/** The element of a marked region, for actions that need an element. */
async function needRegionNode(surface: Surface, wanted: number | string, signal: AbortSignal): Promise<UiNode> {
  const { node, aim: place } = await findRegion(surface, wanted, signal);
  if (node) return node;
  throw new ToolError("not_dispatchable", `Region ${wanted} was found in the picture; it has no element.`, {
    hint: "Use click or type_text with the region.",
    ...(place ? { fallback: { x: place.point.x, y: place.point.y } } : {}),
  });
}

/**
 * A text that no element has, found in the picture of the window. If it appears several times, the caller must
 * choose.
 */
async function findReadText(
  surface: Surface,
  text: string,
  query: WindowQuery,
  signal: AbortSignal,
): Promise<Place | undefined> {
  const found = await findOnScreen(surface, text, { query, others: true }, signal);
  const matches = found.filter(({ text: read }) => !isInsideWord(read, text));
  const best = matches.filter(({ rank }) => rank === matches[0]?.rank);
  const [first] = best;
  if (!first) return undefined;
  const candidates = best.slice(0, 10).map((each) => `${quote(each.text)} at ${each.point.x},${each.point.y}`);
  if (first.isOther) {
    throw new ToolError("not_found", `The text "${text}" is not there, only one that differs in a letter.`, {
      hint: `If you mean "${first.text}", name it so, or pass its x and y.`,
      candidates,
    });
  }
  if (best.length > 1) {
    throw new ToolError("ambiguous_target", `The text "${text}" was read in ${best.length} places.`, {
      hint: "Pass x and y of one of the candidates.",
      candidates,
    });
  }
  const { point, window } = first;
  return { aim: { form: "text in the picture", point, ...(window ? { window } : {}) }, window };
}

/** A person who says "OK" does not mean "Book". */
const isInsideWord = (read: string, wanted: string): boolean =>
  foldText(read).includes(foldText(wanted)) && !hasAsWords(foldText(read), foldText(wanted));

/** The window that contains an element: the one it names, or the topmost window of its app at that point. */
export async function windowOf(surface: Surface, node: UiNode, signal: AbortSignal): Promise<WindowInfo | undefined> {
  const all = await surface.need("windows").list({ signal });
  const own = all.find(({ id }) => id === node.windowId);
  if (own) return own;
  const point = pointOf(node);
  return all.find((window) => window.pid === node.pid && window.isVisible && point && contains(window.bounds, point));
}

/** The point for the pointer. An element without one cannot be reached by input. */
export async function needAim(surface: Surface, place: Place, signal: AbortSignal): Promise<Aim> {
  if (place.aim) return place.aim;
  needUncovered(place.node);
  const point = place.node && pointOf(place.node);
  const screen = await surface.screenBounds(signal);
  if (point && contains(screen, point)) {
    return { form: "element", point, ...(place.window ? { window: place.window } : {}) };
  }
  const name = place.node ? describeNode(place.node) : "the target";
  throw new ToolError("not_dispatchable", `There is no visible point on ${name}.`, {
    hint: "Scroll it into view with ax_scroll, or use its native action (ax_click).",
  });
}

/** Input at its point would reach what lies over it. */
export function needUncovered(node: UiNode | undefined): void {
  if (node?.coveredBy === undefined) return;
  throw new ToolError("not_dispatchable", `${describeNode(node)} is covered by ${node.coveredBy}.`, {
    hint: "Close what covers it, or act on that instead.",
  });
}

// An app updates its layout a frame or two after a change; anything that still moves after that is animated.
const mostMoves = 5;

/**
 * Moves the pointer to the place and checks that the place has not moved: an app that has just changed may report old
 * positions, and a click there would hit another element.
 */
export async function pointAt(surface: Surface, place: Place, signal: AbortSignal): Promise<Aim> {
  let at = place;
  for (let move = 0; move < mostMoves; move++) {
    const where = await needAim(surface, at, signal);
    await surface.need("pointer").move(where.point, { signal });
    await calm(
      surface,
      { pid: place.node?.pid ?? place.window?.pid, windowId: place.window?.id, node: place.node },
      signal,
    );
    if (!at.node) return where;
    const [now] = await surface.need("elements").read([at.node.runtimeId], { signal });
    if (!now) {
      throw new ToolError("uid_not_found", `${describeNode(at.node)} has just disappeared.`, {
        hint: "Take a new snapshot and use its refs.",
      });
    }
    if (isSamePlace(at.node, now)) return where;
    at = { ...place, node: now };
  }
  throw new ToolError("not_dispatchable", `${place.node ? describeNode(place.node) : "The target"} keeps moving.`, {
    hint: 'Wait until it stops moving (wait_for with condition "stable"), or use its native action (ax_click).',
  });
}

function isSamePlace({ bounds: a }: UiNode, { bounds: b }: UiNode): boolean {
  return a?.x === b?.x && a?.y === b?.y && a?.width === b?.width && a?.height === b?.height;
}

/** What to watch for changes: the app and window that get the input, and the element it hits. */
export async function subjectOf(surface: Surface, place: Place | undefined, signal: AbortSignal): Promise<Subject> {
  const windows = surface.backend.windows;
  const point = place?.aim?.point;
  const own = place?.node;
  if (own?.pid !== undefined && own.windowId !== undefined) {
    return { pid: own.pid, windowId: place?.window?.id ?? own.windowId, node: own };
  }
  const window = place?.window ?? (windows && (await windowAt(surface, point, signal)));
  const pid = own?.pid ?? window?.pid;
  const node = own ?? (point ? await nodeAt(surface, point, pid, signal) : undefined);
  return { pid, windowId: window?.id, node };
}

export async function windowAt(
  surface: Surface,
  point: Aim["point"] | undefined,
  signal: AbortSignal,
): Promise<WindowInfo | undefined> {
  const all = await surface.need("windows").list({ signal });
  if (!point) return all.find(({ isForeground }) => isForeground);
  return all.find((window) => window.isVisible && !window.isMinimized && contains(window.bounds, point));
}

/** The element at a point; undefined if the app does not respond in time. */
export async function nodeAt(
  surface: Surface,
  point: Aim["point"],
  pid: number | undefined,
  signal: AbortSignal,
): Promise<UiNode | undefined> {
  try {
    const timeoutMs = evidenceMs(surface);
    const asked = async () => surface.backend.elements?.at(point, { pid, timeoutMs, signal });
    return (await surface.silence.ask(pid, asked))?.[0];
  } catch (error) {
    // A frozen app or a broken accessibility bus must not prevent the click.
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  }
}
