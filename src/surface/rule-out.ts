import { sleep } from "../base/async.ts";
import type { UiNode } from "../base/node.ts";
import { changedBox } from "../vision/compare.ts";
import { diffNodes } from "./diff.ts";
import { kindOf, type Doubt, type Noise } from "./judge.ts";
import { comparePictures, readFacts, readPicture, type State, type Subject } from "./state.ts";
import type { Surface } from "./surface.ts";

// A clock ticks every second.
const tickMs = 1_150;
// Text cursors are shown and hidden for 400 to 800 ms.
const blinkMs = 1_000;
const everyMs = 90;

/** What turned out to happen by itself; undefined when the evidence stands. */
export type ByItself = Pick<Noise, "nodes" | "kinds"> | undefined;

/** Looks again without acting: what happens once more is not the effect of the action. */
export async function ruleOut(
  surface: Surface,
  subject: Subject,
  after: State,
  doubt: Doubt,
  signal: AbortSignal,
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
    case "blink":
      return seeBlinking(surface, subject, after, signal);
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

async function seeBlinking(surface: Surface, subject: Subject, { picture }: State, signal: AbortSignal) {
  if (!picture) return undefined;
  const until = performance.now() + blinkMs;
  while (performance.now() < until) {
    await sleep(everyMs, signal);
    const now = await readPicture(surface, subject, signal);
    const difference = now && comparePictures(picture, now);
    if (!difference || difference === "resized" || changedBox(difference)) return { nodes: new Set<string>() };
  }
  return undefined;
}
