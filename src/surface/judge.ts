import type { ImageRect, Rect } from "../base/geometry.ts";
import type { NodeState, UiNode } from "../base/node.ts";
import type { WindowInfo } from "../platform/backend.ts";
import { changedBox, changedRatio, changedShare, outside, without, type Difference } from "../vision/compare.ts";
import { changedParts } from "../vision/parts.ts";
import { describeChanges, diffNode, diffNodes, type NodeChange } from "./diff.ts";
import { comparePictures, everywhere, squareUnits, viewOf, type State, type Subject } from "./state.ts";
import { toImageRect, toScreenRect } from "./view.ts";

export type Effect = "confirmed" | "no_change" | "unverifiable";

export interface Changes {
  readonly focus?: { readonly from: string; readonly to: string };
  readonly windows?: readonly string[];
  readonly tree?: readonly string[];
  readonly pixels?: { readonly ratio: number; readonly box: Rect };
}

export interface Judgement {
  readonly effect: Effect;
  /** False while waiting longer could still change the verdict. */
  readonly isCertain: boolean;
  readonly changes: Changes;
}

/** The evidence to expect if an action works. */
export interface Expectation {
  /** The action is meant to move the keyboard focus (a click into a field, Tab), so that is not a side effect. */
  readonly focusCounts: boolean;
  /** The effect may be visible only in pixels (drawing, scrolling, typing into a terminal). */
  readonly pixelsCount: boolean;
  /** Elements that move without changing count (scrolling, dragging). */
  readonly movingCounts: boolean;
  /** The element shows its content as dots: a password. */
  readonly isDotted?: boolean;
}

// Every length below is in screen units, so it holds on a dense display too.

// Pointing at an element, or leaving it, changes these states; the app has not done anything yet.
const transient: ReadonlySet<NodeState> = new Set(["focused", "active", "busy"]);
// Toolkits report the content of a control without its padding, border and focus ring.
const marginAround = 20;
// A focus ring repaints the edge of a control, a new state repaints its face.
const mostOfIt = 0.6;
/** How far an animation may go beyond where it was seen. */
export const animationRoom = 40;
// A digit is narrower than it is tall: within this many heights a counter can carry into three or four digits.
const carriesOver = 3;
// The height of a stopwatch that fills a phone screen; anything taller is a video, which does not carry.
const highestLine = 160;
const treeLines = 12;

/** Compares the state before and after. Only changes to the app or window acted on are evidence. */
export function judge(
  subject: Subject,
  before: State,
  after: State,
  noise: Noise,
  expectation: Expectation,
): Judgement {
  const windows = windowChanges(subject, before.windows, after.windows);
  const tree = treeChanges(before, after, noise, expectation);
  const focus = focusChange(before.nodes, after.nodes);
  const pixels = pixelChanges(before, after, noise);
  const changes: Changes = {
    ...(focus ? { focus } : {}),
    ...(windows.length > 0 ? { windows } : {}),
    ...(tree.length > 0 ? { tree: describeChanges(tree, treeLines) } : {}),
    ...(pixels ? { pixels: { ratio: round(changedRatio(pixels.difference)), box: pixels.box } } : {}),
  };
  const strong = windows.length > 0 || tree.length > 0 || (focus !== undefined && expectation.focusCounts);
  if (strong) return { effect: "confirmed", isCertain: true, changes };
  const effect = weigh(subject, before, after, { pixels, noise, expectation });
  // If the app exposes its elements, a changed picture alone may be just a button going down and up again.
  const pictureProves = expectation.pixelsCount || expectation.isDotted === true || before.nodes === undefined;
  const isCertain = effect === "confirmed" && pictureProves;
  return { effect, isCertain, changes };
}

/** What changes by itself: squares of the picture, and elements that changed without any action. */
export interface Noise {
  readonly pixels: Difference | undefined;
  readonly nodes: ReadonlySet<string>;
}

