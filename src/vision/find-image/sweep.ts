import type { Comparison } from "./needle.ts";
import type { Pattern } from "./pattern.ts";
import type { Task } from "./pool.ts";
import type { Stage } from "./scales.ts";
import type { Coarse, Search } from "./search.ts";

const fewestCellsAcross = 4;
/** Where the picture is, a coarse cell matches at least this well even at the wrong phase and size. */
const leastCoarse = 0.4;
/**
 * Limits of the window's contrast relative to the pattern's, squared; the background behind a see-through pattern can
 * have any contrast.
 */
const contrasts: Readonly<Record<Comparison, readonly [number, number]>> = {
  all: [0.15, 6],
  masked: [0.15, 6],
  "see-through": [0.01, 40],
};

interface Variant {
  readonly pattern: Pattern;
  readonly scale: number;
  readonly factor: number;
}

/** Compares every pattern at every size with the whole picture, each at the smallest level that still shows it. */
export async function sweep(search: Search, { scales }: Stage): Promise<Coarse[]> {
  const { patterns, options, haystack } = search;
  let variants = scales.flatMap((scale) =>
    options.rotations.flatMap((rotation) =>
      patterns.at(rotation, scale).flatMap((pattern): Variant[] => {
        const own = scale / pattern.zoom;
        const [width, height] = [pattern.width * own, pattern.height * own];
        if (width > haystack.width || height > haystack.height || Math.min(width, height) < 5) return [];
        return [{ pattern, scale: own, factor: factorFor(search, width, height) }];
      }),
    ),
  );
  const found: Coarse[] = [];
  while (variants.length > 0) {
    const { candidates, tooFlat } = await sweepOnce(search, variants);
    found.push(...candidates);
    variants = tooFlat.filter(({ factor }) => factor > 1).map((one) => ({ ...one, factor: one.factor / 2 }));
  }
  return found;
}

function factorFor({ haystack, thorough, traits }: Search, width: number, height: number): number {
  const fits = (factor: number): boolean => {
    const [columns, rows] = [Math.floor(width / factor), Math.floor(height / factor)];
    return Math.min(columns, rows) >= fewestCellsAcross && columns * rows * traits.share >= thorough.cells;
  };
  return haystack.factors.findLast(fits) ?? 1;
}

async function sweepOnce(
  search: Search,
  variants: readonly Variant[],
): Promise<{ readonly candidates: Coarse[]; readonly tooFlat: Variant[] }> {
  const { pool, arena, haystack, thorough, traits, options, scratch } = search;
  await haystack.makeSearchable(
    variants.map(({ factor }) => factor),
    options.signal,
  );
  const passes = variants.flatMap((variant) =>
    phasesOf(variant.factor, thorough.phases).map(([dropX, dropY]) => {
      return { variant, dropX, dropY, out: arena.take(thorough.keep * 12) };
    }),
  );
  const [leastContrast, mostContrast] = contrasts[traits.comparison];
  const counts = await pool.run(
    passes.map(({ variant: { pattern, scale, factor }, dropX, dropY, out }): Task => {
      const { stride, width, height } = haystack.level(factor);
      const { pairs, sums, squares, sumStride } = haystack.tables(factor);
      const isMasked = traits.comparison === "masked" ? 1 : 0;
      const shape = [pattern.tables, pattern.width, pattern.height, isMasked, scale, factor, dropX, dropY];
      const level = [pairs, stride, width, height, sums, squares, sumStride];
      return [["search", ...shape, ...level, leastContrast, mostContrast, leastCoarse, thorough.keep, out, scratch]];
    }),
    options.signal,
  );
  const view = arena.view();
  const candidates: Coarse[] = [];
  const flat = new Set<Variant>();
  for (const [index, { variant, dropX, dropY, out }] of passes.entries()) {
    const count = counts[index] ?? 0;
    if (count < 0) flat.add(variant);
    for (let at = out; at < out + Math.max(0, count) * 12; at += 12) {
      const [column, row] = [view.getInt32(at + 4, true), view.getInt32(at + 8, true)];
      const [x, y] = [column * variant.factor - dropX, row * variant.factor - dropY];
      candidates.push({ ...variant, score: view.getFloat32(at, true), x, y });
    }
  }
  return { candidates, tooFlat: [...flat] };
}

/** How many pixels to skip at the left and top, so that cells of the pattern and the picture line up. */
function phasesOf(factor: number, steps: number): readonly (readonly [number, number])[] {
  const step = Math.max(1, factor / steps);
  const drops = Array.from({ length: factor / step }, (_, index) => index * step);
  return drops.flatMap((dropY) => drops.map((dropX) => [dropX, dropY] as const));
}
