import { sleep } from "../base/async.ts";
import type { Rect } from "../base/geometry.ts";
import { changedBox, changedRatio, either, fillGaps } from "../vision/compare.ts";
import { Activity } from "./activity.ts";
import { animationRoom, grow, judge, type Changes, type Effect, type Expectation, type Noise } from "./judge.ts";
import {
  comparePictures,
  readFacts,
  readPicture,
  readState,
  takeStill,
  viewOf,
  type State,
  type Still,
  type Subject,
} from "./state.ts";
import type { Surface } from "./surface.ts";
import { toScreenRect } from "./view.ts";

export interface VerifyOptions extends Expectation {
  /** What is done, in words that are the same for the same action; finds an agent that goes round in circles. */
  readonly signature: string;
  /** How long to go on looking for an effect before saying there is none. */
  readonly capMs: number;
  /** Wait at least this long, for slow animations. */
  readonly floorMs: number;
  readonly signal: AbortSignal;
}

export interface Verified<T> {
  readonly value: T;
  readonly effect: Effect;
  readonly changes: Changes;
  readonly before: State;
  readonly after: State;
  readonly settleMs: number;
  readonly suspectedLoop: boolean;
}

// Toolkits repaint within a frame or two of an event (17 ms each); shorter gaps are pauses inside one reaction.
const quietMs = 40;

/**
 * The one pipeline of every action: read → do → wait until it is quiet → read → compare. Where nothing has changed it
 * keeps looking until the cap, because apps may answer late; it never waits once the effect is there.
 */
export async function verify<T>(
  surface: Surface,
  subject: Subject,
  options: VerifyOptions,
  act: () => Promise<T>,
): Promise<Verified<T>> {
  try {
    return await surface.unrest.during(surface, options.signal, () => watched(surface, subject, options, act));
  } finally {
    surface.silence.clear();
  }
}

async function watched<T>(
  surface: Surface,
  subject: Subject,
  options: VerifyOptions,
  act: () => Promise<T>,
): Promise<Verified<T>> {
  const { signal } = options;
  const activity = await Activity.open(surface, { pid: subject.pid, windowId: subject.windowId }, signal);
  try {
    const seen = await readBefore(surface, subject, activity, signal);
    const { pixels } = seen;
    let { before, still } = seen;
    let noise: Noise = { pixels, nodes: surface.unrest.restless() };
    activity.ignorePainting(animatedPart(before.picture, pixels));
    const value = await act();
    activity.reset();
    const started = performance.now();
    const until = started + Math.max(options.capMs, options.floorMs);
    let last: State | undefined;
    let passed: Noise["pixels"];
    for (;;) {
      // An app that is busy with what was done may answer the next time.
      if (before.nodes) surface.silence.clear();
      const calmFor = last ? quietMs : Math.max(quietMs, options.floorMs);
      const isEnough = (state: State): boolean => judge(subject, before, state, noise, options).isCertain;
      const settling = { calmFor, until, signal, isEnough };
      const settled = await readSettled(surface, subject, activity, settling);
      const { passing } = settled;
      let { state: after } = settled;
      passed = either(passed, passing);
      if (after.picture === undefined && isSlow(surface) && !isEnough(after)) {
        if (still) before = { ...before, picture: await still.picture() };
        still = undefined;
        after = { ...after, picture: await readPicture(surface, subject, signal) };
      }
      // What goes on moving after the action moves by itself.
      noise = { ...noise, pixels: either(noise.pixels, movement(last?.picture, after.picture)) };
      last = after;
      let verdict = judge(subject, before, after, noise, options);
      if (verdict.isCertain || performance.now() >= until) {
        const isMoving = noise.pixels !== undefined && changedRatio(noise.pixels) > 0;
        // The pictures of a slow screen are too far apart to show all of an animation's way.
        const isDoubtful = isSlow(surface) && isMoving && !isEnough({ ...after, picture: undefined });
        if ((!verdict.isCertain || isDoubtful) && verdict.changes.pixels) {
          // The last doubt: do these pixels move by themselves?
          const { pixels: moving } = await watchMovement(surface, subject, after.picture, signal);
          // If so, what moved right after the action was on its way from where it was before.
          const own = moving && changedRatio(moving) > 0 ? either(moving, passed) : moving;
          verdict = judge(subject, before, after, { ...noise, pixels: either(noise.pixels, own) }, options);
        }
        const { effect, changes } = verdict;
        const settleMs = Math.round(performance.now() - started);
        const suspectedLoop = surface.loops.note(options.signature, after);
        return { value, effect, changes, before, after, settleMs, suspectedLoop };
      }
      await activity.next(until, signal);
    }
  } finally {
    await activity[Symbol.asyncDispose]();
  }
}

// Reading takes about as long. An app that does something in every pause must not be read all the time.
const headStartMs = 25;
const mostEarlyLooks = 3;

interface Settling {
  readonly calmFor: number;
  readonly until: number;
  readonly signal: AbortSignal;
  /** Whether what was read leaves no doubt about the effect. */
  readonly isEnough: (state: State) => boolean;
}

/**
 * The state in which the app has come to rest. Reading begins before it has been quiet for long enough; what is read is
 * thrown away when something happens after all, except for where the picture moved meanwhile. GTK 4 tells of a change
 * first and paints it a frame later: elements that prove the effect already are not read again for that.
 */
