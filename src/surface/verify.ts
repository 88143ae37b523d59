import { sleep } from "../base/async.ts";
import type { Rect } from "../base/geometry.ts";
import { changedBox, changedRatio, either, fillGaps } from "../vision/compare.ts";
import { Activity } from "./activity.ts";
import { describeChanges } from "./diff.ts";
import {
  animationRoom,
  grow,
  judge,
  treeLines,
  type Changes,
  type Doubt,
  type Effect,
  type Expectation,
  type Judgement,
  type Noise,
} from "./judge.ts";
import { ruleOut } from "./rule-out.ts";
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
  /** Describes the action, in the same words for the same action; used to detect an agent that repeats itself. */
  readonly signature: string;
  /** How long to look for an effect before reporting none. */
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
  /** Why the effect cannot be known. */
  readonly reason?: string | undefined;
}

// Toolkits repaint within a frame or two of an event (17 ms each); shorter gaps are pauses inside one reaction.
const quietMs = 40;

/**
 * The pipeline of every action: read → act → wait until quiet → read → compare. If nothing has changed it keeps
 * looking until the cap, because apps may react late; once the effect is there it does not wait.
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
  const { windowId } = subject;
  const activity = await Activity.open(surface, { pid: subject.pid, windowId }, signal);
  try {
    surface.painting.resume();
    const seen = await readBefore(surface, subject, activity, signal);
    const { pixels } = seen;
    let { before, still } = seen;
    if (before.picture && windowId !== undefined) {
      await surface.painting.watch(surface, windowId, before.picture.bounds, signal);
      await surface.painting.seeMotion(windowId, signal);
    }
    surface.unrest.resume(before.nodes);
    let noise: Noise = { pixels, nodes: surface.unrest.restless() };
    let doubted: Doubt["may"] | undefined;
    let moved: "moves" | "stopped" | undefined;
    activity.ignorePainting(animatedPart(before.picture, pixels));
    surface.painting.pause();
    const value = await act();
    activity.reset();
    const started = performance.now();
    const until = started + Math.max(options.capMs, options.floorMs);
    let last: State | undefined;
    let passed: Noise["pixels"];
    for (;;) {
      // An app that was busy with the action may respond now.
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
      // What keeps moving after the action moves by itself.
      noise = { ...noise, pixels: either(noise.pixels, movement(last?.picture, after.picture)) };
      last = after;
      let verdict = judge(subject, before, after, noise, options);
      if (verdict.doubt && verdict.doubt.may !== doubted && !isSlow(surface)) {
        const isEffect = (state: State): boolean =>
          judge(subject, before, state, noise, options).effect === "confirmed";
        const own = await ruleOut(surface, subject, after, verdict.doubt, { isEffect, signal });
        if (own) {
          doubted = verdict.doubt.may;
          moved = own.before;
          if (own.state) last = after = own.state;
          if (own.picture) after = { ...after, picture: own.picture };
          noise = addNoise(noise, own);
          verdict = judge(subject, before, after, noise, options);
          if (moved === "stopped") verdict = { ...verdict, effect: "unverifiable", isCertain: true };
        } else verdict = { ...verdict, effect: "confirmed", isCertain: true };
      }
      if (verdict.isCertain || performance.now() >= until) {
        const isMoving = noise.pixels !== undefined && changedRatio(noise.pixels) > 0;
        // Pictures of a slow screen are too far apart to show the whole path of an animation.
        const isDoubtful = isSlow(surface) && isMoving && !isEnough({ ...after, picture: undefined });
        if ((!verdict.isCertain || isDoubtful) && verdict.changes.pixels) {
          // One last check: do these pixels move by themselves?
          const { pixels: moving } = await watchMovement(surface, subject, after.picture, signal);
          // If so, what moved right after the action was part of the same animation.
          const own = moving && changedRatio(moving) > 0 ? either(moving, passed) : moving;
          verdict = judge(subject, before, after, { ...noise, pixels: either(noise.pixels, own) }, options);
        }
        const changes = withRefs(surface, after, verdict);
        const cause =
          verdict.effect === "no_change"
            ? await causeOf(surface, subject, { before, after, doubted, moved }, options)
            : moved === "stopped"
              ? moved
              : doubted;
        const effect = verdict.effect === "no_change" && cause ? "unverifiable" : verdict.effect;
        const reason = effect === "unverifiable" ? reasonOf(before, after, cause) : undefined;
        const settleMs = Math.round(performance.now() - started);
        const suspectedLoop = surface.loops.note(options.signature, after);
        surface.unrest.leave(after.nodes, effect === "confirmed");
        surface.heldBack = after.nodes ? undefined : before.nodes;
        return { value, effect, changes, before, after, settleMs, suspectedLoop, reason };
      }
      await activity.next(until, signal);
    }
  } finally {
    await activity[Symbol.asyncDispose]();
  }
}

/** Elements that are new or have changed can be used at once, without a snapshot. */
function withRefs({ snapshots }: Surface, after: State, { changes, nodes }: Judgement): Changes {
  if (nodes.length === 0 || !after.nodes) return changes;
  snapshots.saw(after.nodes);
  return { ...changes, tree: describeChanges(nodes, treeLines, (node) => snapshots.refOf(node)) };
}

