import type { Arena } from "./arena.ts";
import type { Comparison, Needle, Rgba, Traits } from "./needle.ts";
import type { KernelPool, Task } from "./pool.ts";

export const rotations = [0, 90, 180, 270] as const;
export type Rotation = (typeof rotations)[number];

/** What to look for in one rotation, as the kernel's tables of sums. */
export interface Pattern {
  readonly rotation: Rotation;
  /** The size of the rotated picture; twice the template's if it was enlarged first. */
  readonly width: number;
  readonly height: number;
  readonly zoom: number;
  readonly comparison: Comparison;
  readonly tables: number;
}

/** Backgrounds behind transparent parts; an icon looks different on a light and on a dark window. */
const grounds = [255, 0] as const;
const tableCount = 6;

/** A larger copy for scales above 1: averaging parts of a pixel would make it blocky. */
export type Enlarge = (picture: Rgba) => Promise<Rgba>;

export class Patterns {
  readonly #pool: KernelPool;
  readonly #arena: Arena;
  readonly #needle: Needle;
  readonly #traits: Traits;
  readonly #enlarge: Enlarge;
  readonly #made = new Map<string, readonly Pattern[]>();

  constructor(
    { pool, arena }: { readonly pool: KernelPool; readonly arena: Arena },
    needle: Needle,
    { traits, enlarge }: { readonly traits: Traits; readonly enlarge: Enlarge },
  ) {
    this.#pool = pool;
    this.#arena = arena;
    this.#needle = needle;
    this.#traits = traits;
    this.#enlarge = enlarge;
  }

  /** For this rotation and scale; two if the background matters. */
  at(rotation: Rotation, scale: number): readonly Pattern[] {
    return this.#made.get(keyOf(rotation, zoomFor(scale))) ?? [];
  }

  async make(turns: readonly Rotation[], scales: readonly number[], signal: AbortSignal): Promise<void> {
    const tasks: Task[] = [];
    for (const zoom of new Set(scales.map(zoomFor))) {
      const missing = turns.filter((rotation) => !this.#made.has(keyOf(rotation, zoom)));
      if (missing.length === 0) continue;
      const { picture, mask } = await this.#sized(zoom);
      const rgba = this.#put(picture.data);
      const maskAt = mask ? this.#put(mask) : 0;
      for (const rotation of missing) tasks.push(...this.#survey(picture, rgba, maskAt, rotation, zoom));
    }
    if (tasks.length > 0) await this.#pool.run(tasks, signal);
  }

  async #sized(zoom: number): Promise<Needle> {
    const { picture, mask } = this.#needle;
    if (zoom === 1) return this.#needle;
    return { picture: await this.#enlarge(picture), mask: mask && doubled(mask, picture.width, picture.height) };
  }

  #put(bytes: Uint8Array): number {
    const at = this.#arena.take(bytes.length);
    this.#arena.bytes(at, bytes.length).set(bytes);
    return at;
  }

  #survey(picture: Rgba, rgba: number, mask: number, rotation: Rotation, zoom: number): Task[] {
    const turns = rotation / 90;
    const [width, height] =
      turns % 2 === 0 ? [picture.width, picture.height] : ([picture.height, picture.width] as const);
    const { comparison, weights } = this.#traits;
    const behind = comparison === "see-through" ? grounds : [0];
    const patterns = behind.map((): Pattern => {
      const tables = this.#arena.take(tableCount * (width + 1) * (height + 1) * 4);
      return { rotation, width, height, zoom, comparison, tables };
    });
    this.#made.set(keyOf(rotation, zoom), patterns);
    return patterns.map(({ tables }, index): Task => {
      return [["survey", rgba, mask, width, height, turns, behind[index] ?? 0, ...weights, tables]];
    });
  }
}

const zoomFor = (scale: number): number => (scale > 1 ? 2 : 1);
const keyOf = (rotation: Rotation, zoom: number): string => `${rotation}×${zoom}`;

function doubled(mask: Uint8Array, width: number, height: number): Uint8Array {
  const out = new Uint8Array(width * height * 4);
  for (let y = 0; y < height * 2; y++) {
    for (let x = 0; x < width * 2; x++) out[y * width * 2 + x] = mask[(y >> 1) * width + (x >> 1)] as number;
  }
  return out;
}
