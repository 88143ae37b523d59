import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cancelled, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import { contains, type ImageRect } from "../../base/geometry.ts";
import type { Log } from "../../base/log.ts";
import { grow, within } from "./picture.ts";
import { engine, lineOf, type Reading, type ReadOptions, type Word } from "./reading.ts";
import { Reads } from "./reads.ts";
import { findRuntime, missingRuntime } from "./runtime.ts";
import { cut, View } from "./view.ts";
import { readLetters, recogniserFiles } from "./weights.ts";

export type { Line, Reading, ReadOptions, Word } from "./reading.ts";

export interface ReaderStatus {
  readonly available: boolean;
  readonly reason?: string;
  readonly engine: string;
  /** Empty when the weights are not those of the package. */
  readonly languages: readonly string[];
  /** The letters it knows beyond ASCII. */
  readonly letters: string;
}

export interface TextReader extends AsyncDisposable {
  read(pixels: Pixels, options: ReadOptions): Promise<Reading>;
  status(): ReaderStatus;
}

export interface TextReaderOptions {
  readonly log?: Log | undefined;
  /** Helpers and pictures are released after this long without a read. */
  readonly idleMs?: number | undefined;
  /** The folder of another recogniser, for other languages. */
  readonly weights?: string | undefined;
}

// Languages that the second head was made for and that the truth set contains, and those that the first knows except
// for rare capitals.
const languages = "en de fr es it pt nl da sv no hr sl pl cs hu tr ro".split(" ");

const keptViews = 4;
// Letters on the border of the requested rectangle are found whole this far outside it.
const roiMargin = 16;
const mostPixels = 64e6;

/** Cheap: helpers start and networks load on the first read. */
export function openTextReader(options: TextReaderOptions = {}): TextReader {
  return new PooledReader(options);
}

class PooledReader implements TextReader {
  readonly #reads: Reads;
  readonly #views = new Map<string, View>();
  readonly #weights: string | undefined;
  readonly #idleMs: number;
  #idle: NodeJS.Timeout | undefined;
  #running = 0;

  constructor({ log, weights, idleMs = 120_000 }: TextReaderOptions) {
    this.#reads = new Reads(log, weights);
    this.#weights = weights;
    this.#idleMs = idleMs;
  }

  async read(pixels: Pixels, options: ReadOptions): Promise<Reading> {
    throwIfCancelled(options.signal);
    const { width, height } = pixels;
    if (width < 1 || height < 1 || width * height > mostPixels) {
      throw new ToolError("invalid_argument", `A picture of ${width}×${height} pixels cannot be read.`, {
        hint: "Capture a smaller part of the screen.",
      });
    }
    clearTimeout(this.#idle);
    this.#running += 1;
    try {
      const reading = options.roi
        ? await this.#readPart(pixels, options.roi, options)
        : await this.#readAll(pixels, options);
      return limited(reading, options.maxLines);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#idle = setTimeout(() => this.#rest(), this.#idleMs).unref();
    }
  }

  status(): ReaderStatus {
    const reason = whyUnavailable(this.#weights);
    const isOwn = this.#weights === undefined;
    if (reason !== undefined) return { available: false, reason, engine, languages: [], letters: "" };
    return {
      available: true,
      engine: isOwn ? engine : `the recogniser in ${this.#weights}`,
      languages: isOwn ? languages : [],
      letters: readLetters(this.#weights)
        .filter((letter) => letter > "\x7f")
        .join(""),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    this.#rest();
    return Promise.resolve();
  }

  #rest(): void {
    this.#views.clear();
    this.#reads.stop();
  }

  #readAll(pixels: Pixels, options: ReadOptions): Promise<Reading> {
    const view = this.#viewOf(pixels, options);
    const work = view.turn.then(() => this.#reads.read(view, pixels, options));
    // The next read of this view waits until its memory is no longer in use, even if this read is abandoned.
    view.turn = work.catch(() => undefined);
    return untilCancelled(work, options.signal);
  }

  async #readPart(pixels: Pixels, roi: ImageRect, options: ReadOptions): Promise<Reading> {
    const margin = Math.round(roiMargin * (options.scale ?? 1));
    const area = within(pixels, grow(roi, margin));
    if (area.width < 1 || area.height < 1) {
      throw new ToolError(
        "out_of_bounds",
        `The rectangle lies outside the picture of ${pixels.width}×${pixels.height}.`,
      );
    }
    const seen = [...this.#views.values()].find((view) => view.reading?.isComplete && view.shows(pixels, area));
    if (seen?.reading) return inside(seen.reading, roi);
    const patch = new View(area, options.scale);
    const reading = await untilCancelled(this.#reads.read(patch, cut(pixels, area), options), options.signal);
    return inside(moved(reading, area), roi);
  }

  #viewOf(pixels: Pixels, { view = "", scale = 1 }: ReadOptions): View {
    const size = `${pixels.width}x${pixels.height}@${scale}`;
    const name = `${view} ${size}`;
    const source = this.#views.has(name) ? name : (this.#spareOf(size) ?? name);
    const own = this.#views.get(source) ?? new View(pixels, scale);
    this.#views.delete(source);
    this.#views.set(name, own);
    for (const old of [...this.#views.keys()].slice(0, -keptViews)) this.#views.delete(old);
    return own;
  }

  /**
   * A view of this size that is about to be dropped. It can be reused whatever picture it holds, and a new one would
   * take ten megabytes that the engine would soon have to collect.
   */
  #spareOf(size: string): string | undefined {
    // Maps keep insertion order, so the first entry is the least recently used.
    const [oldest] = this.#views.keys();
    return this.#views.size >= keptViews && oldest?.endsWith(` ${size}`) ? oldest : undefined;
  }
}

function whyUnavailable(weights: string | undefined): string | undefined {
  const missing = recogniserFiles(weights).find((file) => !existsSync(file));
  if (missing) return `the weights ${fileURLToPath(missing)} are missing`;
  return findRuntime() === undefined ? missingRuntime : undefined;
}

function untilCancelled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(cancelled(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function limited(reading: Reading, maxLines = Infinity): Reading {
  if (reading.lines.length <= maxLines) return reading;
  return { ...reading, lines: reading.lines.slice(0, maxLines), isComplete: false };
}

function moved(reading: Reading, { x, y }: ImageRect): Reading {
  const shift = (box: ImageRect): ImageRect => ({ ...box, x: box.x + x, y: box.y + y });
  const lines = reading.lines.map((line) => ({
    ...line,
    box: shift(line.box),
    words: line.words.map((word) => ({ ...word, box: shift(word.box) })),
  }));
  return { ...reading, lines };
}

/** The words whose centre is in the rectangle, in their lines. */
function inside(reading: Reading, roi: ImageRect): Reading {
  const isInside = ({ box }: Word) => contains(roi, { x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const lines = reading.lines.flatMap((line) => {
    const words = line.words.filter(isInside);
    return words.length === 0 ? [] : [words.length === line.words.length ? line : lineOf(words)];
  });
  return { ...reading, lines };
}