interface PixelChanges {
  readonly difference: Difference;
  /** In screen units. */
  readonly box: Rect;
  readonly onScreen: (part: ImageRect) => Rect;
  readonly inPicture: (part: Rect) => ImageRect;
}

interface Weights {
  readonly pixels: PixelChanges | undefined;
  readonly noise: Noise;
  readonly expectation: Expectation;
}

function weigh(subject: Subject, before: State, after: State, { pixels, noise, expectation }: Weights): Effect {
  const hasTree = before.nodes !== undefined && after.nodes !== undefined;
  const hasPicture = before.picture !== undefined && after.picture !== undefined;
  if (!hasTree && !hasPicture) return "unverifiable";
  const face = subject.node?.bounds;
  const repainted = face && pixels ? changedShare(pixels.difference, pixels.inPicture(face)) : 0;
  // A different password of the same length looks the same.
  if (expectation.isDotted) return pixels && repainted > 0 && !isCaret(pixels.box) ? "confirmed" : "unverifiable";
  if (!pixels) return "no_change";
  if (isCaret(pixels.box)) return expectation.pixelsCount ? "unverifiable" : "no_change";
  const shows = (parts: readonly Rect[]): boolean =>
    changedBox(outside(pixels.difference, parts.map(pixels.inPicture))) !== undefined;
  const lines = noise.pixels ? changedParts(noise.pixels).map(pixels.onScreen).filter(isLine).map(carried) : [];
  if (!shows(lines)) return "unverifiable";
  if (!hasTree) return "confirmed";
  // A pressed look, a hover and the focus ring are drawn on the element itself and on the one that had the focus.
  const touched = [subject.node, ...(subject.others ?? []), focusedNode(before.nodes), focusedNode(after.nodes)];
  const around = (nodes: readonly (UiNode | undefined)[]): readonly Rect[] =>
    nodes.flatMap((node) => (node?.bounds ? [grow(node.bounds, marginAround)] : []));
  // The pointer was already on it, so this is not a hover; a control whose face is repainted shows a new state.
  const ofItself = repainted > mostOfIt ? "confirmed" : "no_change";
  if (expectation.pixelsCount) {
    const pressable = touched.filter((node) => node !== undefined && pressed.has(node.role));
    return shows(around(pressable)) ? "confirmed" : ofItself;
  }
  // A window that gains or loses the keyboard focus is repainted everywhere, whatever the cause.
  if (isActive(subject, before) !== isActive(subject, after)) return "no_change";
  // An animation may continue into places where it has not been seen yet.
  const animated = noise.pixels && changedBox(noise.pixels);
  const excused = animated ? [...around(touched), grow(pixels.onScreen(animated), animationRoom)] : around(touched);
  return shows(excused) ? "unverifiable" : ofItself;
}

// Repainting only these shows a pressed look, not an effect.
const pressed: ReadonlySet<string> = new Set(["button", "togglebutton", "checkbox", "radio", "switch"]);

const isActive = ({ windowId }: Subject, { windows }: State): boolean =>
  windows.some(({ id, isForeground }) => id === windowId && isForeground);

/** The change looks like digits or words. Letters next to a blinking caret were just typed. */
const isLine = (part: Rect): boolean => part.height <= highestLine && !isCaret(part);

/** The area that may change along with a line that changes by itself: a counter carries, minutes follow seconds. */
const carried = ({ x, y, width, height }: Rect): Rect => ({
  x: x - carriesOver * height,
  y: y - squareUnits,
  width: width + 2 * carriesOver * height,
  height: height + 2 * squareUnits,
});

/** A blinking text cursor: one column of squares, no taller than a line. */
const isCaret = ({ width, height }: Rect): boolean => width <= 16 && height <= 48;

