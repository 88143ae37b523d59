import { sleep } from "../../../base/async.ts";
import { intersect, type Rect } from "../../../base/geometry.ts";
import { getRootBounds } from "./monitors.ts";
import { knownOverlays } from "../overlay/known-overlays.ts";
import type { Connection } from "../x11/connection.ts";
import { createDamage, destroyDamage, findExtension, redirectSubwindows } from "../x11/extensions.ts";
import { isGone } from "../x11/errors.ts";
import { getGeometry, getSelectionOwner, getWindowAttributes, queryTree } from "../x11/requests.ts";

/** How long after the redirection a covered window may still lack its own pixels. */
const repaintPhaseMs = 1000;
/** An app has finished painting when nothing happened for this long: four frames of a 60 Hz toolkit. */
const quietMs = 70;
/** For an app that has nothing to paint, or never stops painting (a video). */
const longestWaitMs = 600;

interface Redirection {
  readonly at: number;
  /** A compositor was already drawing every window off-screen. */
  readonly wasComposited: boolean;
  /** Top-level windows known to have their pixels. */
  readonly painted: Set<number>;
}

const redirections = new WeakMap<Connection, Promise<Redirection>>();

/**
 * Makes the server draw every top-level window off-screen, so that covered ones keep their pixels. The first time,
 * covered parts have no pixels yet: the server asks the app to paint, and this waits until it has.
 */
export async function redirectTopLevels(
  c: Connection,
  topLevel: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const before = await redirections.get(c);
  if (before && hasPixels(before, topLevel)) return;
  if (!(await isCovered(c, topLevel))) {
    (await redirect(c)).painted.add(topLevel);
    return;
  }
  const paints = await watchPaints(c, topLevel, signal);
  try {
    const redirection = await redirect(c);
    if (hasPixels(redirection, topLevel)) return;
    // So far the server itself has painted only the background.
    paints.reset();
    const end = Math.min(performance.now() + longestWaitMs, redirection.at + repaintPhaseMs);
    while (!paints.haveEnded() && performance.now() < end) await sleep(10, signal);
    redirection.painted.add(topLevel);
  } finally {
    await paints.stop();
  }
}

function hasPixels({ at, wasComposited, painted }: Redirection, topLevel: number): boolean {
  return wasComposited || painted.has(topLevel) || performance.now() - at > repaintPhaseMs;
}

/** Before something of ours covers windows: what is covered then has been drawn already. */
export async function redirectAll(c: Connection): Promise<void> {
  await redirect(c);
}

/** Once per connection. */
function redirect(c: Connection): Promise<Redirection> {
  const known = redirections.get(c);
  if (known) return known;
  const made = (async () => {
    const wasComposited = (await getSelectionOwner(c, await c.atom(`_NET_WM_CM_S${c.setup.screenNumber}`))) !== 0;
    await redirectSubwindows(c, c.root);
    return { at: performance.now(), wasComposited, painted: new Set<number>() };
  })();
  redirections.set(c, made);
  made.catch(() => redirections.delete(c));
  return made;
}

interface Paints {
  reset(): void;
  haveEnded(): boolean;
  stop(): Promise<void>;
}

/** Without DAMAGE paints cannot be seen, so it waits the maximum time. */
async function watchPaints(c: Connection, topLevel: number, signal: AbortSignal | undefined): Promise<Paints> {
  let lastPaint: number | undefined;
  const reset = () => {
    lastPaint = undefined;
  };
  const haveEnded = () => lastPaint !== undefined && performance.now() - lastPaint >= quietMs;
  if (!(await findExtension(c, "DAMAGE"))) return { reset, haveEnded, stop: async () => {} };
  const damage = await createDamage(c, topLevel, "every", { signal });
  const stopListening = c.on((event) => {
    if (event.type === "DamageNotify" && event.damage === damage) lastPaint = performance.now();
  });
  const stop = async () => {
    stopListening();
    await destroyDamage(c, damage);
  };
  return { reset, haveEnded, stop };
}

/** Whether part of the window is covered by another one or off the screen. */
async function isCovered(c: Connection, topLevel: number): Promise<boolean> {
  const [own, root] = await Promise.all([getOuterRect(c, topLevel), getRootBounds(c)]);
  const shown = intersect(own, root);
  if (shown?.width !== own.width || shown.height !== own.height) return true;
  return isUnderAnother(c, topLevel, own);
}

/** Whether another window covers any of this part of it. */
export async function isUnderAnother(c: Connection, topLevel: number, part: Rect): Promise<boolean> {
  const [{ children }, overlays] = await Promise.all([queryTree(c, c.root), knownOverlays(c)]);
  const above = children.slice(children.indexOf(topLevel) + 1).filter((window) => !overlays.windows.has(window));
  const rects = await Promise.all(above.map((window) => getVisibleRect(c, window)));
  return rects.some((rect) => rect && intersect(rect, part));
}

async function getVisibleRect(c: Connection, window: number): Promise<Rect | undefined> {
  try {
    const [attributes, rect] = await Promise.all([getWindowAttributes(c, window), getOuterRect(c, window)]);
    return attributes.mapState === "viewable" && !attributes.isInputOnly ? rect : undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** A top-level window including its border, in root coordinates. */
export async function getOuterRect(c: Connection, topLevel: number): Promise<Rect> {
  const { x, y, width, height, borderWidth } = await getGeometry(c, topLevel);
  return { x, y, width: width + 2 * borderWidth, height: height + 2 * borderWidth };
}
