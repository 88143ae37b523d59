import { ToolError } from "../base/errors.ts";
import type { Pixels } from "../base/frame.ts";
import type { Rect } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { CommandState, Traces, ElementOwner, WindowInfo } from "../platform/backend.ts";
import { compare, type Difference } from "../vision/compare.ts";
import { pixelsOf } from "./frames.ts";
import { evidenceMs } from "./silence.ts";
import type { Surface } from "./surface.ts";
import { toImageLength, type View } from "./view.ts";

export type { Traces } from "../platform/backend.ts";

/** What an action is aimed at; unknown parts are undefined. */
export interface Subject {
  readonly pid: number | undefined;
  readonly windowId: number | undefined;
  /** The element acted on. */
  readonly node: UiNode | undefined;
  /** Other elements that the pointer is pressed on during the action. */
  readonly others?: readonly UiNode[];
  /** The command that is run. */
  readonly command?: { readonly owner: ElementOwner; readonly id: string } | undefined;
}

/** Everything that could show an effect, read at one moment. */
export interface State {
  /** The app's elements; undefined when it has none or did not respond. */
  readonly nodes: readonly UiNode[] | undefined;
  readonly node: UiNode | undefined;
  readonly windows: readonly WindowInfo[];
  readonly picture: StatePicture | undefined;
  /** How often the app has copied something. */
  readonly traces?: Traces | undefined;
  /** What the command reports about itself. */
  readonly command?: CommandState | undefined;
  /** Bytes that the app has written to files. */
  readonly written?: number | undefined;
}

export interface StatePicture {
  readonly pixels: Pixels;
  readonly bounds: Rect;
}

export const viewOf = ({ pixels, bounds }: StatePicture): View => ({ bounds, image: pixels });

/**
 * Pictures are compared in squares of this many screen units: small enough to distinguish a caret from a line of
 * text.
 */
export const squareUnits = 8;

const squareSide = (picture: StatePicture): number => toImageLength(viewOf(picture), squareUnits);

/** Where two pictures of the same window differ. */
export function comparePictures(a: StatePicture, b: StatePicture): Difference | "resized" {
  if (a.pixels.width !== b.pixels.width || a.pixels.height !== b.pixels.height) return "resized";
  return compare(a.pixels, b.pixels, squareSide(b));
}

export function everywhere(picture: StatePicture): Difference {
  const none = compare(picture.pixels, picture.pixels, squareSide(picture));
  return { ...none, tiles: none.tiles.fill(1) };
}

// A verified action must stay fast on a table with thousands of rows; a tree lists what is on screen first.
const maxNodes = 1_500;

/** Reads the picture last: whatever differs between pictures taken around the slower readings moves by itself. */
export async function readState(surface: Surface, subject: Subject, signal: AbortSignal): Promise<State> {
  const facts = await readFacts(surface, subject, signal);
  return { ...facts, picture: await readPicture(surface, subject, signal) };
}

/** Everything except the picture. */
export async function readFacts(surface: Surface, subject: Subject, signal: AbortSignal): Promise<State> {
  const { backend, silence } = surface;
  const { pid, windowId, command: own } = subject;
  const [nodes, windows, traces, written, command] = await Promise.all([
    pid === undefined ? undefined : attempt(() => silence.ask(pid, () => readNodes(surface, pid, signal)), signal),
    attempt(async () => backend.windows?.list({ signal }), signal),
    windowId === undefined ? undefined : attempt(async () => backend.traces?.(windowId, { signal }), signal),
    pid === undefined ? undefined : attempt(async () => backend.apps?.written?.(pid), signal),
    own &&
      attempt(
        async () => backend.commands?.state(own.owner, own.id, { signal, timeoutMs: evidenceMs(surface) }),
        signal,
      ),
  ]);
  // Read after the tree: in parallel, the element could be older than the tree.
  const id = subject.node?.runtimeId;
  const node =
    id === undefined
      ? undefined
      : (nodes?.find(({ runtimeId }) => runtimeId === id) ??
        (await attempt(() => silence.ask(pid, () => readNode(surface, id, signal)), signal)));
  return { nodes, node, windows: windows ?? [], picture: undefined, traces, written, command };
}

async function readNodes(surface: Surface, pid: number, signal: AbortSignal): Promise<readonly UiNode[] | undefined> {
  const { elements } = surface.backend;
  const tree = await elements?.tree(elements.scope({ pid }), { maxNodes, timeoutMs: evidenceMs(surface), signal });
  // Toolkits without accessibility publish an empty window frame. A page that only draws has no elements at all.
  const fewest = surface.backend.page ? 0 : 2;
  return tree && tree.nodes.length > fewest ? tree.nodes : undefined;
}

async function readNode(surface: Surface, id: string, signal: AbortSignal): Promise<UiNode | undefined> {
  return (await surface.backend.elements?.read([id], { timeoutMs: evidenceMs(surface), signal }))?.[0];
}

export async function readPicture(
  surface: Surface,
  { windowId }: Subject,
  signal: AbortSignal,
): Promise<State["picture"]> {
  return windowId === undefined ? undefined : attempt(() => copyWindow(surface, windowId, signal), signal);
}

async function copyWindow(surface: Surface, windowId: number, signal: AbortSignal): Promise<State["picture"]> {
  const capture = await surface.backend.screen?.capture({ kind: "window", windowId }, { signal, isEvidence: true });
  if (!capture) return undefined;
  try {
    return { bounds: capture.bounds, pixels: { ...capture.pixels, data: Buffer.from(capture.pixels.data) } };
  } finally {
    capture[Symbol.dispose]();
  }
}

/** A picture that is decoded only if needed. */
export interface Still {
  readonly bytes: Uint8Array;
  picture(): Promise<State["picture"]>;
}

/** For slow screens. Their captures are not shared memory, so they need no copy. */
export async function takeStill(surface: Surface, subject: Subject, signal: AbortSignal): Promise<Still | undefined> {
  const { screen } = surface.backend;
  const { windowId } = subject;
  if (windowId === undefined || !screen?.encoded) return undefined;
  const taken = await attempt(
    async () => screen.encoded?.({ kind: "window", windowId }, { signal, isEvidence: true }),
    signal,
  );
  if (!taken) return undefined;
  const content = "png" in taken ? taken : taken.pixels;
  return {
    bytes: "png" in content ? content.png : content.data,
    picture: () => attempt(async () => ({ pixels: await pixelsOf(content), bounds: taken.bounds }), signal),
  };
}

/** Evidence that is not available does not fail the action. */
async function attempt<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  }
}
