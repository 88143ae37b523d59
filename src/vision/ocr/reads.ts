import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import type { Log } from "../../base/log.ts";
import { Cache } from "./cache.ts";
import type { RowRange } from "./edges.ts";
import type { Found, FoundLine, TaskName, Tasks } from "./messages.ts";
import { Hand, HelperGone } from "./hand.ts";
import { engine, lineOf, type Line, type Reading, type ReadOptions } from "./reading.ts";
import type { Recognised } from "./recognise.ts";
import { enter, tileOf, tilesOf } from "./regions.ts";
import { grayOf } from "./picture.ts";
import type { View } from "./view.ts";

// Two helpers with a network each; the machines agents run on seldom have more cores to spare.
const helpers = 2;
// Columns of the network a helper reads before it takes the next piece, at most and at least; about a tenth and a
// hundredth of a second.
const mostColumns = 1200;
const fewestColumns = 120;
// A line takes about a kilobyte; a dense screen has four hundred.
const keptLines = 4000;
const keptTextures = 32;

interface Budget {
  /** As `performance.now()` tells it. */
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

/** Runs the steps of a read over the helpers. */
export class Reads {
  readonly #hands: readonly Hand[];
  /** What lines were read as, by the name of their pixels. */
  readonly #cache = new Cache<Recognised>(keptLines);
  /** The lines in textured rectangles, relative to their corner. */
  readonly #insides = new Cache<readonly FoundLine[]>(keptTextures);

  constructor(log: Log | undefined, weights: string | undefined) {
    this.#hands = Array.from({ length: helpers }, () => new Hand(log, weights));
  }

  async read(view: View, pixels: Pixels, options: ReadOptions): Promise<Reading> {
    throwIfCancelled(options.signal);
    const endsAt = performance.now() + (options.deadlineMs ?? Infinity);
    const changed = view.update(pixels);
    if (changed.length === 0 && view.reading?.isComplete) return view.reading;
    view.reading = undefined;
    const factor = Math.max(1, Math.floor(options.scale ?? 1));
    const { lines, textures } = await this.#find(view, factor, changed);
    const budget: Budget = { endsAt, signal: options.signal };
    await this.#recognise(view, lines, budget);
    const inside: FoundLine[] = [];
    let isSeen = true;
    for (const texture of textures) {
      const found = await this.#lookInto(view, texture, factor, budget);
      if (found) inside.push(...found);
      else isSeen = false;
    }
    await this.#recognise(view, inside, budget);
    throwIfCancelled(options.signal);
    view.reading = this.#assemble([...lines, ...inside], isSeen);
    return view.reading;
  }