const addNoise = (noise: Noise, { pixels, nodes, kinds }: Partial<Noise>): Noise => ({
  pixels: either(noise.pixels, pixels),
  nodes: new Set([...noise.nodes, ...(nodes ?? [])]),
  kinds: new Set([...(noise.kinds ?? []), ...(kinds ?? [])]),
});

/** Why the effect is open. */
type Cause = Doubt["may"] | "written" | "stopped";

interface Found {
  readonly before: State;
  readonly after: State;
  readonly doubted: Doubt["may"] | undefined;
  readonly moved: "moves" | "stopped" | undefined;
}

/** What the action may have done although nothing shows it; undefined when it did nothing. */
async function causeOf(
  surface: Surface,
  { windowId }: Subject,
  { before, after, doubted, moved }: Found,
  { mayWrite, signal }: VerifyOptions,
): Promise<Cause | undefined> {
  if (doubted === "pass") return doubted;
  if (mayWrite && (after.written ?? 0) > (before.written ?? Number.POSITIVE_INFINITY)) return "written";
  // What runs may have been started by the action; only a look before it could have told.
  if (doubted === "run" || (doubted === "move" && moved !== "moves")) return doubted;
  if (windowId !== undefined && (await surface.painting.hasStopped(windowId, signal))) return "stopped";
  return undefined;
}

function reasonOf(before: State, after: State, doubted: Cause | undefined): string | undefined {
  if (doubted === "stopped") return "Something that moved by itself has stopped; the action may have stopped it.";
  if (doubted === "written") return "Nothing was seen to change, but the app has written to a file.";
  if (doubted === "run" || doubted === "move") return "Only something that changes by itself was seen to change.";
  if (doubted === "pass") return "Only that the app was busy was seen: its window was disabled for a moment.";
  if (doubted === "blink") return "Only the text cursor was seen to change.";
  const isSeen = (state: State): boolean => state.nodes !== undefined || state.picture !== undefined;
  return isSeen(before) && isSeen(after) ? undefined : "Neither elements nor pixels of the app could be compared.";
}

// About as long as a reading takes. An app that changes in every pause must not be read all the time.
const headStartMs = 25;
const mostEarlyLooks = 3;

interface Settling {
  readonly calmFor: number;
  readonly until: number;
  readonly signal: AbortSignal;
  /** Whether this state leaves no doubt about the effect. */
  readonly isEnough: (state: State) => boolean;
}

/**
 * The state after the app has settled. Reading starts before it has been quiet long enough. If something happens
 * after all, the reading is thrown away, except for where the picture moved. GTK 4 reports a change first and paints
 * it a frame later: elements that already prove the effect are not read again for that.
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
 * Waits until the window has drawn its hover and focus. Drawn later, they would look like an effect, or like an
 * animation that hides the effect.
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

// Long enough to see where an animation goes, short enough not to be noticed. Only used if something moves at all.
const noiseLooks = 6;
const noiseEveryMs = 50;

/** The state before the action, and the squares of its picture that were already moving. */
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
  /** The picture of `before`, if it has not been decoded. */
  readonly still?: Still | undefined;
}

/** If something is already moving, watches it for a while. */
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

/** If two pictures are identical byte for byte, nothing moves and they need not be decoded. */
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
  // Not in parallel with the first: taken at the same moment, they would be identical even if something moves.
  const still = await takeStill(surface, subject, signal);
  if (!earlier || !still || Buffer.compare(earlier.bytes, still.bytes) === 0)
    return { before, pixels: undefined, still };
  const [first, second] = [await earlier.picture(), await still.picture()];
  return watchedBefore(surface, subject, activity, { ...before, picture: second }, movement(first, second), signal);
}

/** Watches for a while without acting, and reports where the picture moves. */
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

/** The part of the screen around everything that moves by itself, with room to move further. */
function animatedPart(picture: State["picture"], noise: Noise["pixels"]): Rect | undefined {
  const box = noise && changedBox(noise);
  if (!picture || !box) return undefined;
  return grow(toScreenRect(viewOf(picture), box), animationRoom);
}

/** Where the picture changed between the two. */
function movement(earlier: State["picture"], before: State["picture"]): Noise["pixels"] {
  const difference = earlier && before && comparePictures(earlier, before);
  return difference && difference !== "resized" ? fillGaps(difference) : undefined;
}