function windowChanges(
  subject: Subject,
  before: readonly WindowInfo[],
  after: readonly WindowInfo[],
): readonly string[] {
  const ofApp = (window: WindowInfo): boolean => window.pid !== undefined && window.pid === subject.pid;
  const old = new Map(before.map((window) => [window.id, window]));
  const now = new Map(after.map((window) => [window.id, window]));
  const shown = (window: WindowInfo | undefined): boolean => window?.isVisible === true && window.kind !== "tooltip";
  const lines: string[] = [];
  for (const window of after) {
    const was = old.get(window.id);
    if (!ofApp(window)) continue;
    if (shown(window) && !shown(was)) lines.push(`opened "${window.title}" (${window.id})`);
    else if (was && was.title !== window.title) lines.push(`renamed "${was.title}" → "${window.title}"`);
    else if (was && was.address !== window.address) lines.push(`went to ${window.address ?? "nowhere"}`);
    else if (was && was.isMinimized !== window.isMinimized)
      lines.push(`${window.isMinimized ? "minimised" : "restored"} "${window.title}"`);
  }
  for (const window of before) {
    if (ofApp(window) && shown(window) && !shown(now.get(window.id)) && !now.get(window.id)?.isMinimized) {
      lines.push(`closed "${window.title}" (${window.id})`);
    }
  }
  return lines;
}

function treeChanges(before: State, after: State, noise: Noise, expectation: Expectation): readonly NodeChange[] {
  const own = before.node && after.node ? diffNode(before.node, after.node) : undefined;
  const all = before.nodes && after.nodes ? diffNodes(before.nodes, after.nodes) : own ? [own] : [];
  const moved = expectation.movingCounts && before.nodes && after.nodes ? movedNodes(before.nodes, after.nodes) : [];
  return [...all.filter((change) => !noise.nodes.has(change.node.runtimeId) && isLasting(change)), ...moved];
}

function isLasting(change: NodeChange): boolean {
  if (change.node.role === "tooltip") return false;
  if (change.kind !== "changed") return true;
  const { node, before } = change;
  // "pressed" on a plain button only means that it is down at this moment; a toggle button stays pressed.
  const fleeting = (state: NodeState): boolean =>
    transient.has(state) || (state === "pressed" && node.role === "button");
  const states = [...change.gained, ...change.lost].filter((state) => !fleeting(state));
  return (
    states.length > 0 ||
    node.name !== before?.name ||
    node.value !== before.value ||
    node.description !== before.description
  );
}

function movedNodes(before: readonly UiNode[], after: readonly UiNode[]): readonly NodeChange[] {
  const old = new Map(before.map((node) => [node.runtimeId, node.bounds]));
  return after.flatMap((node) => {
    const was = old.get(node.runtimeId);
    const moved = was && node.bounds && (was.x !== node.bounds.x || was.y !== node.bounds.y);
    return moved ? [{ kind: "changed" as const, node, gained: [], lost: [] }] : [];
  });
}

const focusedNode = (nodes: readonly UiNode[] | undefined): UiNode | undefined =>
  nodes?.findLast((node) => node.states.includes("focused"));

function focusChange(before: readonly UiNode[] | undefined, after: readonly UiNode[] | undefined): Changes["focus"] {
  const [from, to] = [focusedNode(before), focusedNode(after)];
  if (!before || !after || from?.runtimeId === to?.runtimeId) return undefined;
  const title = (node: UiNode | undefined): string => (node ? `${node.role} "${node.name}"` : "nothing");
  return { from: title(from), to: title(to) };
}

function pixelChanges(before: State, after: State, noise: Noise): PixelChanges | undefined {
  const [a, b] = [before.picture, after.picture];
  if (!a || !b) return undefined;
  const view = viewOf(b);
  const onScreen = (part: ImageRect): Rect => toScreenRect(view, part);
  const inPicture = (part: Rect): ImageRect => toImageRect(view, part);
  const compared = comparePictures(a, b);
  if (compared === "resized") {
    return { difference: everywhere(b), box: b.bounds, onScreen, inPicture };
  }
  const difference = without(compared, noise.pixels);
  const box = changedBox(difference);
  return box && { difference, box: onScreen(box), onScreen, inPicture };
}

export const grow = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