  forget(view: View): void {
    if (this.#finder.isRunning) void this.#finder.ask("forget", { view: view.name }).catch(() => undefined);
  }

  /** Helpers start again at the next read. */
  stop(): void {
    for (const hand of this.#hands) hand.stop();
  }

  /** The edges of the last pictures stay with one helper. */
  get #finder(): Hand {
    return this.#hands[0] as Hand;
  }

  async #find(view: View, factor: number, changed: readonly RowRange[]): Promise<Found> {
    const { width, height } = view.picture;
    const order = { view: view.name, width, height, factor };
    const found = await this.#ask(this.#finder, "find", { ...order, rows: changed.map((range) => view.rows(range)) });
    return found ?? need(await this.#ask(this.#finder, "find", { ...order, rows: [view.rows([0, height])] }));
  }

  /** The lines in a textured rectangle, found by a network; undefined when the time is up. */
  async #lookInto(
    view: View,
    { box: area, key }: FoundLine,
    factor: number,
    budget: Budget,
  ): Promise<readonly FoundLine[] | undefined> {
    const known = this.#insides.get(key);
    if (known) return known.map((line) => moved(line, area.x, area.y));
    const [width, height] = [Math.floor(area.width / factor), Math.floor(area.height / factor)];
    const likelihood = { data: new Uint8Array(width * height), width, height };
    const isDone = await this.#share(tilesOf(width, height), budget, async (hand, tile) => {
      enter(likelihood, tile, await this.#ask(hand, "look", tileOf(view.picture, area, tile, factor)));
    });
    if (!isDone) return undefined;
    const lines = await this.#ask(this.#finder, "outline", { view: view.name, area, factor, likelihood });
    this.#insides.set(
      key,
      lines.map((line) => moved(line, -area.x, -area.y)),
    );
    return lines;
  }

  async #recognise({ picture }: View, lines: readonly FoundLine[], budget: Budget): Promise<void> {
    const unknown = new Map<string, FoundLine>();
    for (const line of lines) if (!this.#cache.get(line.key)) unknown.set(line.key, line);
    await this.#share(toPieces([...unknown.values()]), budget, async (hand, piece) => {
      const answers = await this.#ask(
        hand,
        "recognise",
        piece.map(({ box, isRoomy = false }) => ({ ...grayOf(picture, box), isRoomy })),
      );
      piece.forEach(({ key }, i) => this.#cache.set(key, answers[i] as Recognised));
    });
  }

  /** Both helpers take pieces until none is left, the time is up or nobody wants it any more; true when all is done. */
  async #share<Piece>(
    pieces: Piece[],
    { endsAt, signal }: Budget,
    work: (hand: Hand, piece: Piece) => Promise<unknown>,
  ): Promise<boolean> {
    const takePieces = async (hand: Hand) => {
      while (pieces.length > 0 && !signal.aborted && performance.now() < endsAt)
        await work(hand, pieces.shift() as Piece);
    };
    const done = await Promise.allSettled(this.#hands.slice(0, pieces.length).map(takePieces));
    for (const outcome of done) if (outcome.status === "rejected") throw outcome.reason;
    return pieces.length === 0;
  }

  #assemble(lines: readonly FoundLine[], isSeen: boolean): Reading {
    let isComplete = isSeen;
    const read = lines.flatMap(({ box, key }): Line[] => {
      const recognised = this.#cache.get(key);
      if (!recognised) isComplete = false;
      const words = (recognised?.words ?? []).map(({ text, confidence, box: own }) => {
        return { text, confidence, box: { ...own, x: box.x + own.x, y: box.y + own.y } };
      });
      if (words.length === 0) return [];
      const line = lineOf(words);
      return isNoise(line) ? [] : [line];
    });
    return { lines: read, engine, isComplete };
  }

  /** A helper that died is started again once; whatever kills it twice would kill it forever. */
  async #ask<Name extends TaskName>(
    hand: Hand,
    task: Name,
    order: Tasks[Name]["order"],
  ): Promise<Tasks[Name]["answer"]> {
    try {
      return await hand.ask(task, order);
    } catch (error) {
      if (!(error instanceof HelperGone)) throw error;
    }
    try {
      return await hand.ask(task, order);
    } catch (error) {
      if (!(error instanceof HelperGone)) throw error;
      throw new ToolError("internal", "The process that reads text ended twice.", {
        hint: "Read a smaller part of the screen, or use the elements of the window.",
        cause: error,
      });
    }
  }
}

/** The widest lines first and enough pieces for everybody, so that no helper is left with a long one at the end. */
function toPieces(lines: readonly FoundLine[]): FoundLine[][] {
  const columnsOf = ({ box }: FoundLine) => (box.width / box.height) * 32;
  const total = lines.reduce((sum, line) => sum + columnsOf(line), 0);
  const enough = Math.min(mostColumns, Math.max(fewestColumns, total / (4 * helpers)));
  const pieces: FoundLine[][] = [];
  let columns = Infinity;
  for (const line of lines.toSorted((a, b) => columnsOf(b) - columnsOf(a))) {
    if (columns >= enough) {
      pieces.push([]);
      columns = 0;
    }
    pieces.at(-1)?.push(line);
    columns += columnsOf(line);
  }
  return pieces;
}

const moved = ({ box, ...line }: FoundLine, x: number, y: number): FoundLine => {
  return { ...line, box: { ...box, x: box.x + x, y: box.y + y } };
};

function need<T>(value: T | null): T {
  if (value === null) throw new Error("a helper has lost the picture it was just given");
  return value;
}

// An icon or a piece of a frame becomes a doubtful letter or a sign; longer inventions are rarer than hard words.
const surestNoise = { letter: 0.5, sign: 0.9 } as const;

function isNoise({ text, confidence }: Line): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return confidence < surestNoise.sign;
  return text.length <= 2 && confidence < surestNoise.letter;
}
