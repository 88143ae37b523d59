import type { ImageRect, Rect } from "../base/geometry.ts";
import type { NodeState, UiNode } from "../base/node.ts";
import type { CommandState } from "../platform/backend.ts";
import {
  changedBox,
  changedColumns,
  changedRatio,
  changedShare,
  outside,
  without,
  type Difference,
} from "../vision/compare.ts";
import { changedParts } from "../vision/parts.ts";
import {
  describeChanges,
  differInNumbers,
  diffNode,
  diffNodes,
  partners,
  type NodeChange,
  type Partners,
} from "./diff.ts";
import { shorten } from "./snapshot-text.ts";
import { comparePictures, everywhere, squareUnits, viewOf, type Traces, type State, type Subject } from "./state.ts";
import { toImageLength, toImageRect, toScreenRect } from "./view.ts";
import { tipsAndDragged, windowChanges } from "./window-changes.ts";

export type Effect = "confirmed" | "no_change" | "unverifiable";

export interface Changes {
  readonly focus?: { readonly from: string; readonly to: string };
  readonly windows?: readonly string[];
  readonly tree?: readonly string[];
  readonly pixels?: { readonly ratio: number; readonly box: Rect };
  /** What the command that was run reports about itself. */
  readonly command?: string;
  /** What the app has copied to. */
  readonly clipboard?: readonly Copied[];
}

export type Copied = "clipboard" | "primary selection";

/**
 * What else may explain the evidence, and has to be ruled out by looking again:
 * - the elements differ although no pixel does: some apps report other elements at every reading
 * - only numbers in texts differ: a clock, a progress bar
 * - only a place as small as a text cursor differs: it may blink
 * - little is drawn after scrolling or dragging, and nothing has moved: the glow at the end of a list, a scroll bar that
 *   shows for a moment, a highlight where something could be dropped
 * - only pixels differ: they may change by themselves, more slowly than anybody watched before the action
 * - only the whole window has become disabled or enabled: the app is or was busy, and blocks its window meanwhile
 */
export type Doubt =
  | { readonly may: "vary"; readonly changes: readonly NodeChange[] }
  | { readonly may: "run"; readonly changes: readonly NodeChange[] }
  | { readonly may: "pass"; readonly changes: readonly NodeChange[] }
  | { readonly may: "blink" }
  | { readonly may: "fade" }
  | { readonly may: "move"; readonly pixels: Difference; readonly box: Rect };

export interface Judgement {
  readonly effect: Effect;
  /** False while waiting longer could still change the verdict. */
  readonly isCertain: boolean;
  readonly changes: Changes;
  /** The elements behind `changes.tree`. */
  readonly nodes: readonly NodeChange[];
  readonly doubt?: Doubt | undefined;
}

