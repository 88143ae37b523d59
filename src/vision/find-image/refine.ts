import type { Arena } from "./arena.ts";
import { byScore, distinct, heightOf, widthOf, type Candidate, type Match } from "./candidates.ts";
import type { Comparison } from "./needle.ts";
import type { Task } from "./pool.ts";
import type { Stage } from "./scales.ts";
import type { Coarse, Search } from "./search.ts";
import { sweep } from "./sweep.ts";

/** How much the score may still rise between a level and full size. */
const stillToGain = (factor: number): number => (factor >= 4 ? 0.3 : factor === 2 ? 0.2 : 0.05);
/** How many are compared in colour at the end. */
const finalists = 24;
/** With a larger mean difference in a colour channel, it is something else with the same shape. */
const mostColourDifference = 38;
const placeBytes = 48;
const comparisonNumber: Readonly<Record<Comparison, number>> = { all: 0, masked: 1, "see-through": 2 };

/** From a coarse pass over everything to a close look at the remaining candidates. */
export async function searchStage(search: Search, stage: Stage): Promise<Match[]> {
  const { patterns, options, threshold, thorough } = search;
  await patterns.make(options.rotations, stage.scales, options.signal);
  const coarse = await sweep(search, stage);
  let kept = distinct(coarse, thorough.keepAll);
  let factor = Math.max(1, ...kept.map((candidate) => candidate.factor));
  for (; factor >= 1 && kept.length > 0; factor /= 2) {
    const isDue = (candidate: Coarse) => candidate.factor >= factor && finest(candidate) <= factor;
    const due = kept.filter(isDue);
    const others = kept.filter((candidate) => !isDue(candidate));
    if (due.length === 0) continue;
    const moved = await climb(search, stage, due, factor);
    const hopeful = moved.filter(({ score }) => score >= threshold - stillToGain(factor));
    // Keep one hopeless candidate, so that a failed search can report how close it came.
    const rest = hopeful.length > 0 ? hopeful : moved.toSorted(byScore).slice(0, 1);
    kept = [...distinct(rest, factor > 1 ? thorough.keepAll : finalists), ...others];
  }
  return judge(search, kept);
}

/**
 * The level for the final comparison. Something drawn at twice the size has finer edges than an enlarged picture; at
 * the resolution of the picture's own pixels both look the same.
 */
const finest = ({ pattern, scale, factor }: Coarse): number => (scale * pattern.zoom >= 1.5 ? Math.min(2, factor) : 1);

async function climb(search: Search, stage: Stage, candidates: readonly Coarse[], factor: number): Promise<Coarse[]> {
  const { arena, pool, haystack, traits, options, scratch } = search;
  if (candidates.length === 0) return [];
  const places = putPlaces(arena, candidates);
  const { plane, stride, width, height } = haystack.level(factor);
  const isFixed = stage.spacing === 0;
  const leastStep = factor === 1 ? (isFixed ? 1 : 0.5) : factor / 4;
  await pool.run(
    candidates.map(({ pattern, factor: from }, index): Task => {
      const scaleStep = isFixed ? 0 : (stage.spacing / 2) * (factor / from);
      const bounds = [stage.least / pattern.zoom, stage.most / pattern.zoom];
      const shape = [pattern.tables, pattern.width, pattern.height, traits.comparison === "masked" ? 1 : 0];
      const steps = [Math.max(1, factor / 2), leastStep, scaleStep, ...bounds];
      return [["climb", ...shape, factor, plane, stride, width, height, ...steps, places(index), scratch]];
    }),
    options.signal,
  );
  const view = arena.view();
  return candidates.map((candidate, index) => ({
    ...candidate,
    x: view.getFloat64(places(index), true),
    y: view.getFloat64(places(index) + 8, true),
    scale: view.getFloat64(places(index) + 16, true),
    score: view.getFloat64(places(index) + 24, true),
  }));
}

async function judge(search: Search, candidates: readonly Coarse[]): Promise<Match[]> {
  const { arena, pool, haystack, traits, options, scratch } = search;
  if (candidates.length === 0) return [];
  const places = putPlaces(arena, candidates);
  const picture = [haystack.source, haystack.stride, haystack.isBlueFirst ? 1 : 0, haystack.width, haystack.height];
  await pool.run(
    candidates.map((candidate, index): Task => {
      const { tables, width, height } = candidate.pattern;
      const how = [comparisonNumber[traits.comparison], finest(candidate)];
      return [["judge", tables, width, height, ...how, ...picture, places(index), scratch]];
    }),
    options.signal,
  );
  const view = arena.view();
  return candidates.flatMap((candidate, index): Match[] => {
    const score = view.getFloat64(places(index) + 32, true);
    const difference = view.getFloat64(places(index) + 40, true);
    if (score <= 0) return [];
    const { pattern, scale, x, y } = candidate;
    return [
      {
        // The same shape in other colours may be reported as the best of a failed search, but is not a match.
        score: difference > mostColourDifference ? Math.min(score, search.threshold - 0.01) : Math.min(1, score),
        x: Math.round(x),
        y: Math.round(y),
        width: Math.round(widthOf(candidate)),
        height: Math.round(heightOf(candidate)),
        scale: scale * pattern.zoom,
        rotation: pattern.rotation,
      },
    ];
  });
}

function putPlaces(arena: Arena, candidates: readonly Candidate[]): (index: number) => number {
  const start = arena.take(placeBytes * candidates.length);
  const view = arena.view();
  for (const [index, { x, y, scale }] of candidates.entries()) {
    view.setFloat64(start + index * placeBytes, x, true);
    view.setFloat64(start + index * placeBytes + 8, y, true);
    view.setFloat64(start + index * placeBytes + 16, scale, true);
  }
  return (index) => start + index * placeBytes;
}
