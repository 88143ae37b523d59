import { sleep } from "../base/async.ts";
import type { UiNode } from "../base/node.ts";
import { changedBox, either, without } from "../vision/compare.ts";
import { diffNodes, type NodeChange } from "./diff.ts";
import { kindOf, type Doubt, type Noise } from "./judge.ts";
import { tickMs } from "./painting.ts";
import { comparePictures, readFacts, readPicture, readState, type State, type Subject } from "./state.ts";
import type { Surface } from "./surface.ts";

// Text cursors are shown and hidden for 400 to 800 ms.
const blinkMs = 1_000;
const everyMs = 90;
// Scroll bars of GTK 4 show for about a second after they were used, and then fade.
const longestShowMs = 3_000;
const stillMs = 1_300;
// Saving a document takes about a second on a busy machine.
const longestBusyMs = 3_000;

/** What turned out to happen by itself; undefined when the evidence stands. */
export type ByItself =
  | (Partial<Noise> &
      Partial<Pick<State, "picture">> & {
        /** What is there now instead. */
        readonly state?: State;
        /** It did the same before the action, and does it still or has stopped. */
        readonly before?: "moves" | "stopped" | undefined;
      })
  | undefined;

/** Looks again without acting: what happens once more is not the effect of the action. */
export async function ruleOut(
  surface: Surface,
  subject: Subject,
  after: State,
  doubt: Doubt,
  { isEffect, signal }: { readonly isEffect: (state: State) => boolean; readonly signal: AbortSignal },
): Promise<ByItself> {
  switch (doubt.may) {
    case "vary":
      return readAgain(surface, subject, after, signal);
    case "run":
      return seeRunning(
        surface,
        doubt.changes.map(({ node }) => node),
        signal,
      );
    case "pass":
      return seePassing(surface, subject, doubt.changes, signal);
    case "blink":
      return seeBlinking(surface, subject, after, signal);
    case "fade":
      return seeFading(surface, subject, after, isEffect, signal);
    case "move":
      return seeMoving(surface, subject, after, doubt, signal);
  }
}

async function readAgain(surface: Surface, subject: Subject, { nodes }: State, signal: AbortSignal): Promise<ByItself> {
  const again = (await readFacts(surface, subject, signal)).nodes;
  const changes = nodes && again ? diffNodes(nodes, again) : [];
  if (changes.length === 0) return undefined;
  return {
    nodes: new Set(changes.flatMap(({ node, before }) => [node.runtimeId, (before ?? node).runtimeId])),
    kinds: new Set(changes.filter(({ kind }) => kind !== "changed").map(({ node }) => kindOf(node))),
  };
}

async function seeRunning(surface: Surface, nodes: readonly UiNode[], signal: AbortSignal): Promise<ByItself> {
  const { unrest, backend } = surface;
  const unknown = nodes.filter(({ runtimeId }) => !unrest.isKnownStill(runtimeId));
  const ids = unknown.map(({ runtimeId }) => runtimeId);
  if (ids.length === 0) return undefined;
  const until = performance.now() + tickMs;
  while (performance.now() < until) {
    await sleep(everyMs, signal);
    const now = (await backend.elements?.read(ids, { signal })) ?? [];
    const runs = unknown.filter((node, at) => {
      const next = now[at];
      return next !== undefined && (next.name !== node.name || next.value !== node.value);
    });
    if (runs.length > 0) return { nodes: new Set(ids) };
  }
  unrest.trust(ids);
  return undefined;
}

async function seePassing(
  surface: Surface,
  subject: Subject,
  changes: readonly NodeChange[],
  signal: AbortSignal,
): Promise<ByItself> {
  // It was blocked before the action, so this is the end of something earlier.
  if (changes.some(({ gained }) => gained.includes("enabled")))
    return { nodes: new Set(changes.map(({ node }) => node.runtimeId)) };
  const isBlocked = ({ nodes }: State): boolean => {
    const enabled = new Set(nodes?.flatMap(({ runtimeId, states }) => (states.includes("enabled") ? [runtimeId] : [])));
    return changes.every(({ node }) => !enabled.has(node.runtimeId));
  };
  for (const until = performance.now() + longestBusyMs; performance.now() < until;) {
    await sleep(everyMs, signal);
    const state = await readState(surface, subject, signal);
    if (!isBlocked(state)) return { state };
  }
  return undefined;
}

async function seeBlinking(
  surface: Surface,
  subject: Subject,
  { picture }: State,
  signal: AbortSignal,
): Promise<ByItself> {
  if (!picture) return undefined;
  const until = performance.now() + blinkMs;
  while (performance.now() < until) {
    await sleep(everyMs, signal);
    const now = await readPicture(surface, subject, signal);
    const difference = now && comparePictures(picture, now);
    if (!difference || difference === "resized" || changedBox(difference)) return {};
  }
  return undefined;
}

async function seeFading(
  surface: Surface,
  subject: Subject,
  after: State,
  isEffect: (state: State) => boolean,
  signal: AbortSignal,
): Promise<ByItself> {
  let last = after.picture;
  let lastAt = performance.now();
  for (const until = lastAt + longestShowMs; performance.now() < until;) {
    await sleep(everyMs, signal);
    const picture = await readPicture(surface, subject, signal);
    if (!isEffect({ ...after, picture })) return { picture };
    const difference = last && picture && comparePictures(last, picture);
    const isStill = difference && difference !== "resized" && !changedBox(difference);
    if (isStill && performance.now() - lastAt > stillMs) return undefined;
    if (!isStill) lastAt = performance.now();
    last = picture;
  }
  return undefined;
}

async function seeMoving(
  surface: Surface,
  subject: Subject,
  { picture }: State,
  { pixels, box }: Extract<Doubt, { may: "move" }>,
  signal: AbortSignal,
): Promise<ByItself> {
  const { painting } = surface;
  const { windowId } = subject;
  if (!picture || windowId === undefined || painting.isKnownStill(windowId, box)) return undefined;
  const wasMoving = painting.wasMoving(windowId, box);
  let again: Noise["pixels"];
  for (const until = performance.now() + tickMs; performance.now() < until;) {
    await sleep(everyMs, signal);
    const now = await readPicture(surface, subject, signal);
    const difference = now && comparePictures(picture, now);
    if (!difference || difference === "resized") continue;
    again = either(again, difference);
    // Not grown: letters stand next to a text cursor that blinks.
    if (!changedBox(without(pixels, again, 0))) return { pixels: again, before: wasMoving ? "moves" : undefined };
  }
  if (wasMoving) return { before: "stopped" };
  if (!again || !changedBox(again)) painting.trust(windowId);
  return undefined;
}