/** The evidence to expect if an action works. */
export interface Expectation {
  /**
   * The action is meant to move the keyboard focus (a click into a field, Tab), so that is not a side effect.
   * `gained`: to an element; the app loses the focus whenever another window takes it.
   */
  readonly focusCounts: boolean | "gained";
  /** The effect may be visible only in pixels (drawing, scrolling, typing into a terminal). */
  readonly pixelsCount: boolean;
  /** Elements that move without changing count (scrolling, dragging). */
  readonly movingCounts: boolean;
  /** What is under the pointer is to be scrolled. */
  readonly scrolls?: boolean;
  /** The app may save something without any sign of it in its windows. */
  readonly mayWrite?: boolean;
  /** A style may repaint an element that gets the focus, as in pages; toolkits draw a ring around it. */
  readonly focusPaints?: boolean;
  /** Selecting text counts; an app may tell the X server nothing else of it. */
  readonly selectionCounts?: boolean;
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
/** How many lines about elements an answer has. */
export const treeLines = 24;

/** Compares the state before and after. Only changes to the app or window acted on are evidence. */
export function judge(
  subject: Subject,
  before: State,
  after: State,
  noise: Noise,
  expectation: Expectation,
): Judgement {
  const hides = expectation.movingCounts ? tipsAndDragged : undefined;
  const windows = [
    ...windowChanges(subject, before.windows, after.windows, hides),
    ...startedBetween(before.traces, after.traces),
  ];
  const known = before.nodes && after.nodes && partners(before.nodes, after.nodes);
  const tree = treeChanges(before, after, known, noise, expectation);
  const focus = focusChange(before.nodes, after.nodes, known);
  const clipboard = copied(before.traces, after.traces, expectation);
  const command = commandChange(before.command, after.command);
  const pixels = pixelChanges(before, after, noise);
  const changes: Changes = {
    ...(command === undefined ? {} : { command }),
    ...(focus ? { focus } : {}),
    ...(windows.length > 0 ? { windows } : {}),
    ...(tree.length > 0 ? { tree: describeChanges(tree, treeLines) } : {}),
    ...(pixels ? { pixels: { ratio: round(changedRatio(pixels.difference)), box: pixels.box } } : {}),
    ...(clipboard.length > 0 ? { clipboard } : {}),
  };
  const isPlain =
    command !== undefined ||
    windows.length > 0 ||
    clipboard.length > 0 ||
    (focus !== undefined && focusIsMeant(after, expectation));
  if (isPlain) return { effect: "confirmed", isCertain: true, changes, nodes: tree };
  if (tree.length > 0) {
    const isDrawn = pixels !== undefined || before.picture === undefined || after.picture === undefined;
    const mayPass = isBlocked(subject, before, tree) || (expectation.mayWrite === true && tree.every(isDisabling));
    const doubt = mayPass ? ({ may: "pass", changes: tree } as const) : treeDoubt(subject, tree, isDrawn);
    return { effect: "confirmed", isCertain: true, changes, nodes: tree, doubt };
  }
  // A row that stays where it is was not scrolled, whatever glows at the end of its list.
  if (expectation.scrolls && isRowAtRest(before, after))
    return { effect: "no_change", isCertain: false, changes, nodes: tree };
  const effect = weigh(subject, before, after, { pixels, noise, expectation });
  // If the app exposes its elements, a changed picture alone may be just a button going down and up again.
  const pictureProves = expectation.pixelsCount || expectation.isDotted === true || before.nodes === undefined;
  const isCertain = effect === "confirmed" && pictureProves;
  const isDoubtful = effect === "unverifiable" && pictureProves && !expectation.isDotted;
  const mayBlink = isDoubtful && pixels && isCaret(pixels.box) && !isBar(before, after, pixels);
  const mayFade = isCertain && expectation.movingCounts && known && pixels && isLittle(pixels);
  const mayMove = isCertain && pixels && !expectation.isDotted && (!expectation.movingCounts || isLittle(pixels));
  const doubt: Doubt | undefined = mayBlink
    ? { may: "blink" }
    : mayFade
      ? { may: "fade" }
      : mayMove
        ? { may: "move", pixels: pixels.difference, box: pixels.box }
        : undefined;
  return { effect, isCertain, changes, nodes: tree, doubt };
}

/** A switch may have no other sign of its new state than what its command says. */
function commandChange(before: CommandState | undefined, after: CommandState | undefined): string | undefined {
  if (!before || !after) return undefined;
  const changed = [
    ...(before.value === after.value ? [] : [`${before.value ?? "none"} → ${after.value ?? "none"}`]),
    ...(before.isEnabled === after.isEnabled ? [] : [after.isEnabled ? "disabled → enabled" : "enabled → disabled"]),
  ];
  return changed.length === 0 ? undefined : changed.join(", ");
}

function treeDoubt({ node }: Subject, changes: readonly NodeChange[], isDrawn: boolean): Doubt | undefined {
  const others = changes.filter((change) => change.node.runtimeId !== node?.runtimeId);
  if (others.length < changes.length) return undefined;
  if (changes.every(isCounting)) return { may: "run", changes };
  return isDrawn ? undefined : { may: "vary", changes };
}

/** Nothing but `enabled` has changed, and for most of the window at once. */
function isBlocked({ windowId }: Subject, { windows }: State, changes: readonly NodeChange[]): boolean {
  const window = windows.find(({ id }) => id === windowId)?.bounds;
  const size = ({ width, height }: Rect): number => width * height;
  const isMost = ({ node: { bounds } }: NodeChange): boolean =>
    window !== undefined && bounds !== undefined && size(bounds) > size(window) / 2;
  return changes.every(isOnlyEnabling) && changes.some(isMost);
}

/** LibreOffice disables a few buttons while it saves. */
const isDisabling = (change: NodeChange): boolean => isOnlyEnabling(change) && change.lost.includes("enabled");

function isOnlyEnabling({ kind, node, before, gained, lost }: NodeChange): boolean {
  const states = [...gained, ...lost].filter((state) => !transient.has(state));
  if (kind !== "changed" || states.length === 0 || !states.every((state) => state === "enabled")) return false;
  return node.name === before?.name && node.value === before.value && node.description === before.description;
}

/** Only numbers in its texts have changed. */
function isCounting({ kind, node, before, gained, lost }: NodeChange): boolean {
  if (kind !== "changed" || !before || gained.length + lost.length > 0) return false;
  return differInNumbers(before, node);
}

/** Pages that were opened and downloads that have begun. */
function startedBetween(before: Traces | undefined, after: Traces | undefined): readonly string[] {
  if (!before || !after) return [];
  const since = (kind: "opened" | "downloads") => after[kind]?.slice(before[kind]?.length ?? 0) ?? [];
  return [...since("opened").map((page) => `opened ${page}`), ...since("downloads").map((file) => `downloads ${file}`)];
}

function copied(before: Traces | undefined, after: Traces | undefined, expectation: Expectation): readonly Copied[] {
  if (!before || !after) return [];
  return [
    ...(after.clipboard === before.clipboard ? [] : (["clipboard"] as const)),
    ...(after.primary === before.primary || !expectation.selectionCounts ? [] : (["primary selection"] as const)),
  ];
}

/** What changes by itself: squares of the picture, and elements that changed without any action. */
export interface Noise {
  readonly pixels: Difference | undefined;
  readonly nodes: ReadonlySet<string>;
  /** Kinds of elements (`kindOf`) that come and go at every reading. */
  readonly kinds?: ReadonlySet<string>;
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
  const around = (nodes: readonly (UiNode | undefined)[]): readonly Rect[] =>
    nodes.flatMap((node) => (node?.bounds ? [grow(node.bounds, marginAround)] : []));
  // Keys make a browser draw a ring around the button that has the focus.
  const isOwnButton = subject.node !== undefined && pressed.has(subject.node.role);
  if (!hasTree) {
    const isRing = expectation.pixelsCount && isOwnButton && !shows(around([subject.node]));
    return isRing ? "unverifiable" : "confirmed";
  }
  // A pressed look, a hover and the focus ring are drawn on the element itself and on the one that had the focus.
  const touched = [subject.node, ...(subject.others ?? []), focusedNode(before.nodes), focusedNode(after.nodes)];
  // The pointer was already on it, so this is not a hover; a control whose face is repainted shows a new state. If it has
  // just got the focus, it may as well show only that.
  const hasNewLook = repainted > mostOfIt;
  const mayBeFocus = expectation.focusPaints === true && gotFocus(subject, before, after);
  const ofItself = hasNewLook ? (mayBeFocus ? "unverifiable" : "confirmed") : "no_change";
  if (expectation.pixelsCount) {
    const pressable = touched.filter((node) => node !== undefined && pressed.has(node.role));
    if (shows(around(pressable))) return "confirmed";
    return hasNewLook && isOwnButton ? "unverifiable" : ofItself;
  }
  // A window that gains or loses the keyboard focus is repainted everywhere, whatever the cause.
  if (isActive(subject, before) !== isActive(subject, after)) return "no_change";
  // An animation may continue into places where it has not been seen yet.
  const animated = noise.pixels && changedBox(noise.pixels);
  const excused = animated ? [...around(touched), grow(pixels.onScreen(animated), animationRoom)] : around(touched);
  return shows(excused) ? "unverifiable" : ofItself;
}

function gotFocus({ node }: Subject, before: State, after: State): boolean {
  const id = node?.runtimeId;
  return id !== undefined && focusedNode(after.nodes)?.runtimeId === id && focusedNode(before.nodes)?.runtimeId !== id;
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

const rows: ReadonlySet<string> = new Set(["row", "listitem", "treeitem", "cell"]);

function isRowAtRest({ node: before }: State, { node: after }: State): boolean {
  const [a, b] = [before?.bounds, after?.bounds];
  return before !== undefined && rows.has(before.role) && a !== undefined && a.x === b?.x && a.y === b.y;
}

// The content of a list or page that is scrolled covers more of its window.
const littlest = 0.12;

const isLittle = ({ difference }: PixelChanges): boolean => changedRatio(difference) < littlest;

// Text cursors are one or two units wide, and not all of them blink; strokes of letters come with others.
const widestBar = 2;

function isBar({ picture: a }: State, { picture: b }: State, { box, inPicture }: PixelChanges): boolean {
  if (!a || !b || a.pixels.width !== b.pixels.width || a.pixels.height !== b.pixels.height) return false;
  return changedColumns(a.pixels, b.pixels, inPicture(box)) <= toImageLength(viewOf(b), widestBar);
}

/** A blinking text cursor: one column of squares, no taller than a line. */
export const isCaret = ({ width, height }: Rect): boolean => width <= 16 && height <= 48;

function treeChanges(
  before: State,
  after: State,
  known: Partners | undefined,
  noise: Noise,
  expectation: Expectation,
): readonly NodeChange[] {
  const own = before.node && after.node ? diffNode(before.node, after.node) : undefined;
  const listed = before.nodes && after.nodes ? diffNodes(before.nodes, after.nodes, known) : [];
  // What is scrolled out of view is in neither tree, but an action may name it all the same.
  const isOwn = ({ runtimeId }: UiNode): boolean => runtimeId === (own?.node ?? before.node)?.runtimeId;
  const all = own && !before.nodes?.some(isOwn) && !after.nodes?.some(isOwn) ? [...listed, own] : listed;
  const moved = expectation.movingCounts && known ? movedNodes(known) : [];
  const isEvidence = (change: NodeChange): boolean =>
    !isNoise(change, noise) && isLasting(change) && !(isOwn(change.node) && isEnabled(change));
  return [...all.filter(isEvidence), ...moved];
}

/** A disabled element takes no input: that it can be used now is not what the action did. */
const isEnabled = ({ before, node, gained, lost }: NodeChange): boolean =>
  gained.includes("enabled") &&
  gained.length + lost.length === 1 &&
  before?.name === node.name &&
  before.value === node.value;

const isNoise = ({ kind, node, before }: NodeChange, { nodes, kinds }: Noise): boolean =>
  nodes.has(node.runtimeId) ||
  (before !== undefined && nodes.has(before.runtimeId)) ||
  (kind !== "changed" && kinds?.has(kindOf(node)) === true);

/** What elements that come and go by themselves have in common. */
export const kindOf = ({ role, name }: UiNode): string => `${role} ${name}`;

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

function movedNodes(known: Partners): readonly NodeChange[] {
  return [...known].flatMap(([node, { bounds: was }]) => {
    const moved = was && node.bounds && (was.x !== node.bounds.x || was.y !== node.bounds.y);
    return moved ? [{ kind: "changed" as const, node, gained: [], lost: [] }] : [];
  });
}

const focusedNode = (nodes: readonly UiNode[] | undefined): UiNode | undefined =>
  nodes?.findLast((node) => node.states.includes("focused"));

function focusChange(
  before: readonly UiNode[] | undefined,
  after: readonly UiNode[] | undefined,
  known: Partners | undefined,
): Changes["focus"] {
  const [from, to] = [focusedNode(before), focusedNode(after)];
  const isSame = from?.runtimeId === to?.runtimeId || (to !== undefined && known?.get(to) === from);
  if (!before || !after || isSame) return undefined;
  const title = (node: UiNode | undefined): string =>
    node ? `${node.role} ${JSON.stringify(shorten(node.name))}` : "nothing";
  return { from: title(from), to: title(to) };
}

const focusIsMeant = ({ nodes }: State, { focusCounts }: Expectation): boolean =>
  focusCounts === "gained" ? focusedNode(nodes) !== undefined : focusCounts;

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
  const running = runningParts(b.bounds, noise, [...(before.nodes ?? []), ...(after.nodes ?? [])]);
  const difference = outside(without(compared, noise.pixels), running.map(inPicture));
  const box = changedBox(difference);
  return box && { difference, box: onScreen(box), onScreen, inPicture };
}

// A window whose title counts is not a place that changes by itself.
const largestRunning = 0.25;

/** Where elements that change by themselves are drawn. */
function runningParts({ width, height }: Rect, { nodes }: Noise, all: readonly UiNode[]): readonly Rect[] {
  if (nodes.size === 0) return [];
  return all.flatMap(({ runtimeId, bounds }) => {
    if (!bounds || !nodes.has(runtimeId)) return [];
    return bounds.width * bounds.height > largestRunning * width * height ? [] : [grow(bounds, squareUnits)];
  });
}

export const grow = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
