import type { Pixels } from "../../base/frame.ts";
import type { Arena } from "./arena.ts";
import type { Call, KernelPool, Task } from "./pool.ts";

/** The picture at one size, in the kernel's memory. */
export interface Level {
  readonly factor: number;
  readonly width: number;
  readonly height: number;
  readonly plane: number;
  readonly stride: number;
}

/** What the kernel needs to search a level, besides its plane. */
export interface SearchTables {
  readonly pairs: number;
  readonly sums: number;
  readonly squares: number;
  readonly sumStride: number;
}

/** Pixels in the form in which they are searched: four bytes each, the fourth without meaning. */
export interface Searchable extends Omit<Pixels, "format"> {
  readonly order: "bgrx" | "rgbx";
}

/** The kernel reads whole vectors, up to this many cells past the end of a row. */
const overrun = 80;
const factors = [1, 2, 4, 8, 16, 32] as const;
const largestFactor = 32;

/** The picture to search. */
export class Haystack {
  readonly width: number;
  readonly height: number;
  readonly source: number;
  readonly stride: number;
  readonly isBlueFirst: boolean;
  readonly #arena: Arena;
  readonly #pool: KernelPool;
  readonly #levels: Level[] = [];
  readonly #tables = new Map<number, SearchTables>();

  constructor(pool: KernelPool, arena: Arena, { width, height, stride, data, order }: Searchable) {
    this.#pool = pool;
    this.#arena = arena;
    this.width = width;
    this.height = height;
    this.stride = stride;
    this.isBlueFirst = order === "bgrx";
    this.source = arena.take(stride * height + overrun * 4);
    arena.bytes(this.source, stride * height).set(data.subarray(0, stride * height));
  }

  /** Computes the brightness at every size. */
  async prepare([red, green, blue]: readonly [number, number, number], signal: AbortSignal): Promise<void> {
    for (const factor of factors) {
      const width = Math.floor(this.width / factor);
      const height = Math.floor(this.height / factor);
      if (width < 1 || height < 1) break;
      const stride = Math.ceil((width + overrun) / 8) * 8;
      this.#levels.push({ factor, width, height, stride, plane: this.#arena.take(stride * 2 * (height + 1)) });
    }
    const [first, last] = this.isBlueFirst ? [blue, red] : [red, blue];
    const rows = Math.ceil(this.height / (this.#pool.size * 3) / largestFactor) * largestFactor;
    const bands = Array.from({ length: Math.ceil(this.height / rows) }, (_, index): Task => {
      const [from, to] = [index * rows, Math.min(this.height, (index + 1) * rows)];
      return this.#levels.map((level): Call => {
        const { factor, plane, stride, width, height } = level;
        if (factor === 1)
          return ["brighten", this.source, this.stride, width, from, to, first, green, last, plane, stride];
        const above = this.level(factor / 2);
        const end = Math.min(height, Math.floor(to / factor));
        return ["halve", above.plane, above.stride, plane, stride, width, Math.floor(from / factor), end];
      });
    });
    await this.#pool.run(bands, signal);
  }

  level(factor: number): Level {
    const level = this.#levels.find((each) => each.factor === factor);
    if (!level) throw new RangeError(`There is no level ${factor} of a picture of ${this.width}×${this.height}.`);
    return level;
  }

  get factors(): readonly number[] {
    return this.#levels.map(({ factor }) => factor);
  }

  async makeSearchable(factors: Iterable<number>, signal: AbortSignal): Promise<void> {
    const missing = [...new Set(factors)].filter((factor) => !this.#tables.has(factor));
    const tasks = missing.map((factor): Task => {
      const { width, height, plane, stride } = this.level(factor);
      const sumStride = Math.ceil((width + 1 + overrun) / 8) * 8;
      const pairs = this.#arena.take(stride * 4 * (height + 1));
      const sums = this.#arena.take(sumStride * 4 * (height + 2));
      const squares = this.#arena.take(sumStride * 4 * (height + 2));
      this.#tables.set(factor, { pairs, sums, squares, sumStride });
      return [["sum", plane, stride, width, height, pairs, sums, squares, sumStride]];
    });
    if (tasks.length > 0) await this.#pool.run(tasks, signal);
  }

  tables(factor: number): SearchTables {
    const tables = this.#tables.get(factor);
    if (!tables) throw new RangeError(`Level ${factor} has not been made searchable.`);
    return tables;
  }
}

/** With four bytes per pixel; only pictures with three are copied. */
export function toSearchable(pixels: Pixels): Searchable {
  const { width, height, stride, data } = pixels;
  if (pixels.format === "bgrx") return { width, height, stride, data, order: "bgrx" };
  const out = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    let from = y * stride;
    let to = y * width * 4;
    for (let x = 0; x < width; x++) {
      out[to] = data[from] as number;
      out[to + 1] = data[from + 1] as number;
      out[to + 2] = data[from + 2] as number;
      from += 3;
      to += 4;
    }
  }
  return { width, height, stride: width * 4, data: out, order: "rgbx" };
}
