import type { Usage } from "./usage.ts";

/** Something that must not grow with the number of calls. */
export interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly of: (usage: Usage) => number;
  /** How much more is allowed at the end than after the warm-up, and per thousand calls. */
  readonly limit: { readonly rise: number; readonly perThousand: number };
}

export interface Flatness {
  readonly measured: Measured;
  /** Medians after the warm-up and at the end. */
  readonly early: number;
  readonly late: number;
  readonly most: number;
  /** The median of all slopes between two samples, so that one high sample counts no more than another. */
  readonly perThousand: number;
  readonly isFlat: boolean;
}

/** Compares the second of `parts` parts of the samples with the last; the first is the warm-up. */
export function judgeFlatness(measured: Measured, usage: readonly Usage[], parts: number): Flatness {
  const length = Math.max(1, Math.floor(usage.length / parts));
  const values = usage.map(measured.of);
  const early = median(values.slice(length, 2 * length));
  const late = median(values.slice(-length));
  const perThousand = slope(usage.slice(length).map((each) => [each.calls / 1_000, measured.of(each)]));
  const { limit } = measured;
  return {
    measured,
    early,
    late,
    most: Math.max(...values),
    perThousand,
    isFlat: late - early <= limit.rise && perThousand <= limit.perThousand,
  };
}

/** The Theil–Sen estimator. */
function slope(points: readonly (readonly [number, number])[]): number {
  return median(
    points.flatMap(([x, y], index) =>
      points.slice(index + 1).flatMap(([u, v]) => (u === x ? [] : [(v - y) / (u - x)])),
    ),
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
