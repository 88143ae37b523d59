import type { Chain } from "./chains.ts";
import type { Edges } from "./edges.ts";

// A valley in the edges per row below this fraction of both peaks separates two lines.
const valleyShare = 0.2;
const smallestHalf = 5;

/** Two lines with little leading whose letters touch look like one tall line. */
export function splitTall(line: Chain, map: Edges): Chain[] {
  const height = line.bottom - line.top;
  if (height < 2 * smallestHalf + 3 || line.parts.length < 2) return [line];
  const profile = edgesPerRow(line, map);
  const cut = findValley(profile);
  if (cut === undefined) return [line];
  const at = line.top + cut;
  const halves = [cutOut(line, line.top, at), cutOut(line, at, line.bottom)].filter((half) => half !== undefined);
  return halves.length === 2 ? halves.flatMap((half) => splitTall(half, map)) : [line];
}

function edgesPerRow(line: Chain, map: Edges): number[] {
  const profile: number[] = [];
  for (let y = line.top; y < line.bottom; y++) {
    const row = map.runs[y] as Uint16Array;
    let sum = 0;
    for (let i = 0; i < row.length; i += 2) {
      const first = Math.max(row[i] as number, line.left - 1);
      const last = Math.min(row[i + 1] as number, line.right - 1);
      if (last >= first) sum += last - first + 1;
    }
    profile.push(sum);
  }
  return profile;
}

function findValley(profile: readonly number[]): number | undefined {
  let best: number | undefined;
  let bestValue = Infinity;
  // The highest of the rows before each one, and of those after it.
  const above = peaks(profile);
  const below = peaks(profile.toReversed()).toReversed();
  for (let row = smallestHalf; row <= profile.length - smallestHalf; row++) {
    const value = profile[row] as number;
    const peak = Math.min(above[row] as number, below[row] as number);
    if (value < valleyShare * peak && value < bestValue) {
      best = row;
      bestValue = value;
    }
  }
  return best;
}

function peaks(profile: readonly number[]): number[] {
  let peak = 0;
  return profile.map((value) => {
    const before = peak;
    peak = Math.max(peak, value);
    return before;
  });
}

/** The part of a line between two rows; letters that cross the cut are cut. */
function cutOut(line: Chain, top: number, bottom: number): Chain | undefined {
  const parts = line.parts
    .filter(
      (part) => Math.min(part.bottom, bottom) - Math.max(part.top, top) >= 0.3 * Math.max(1, part.bottom - part.top),
    )
    .map((part) => ({ ...part, top: Math.max(part.top, top), bottom: Math.min(part.bottom, bottom) }));
  if (parts.length === 0) return undefined;
  const half: Chain = {
    left: Math.min(...parts.map(({ left }) => left)),
    top: Math.min(...parts.map((part) => part.top)),
    right: Math.max(...parts.map(({ right }) => right)),
    bottom: Math.max(...parts.map((part) => part.bottom)),
    parts,
  };
  return half.bottom - half.top >= smallestHalf ? half : undefined;
}
