import type { Arena } from "./arena.ts";
import type { Match } from "./candidates.ts";
import type { Haystack } from "./haystack.ts";
import type { Needle } from "./needle.ts";
import type { KernelPool, Task } from "./pool.ts";

const opaque = 255;

interface Words {
  readonly pattern: Uint32Array;
  readonly mask: Uint32Array;
  readonly anchor: { readonly x: number; readonly y: number };
}

/**
 * Every place where all pixels that count are identical to the template's. Finds what was cut from this screen in a
 * millisecond.
 */
export async function findExact(
  { pool, arena }: { readonly pool: KernelPool; readonly arena: Arena },
  haystack: Haystack,
  needle: Needle,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<Match[]> {
  const { width, height } = needle.picture;
  const down = haystack.height - height + 1;
  if (down < 1 || haystack.width < width) return [];
  const words = toWords(needle, haystack.isBlueFirst);
  if (!words) return [];
  const [pattern, mask] = [words.pattern, words.mask].map((each) => {
    const at = arena.take(each.byteLength + 16);
    arena.bytes(at, each.byteLength).set(new Uint8Array(each.buffer));
    return at;
  }) as [number, number];
  const rows = Math.ceil(down / pool.size);
  const bands = Array.from({ length: Math.ceil(down / rows) }, (_, index) => ({
    from: index * rows,
    to: Math.min(down, (index + 1) * rows),
    out: arena.take(most * 8),
  }));
  const counts = await pool.run(
    bands.map(({ from, to, out }): Task => {
      const picture = [haystack.source, haystack.stride, haystack.width, from, to];
      return [["exact", ...picture, pattern, mask, width, height, words.anchor.x, words.anchor.y, most, out]];
    }),
    signal,
  );
  const view = arena.view();
  return bands.flatMap(({ out }, band) =>
    Array.from({ length: counts[band] ?? 0 }, (_, index): Match => {
      const [x, y] = [view.getInt32(out + index * 8, true), view.getInt32(out + index * 8 + 4, true)];
      return { x, y, width, height, score: 1, scale: 1, rotation: 0 };
    }),
  );
}

/**
 * In the byte order of the screen, with the pair of neighbours to search for first: two that rarely occur together.
 */
function toWords({ picture, mask }: Needle, isBlueFirst: boolean): Words | undefined {
  const { width, height, data } = picture;
  const pattern = new Uint32Array(width * height);
  const masks = new Uint32Array(width * height);
  const frequency = new Map<number, number>();
  for (let index = 0; index < pattern.length; index++) {
    const at = index * 4;
    const [red, green, blue] = [data[at] as number, data[at + 1] as number, data[at + 2] as number];
    const word = isBlueFirst ? blue | (green << 8) | (red << 16) : red | (green << 8) | (blue << 16);
    const counts = (data[at + 3] as number) === opaque && (!mask || (mask[index] as number) >= 128);
    pattern[index] = word;
    masks[index] = counts ? 0xffffff : 0;
    if (counts) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  let best = Number.POSITIVE_INFINITY;
  let anchor: Words["anchor"] | undefined;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x + 1 < width; x++) {
      const index = y * width + x;
      if (masks[index] === 0 || masks[index + 1] === 0) continue;
      const [left, right] = [pattern[index] as number, pattern[index + 1] as number];
      const cost = (frequency.get(left) ?? 0) + (left === right ? pattern.length : 0);
      if (cost < best) {
        best = cost;
        anchor = { x, y };
      }
    }
  }
  return anchor && { pattern, mask: masks, anchor };
}
