import type { Pattern, Rotation } from "./pattern.ts";

/** A place where the pattern may be. x, y and scale refer to the searched picture and may be fractions. */
export interface Candidate {
  readonly pattern: Pattern;
  /** Relative to the pattern, which may be enlarged. */
  readonly scale: number;
  readonly x: number;
  readonly y: number;
  readonly score: number;
}

export interface Match {
  readonly score: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly rotation: Rotation;
}

export const widthOf = ({ pattern, scale }: Candidate): number => pattern.width * scale;
export const heightOf = ({ pattern, scale }: Candidate): number => pattern.height * scale;

/** Best first; ties in reading order, so that the same search always gives the same answer. */
export const byScore = <T extends { readonly score: number; readonly x: number; readonly y: number }>(a: T, b: T) =>
  b.score - a.score || a.y - b.y || a.x - b.x;

/** The best candidate for each place and approximate size, at most `most`. */
export function distinct<C extends Candidate>(candidates: readonly C[], most: number): C[] {
  const kept: C[] = [];
  for (const candidate of candidates.toSorted(byScore)) {
    if (kept.length >= most) break;
    if (!kept.some((better) => isSamePlace(better, candidate))) kept.push(candidate);
  }
  return kept;
}

function isSamePlace(a: Candidate, b: Candidate): boolean {
  if (a.pattern.rotation !== b.pattern.rotation) return false;
  const [widthA, widthB] = [widthOf(a), widthOf(b)];
  if (Math.max(widthA, widthB) > Math.min(widthA, widthB) * 1.3) return false;
  return (
    Math.abs(a.x + widthA / 2 - b.x - widthB / 2) < Math.min(widthA, widthB) * 0.2 &&
    Math.abs(a.y + heightOf(a) / 2 - b.y - heightOf(b) / 2) < Math.min(heightOf(a), heightOf(b)) * 0.2
  );
}

/** The best matches, none covering more than a third of a better one. */
export function withoutOverlaps(matches: readonly Match[], most: number): Match[] {
  const kept: Match[] = [];
  for (const match of matches.toSorted(byScore)) {
    if (kept.length >= most) break;
    if (!kept.some((better) => overlap(better, match) > 1 / 3)) kept.push(match);
  }
  return kept;
}

/** The common area as a fraction of the smaller one. */
function overlap(a: Match, b: Match): number {
  const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (across <= 0 || down <= 0) return 0;
  return (across * down) / Math.min(a.width * a.height, b.width * b.height);
}