async function readSettled(
  surface: Surface,
  subject: Subject,
  activity: Activity,
  { calmFor, until, signal, isEnough }: Settling,
): Promise<{ readonly state: State; readonly passing: Noise["pixels"] }> {
  let passing: Noise["pixels"];
  let earlier: State["picture"];
  for (let look = 0; activity.isLive && look < mostEarlyLooks; look++) {
    await activity.quiet(calmFor - headStartMs, until, signal);
    const since = activity.lastAt;
    const startedAt = performance.now();
    const state = await readState(surface, subject, signal);
    passing = either(passing, movement(earlier, state.picture));
    earlier = state.picture;
    await activity.quiet(calmFor, until, signal);
    if (activity.lastAt === since) return { state, passing };
    if (activity.toldAt < startedAt && isEnough(state)) {
      return { state: { ...state, picture: await readPicture(surface, subject, signal) }, passing };
    }
  }
  const isRead = subject.pid !== undefined && surface.backend.elements?.waitsForRest === true;
  if (!isRead || calmFor > quietMs) await activity.quiet(calmFor, until, signal);
  const read = isSlow(surface) ? readFacts : readState;
  return { state: await read(surface, subject, signal), passing };
}

const isSlow = ({ backend: { screen } }: Surface): boolean => screen?.isSlow === true && screen.encoded !== undefined;

const calmMs = 40;
const longestUnrestMs = 300;

/**
 * Waits until the window has drawn what pointing at it or focusing it changes. Drawn later, it would be taken for an
 * effect, or for something that moves by itself and hide the effect.
 */
export async function calm(surface: Surface, { pid, windowId }: Subject, signal: AbortSignal): Promise<void> {
  const activity = await Activity.open(surface, { pid, windowId }, signal);
  try {
    if (windowId !== undefined && !surface.silence.has(pid)) {
      await surface.backend.windows?.drained?.(windowId, { signal });
    }
    activity.reset();
    await activity.quiet(calmMs, performance.now() + longestUnrestMs, signal);
  } finally {
    await activity[Symbol.asyncDispose]();
  }
}

// Long enough to see where an animation goes, short enough not to be felt; only where something moves at all.
const noiseLooks = 6;
const noiseEveryMs = 50;

/** The state before the action, and the squares of its picture that were moving already. */
async function readBefore(
  surface: Surface,
  subject: Subject,
  activity: Activity,
  signal: AbortSignal,
): Promise<Before> {
  if (isSlow(surface)) return readBeforeSparingly(surface, subject, activity, signal);
  const [earlier, before] = await Promise.all([
    readPicture(surface, subject, signal),
    readState(surface, subject, signal),
  ]);
  return watchedBefore(surface, subject, activity, before, movement(earlier, before.picture), signal);
}

interface Before {
  readonly before: State;
  readonly pixels: Noise["pixels"];
  /** The picture of `before`, where it has not been looked at. */
  readonly still?: Still | undefined;
}

/** Where something moves already, it is watched for a while. */
async function watchedBefore(
  surface: Surface,
  subject: Subject,
  activity: Activity,
  before: State,
  pixels: Noise["pixels"],
  signal: AbortSignal,
): Promise<Before> {
  const isStill = (!pixels || changedRatio(pixels) === 0) && !activity.hasPainted;
  if (isStill) return { before, pixels };
  const seen = await watchMovement(surface, subject, before.picture, signal);
  return { before: { ...before, picture: seen.last }, pixels: either(pixels, seen.pixels) };
}

/** Two pictures that are the same to the byte need not be looked at: nothing moves. */
async function readBeforeSparingly(
  surface: Surface,
  subject: Subject,
  activity: Activity,
  signal: AbortSignal,
): Promise<Before> {
  const [earlier, before] = await Promise.all([
    takeStill(surface, subject, signal),
    readFacts(surface, subject, signal),
  ]);
  // Not beside the first: taken at the same moment, they would be the same whatever moves.
  const still = await takeStill(surface, subject, signal);
  if (!earlier || !still || Buffer.compare(earlier.bytes, still.bytes) === 0)
    return { before, pixels: undefined, still };
  const [first, second] = [await earlier.picture(), await still.picture()];
  return watchedBefore(surface, subject, activity, { ...before, picture: second }, movement(first, second), signal);
}

/** Looks on for a while without doing anything, and tells where the picture moves. */
async function watchMovement(
  surface: Surface,
  subject: Subject,
  from: State["picture"],
  signal: AbortSignal,
): Promise<{ readonly pixels: Noise["pixels"]; readonly last: State["picture"] }> {
  let pixels: Noise["pixels"];
  let last = from;
  for (let look = 0; look < noiseLooks; look++) {
    await sleep(noiseEveryMs, signal);
    const next = await readPicture(surface, subject, signal);
    pixels = either(pixels, movement(last, next));
    last = next;
  }
  return { pixels, last };
}

/** The rectangle of the screen around everything that moves by itself, with room for it to move on. */
function animatedPart(picture: State["picture"], noise: Noise["pixels"]): Rect | undefined {
  const box = noise && changedBox(noise);
  if (!picture || !box) return undefined;
  return grow(toScreenRect(viewOf(picture), box), animationRoom);
}

/** Where the picture moved while nothing was done yet. */
function movement(earlier: State["picture"], before: State["picture"]): Noise["pixels"] {
  const difference = earlier && before && comparePictures(earlier, before);
  return difference && difference !== "resized" ? fillGaps(difference) : undefined;
}
