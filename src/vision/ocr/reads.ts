import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import { contains } from "../../base/geometry.ts";
import type { Log } from "../../base/log.ts";
import { Cache } from "./cache.ts";
import { moved, toFound, toRoomy, type Found, type FoundLine } from "./found.ts";
import { findLines } from "./lines.ts";
import { packEdges, type TaskName, type Tasks } from "./messages.ts";
import type { Edges } from "./edges.ts";
import { Hand, HelperGone } from "./hand.ts";
import { engine, lineOf, type Line, type Reading, type ReadOptions } from "./reading.ts";
import type { Recognised } from "./recognise.ts";
import { enter, tileOf, tilesOf } from "./regions.ts";
import { grayOf } from "./picture.ts";
import { turned, turnedBack, turns, upright } from "./turned.ts";
import type { View } from "./view.ts";

// Two helpers with one network each; machines that run agents seldom have more cores to spare.
const helpers = 2;
// While a helper works on one piece, the next is already queued.
const piecesAtHand = 2;
// Maximum and minimum columns of the network in a piece; about a twentieth and a hundredth of a second.
const mostColumns = 800;
const fewestColumns = 120;
// A line takes about a kilobyte; a dense screen has four hundred.
const keptLines = 4000;
const keptTextures = 32;

// With this many runs of edges, lines are found in a few milliseconds, and asking a helper would double that. With
// more, other calls would have to wait.
const quickRuns = 20_000;

const unread: Recognised = { text: "", confidence: 0, words: [] };

interface Budget {
  /** In terms of `performance.now()`. */
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

/** Distributes the steps of a read over the helpers. */
export class Reads {
  readonly #hands: readonly Hand[];
  /** Recognised lines, by the key of their pixels. */
  readonly #cache = new Cache<Recognised>(keptLines);
  /** The lines in textured rectangles, relative to their corner. */
  readonly #insides = new Cache<readonly FoundLine[]>(keptTextures);

  constructor(log: Log | undefined, weights: string | undefined) {
    this.#hands = Array.from({ length: helpers }, () => new Hand(log, weights));
  }

  async read(view: View, pixels: Pixels, options: ReadOptions): Promise<Reading> {
    throwIfCancelled(options.signal);
    const endsAt = performance.now() + (options.deadlineMs ?? Infinity);
    const isChanged = view.update(pixels);
    if (!isChanged && view.reading?.isComplete) return view.reading;
    view.reading = undefined;
    const { lines, columns, textures } = await this.#find(view);
    const budget: Budget = { endsAt, signal: options.signal };
    await this.#recognise(view, [...lines, ...columns], budget);
    const inside: FoundLine[] = [];
    let isSeen = true;
    for (const texture of textures) {
      const found = await this.#lookInto(view, texture, budget);
      if (found) inside.push(...found);
      else isSeen = false;
    }
    await this.#recognise(view, inside, budget);
    throwIfCancelled(options.signal);
    const isTurned = (column: FoundLine): boolean => (this.#cache.get(column.key)?.words.length ?? 0) > 0;
    const sideways = columns.filter(isTurned);
    const isOwn = ({ box }: FoundLine): boolean =>
      !sideways.some((column) => contains(column.box, { x: box.x + box.width / 2, y: box.y + box.height / 2 }));
    view.reading = this.#assemble([...lines.filter(isOwn), ...sideways, ...inside], isSeen);
    return view.reading;
  }

  /** Helpers start again with the next read. */
  stop(): void {
    for (const hand of this.#hands) hand.stop();
  }

  /** The helper that finds lines; recognising is shared. */
  get #finder(): Hand {
    return this.#hands[0] as Hand;
  }

  async #find({ edges, picture, factor }: View): Promise<Found> {
    const isQuick = countRuns(edges) <= quickRuns;
    const layout = isQuick ? findLines(edges) : await this.#ask(this.#finder, "find", packEdges(edges));
    return toFound(layout, picture, factor);
  }

  /** The lines in a textured rectangle, found by a network; undefined when the time is up. */
  async #lookInto(
    { picture, factor }: View,
    { box: area, key }: FoundLine,
    budget: Budget,
  ): Promise<readonly FoundLine[] | undefined> {
    const known = this.#insides.get(key);
    if (known) return known.map((line) => moved(line, area.x, area.y));
    const [width, height] = [Math.floor(area.width / factor), Math.floor(area.height / factor)];
    const likelihood = { data: new Uint8Array(width * height), width, height };
    const isDone = await this.#share(tilesOf(width, height), budget, async (hand, tile) => {
      enter(likelihood, tile, await this.#ask(hand, "look", tileOf(picture, area, tile, factor)));
    });
    if (!isDone) return undefined;
    const boxes = await this.#ask(this.#finder, "outline", likelihood);
    const lines = toRoomy(boxes, picture, area, factor);
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
      const orders = piece.map(({ box, isRoomy = false, isColumn = false }) => {
        const gray = grayOf(picture, box);
        return isColumn ? turns.map((turn) => ({ ...turned(gray, turn), isRoomy })) : [{ ...gray, isRoomy }];
      });
      const answers = await this.#ask(hand, "recognise", orders.flat());
      let next = 0;
      piece.forEach(({ key, box, isColumn }, i) => {
        const own = answers.slice(next, (next += orders[i]?.length ?? 0));
        const read = isColumn
          ? (upright(own.map((answer, j) => turnedBack(answer, box, turns[j] ?? "right"))) ?? unread)
          : (own[0] as Recognised);
        this.#cache.set(key, read);
      });
    });
  }

  /**
   * Helpers take pieces until none is left, the time is up or the read is cancelled; true when everything is done.
   */
  async #share<Piece>(
    pieces: Piece[],
    { endsAt, signal }: Budget,
    work: (hand: Hand, piece: Piece) => Promise<unknown>,
  ): Promise<boolean> {
    const takePieces = async (hand: Hand) => {
      while (pieces.length > 0 && !signal.aborted && performance.now() < endsAt)
        await work(hand, pieces.shift() as Piece);
    };
    const takers = Array.from({ length: piecesAtHand }, () => this.#hands).flat();
    const done = await Promise.allSettled(takers.slice(0, pieces.length).map(takePieces));
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

  /** A helper that died is restarted once; whatever kills it twice would kill it forever. */
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

const countRuns = ({ runs }: Edges): number => runs.reduce((sum, row) => sum + row.length / 2, 0);

/** The widest lines first, in ever smaller pieces, so that no helper is left with a long one at the end. */
function toPieces(lines: readonly FoundLine[]): FoundLine[][] {
  const columnsOf = ({ box, isColumn }: FoundLine) =>
    (isColumn ? (2 * box.height) / box.width : box.width / box.height) * 32;
  let left = lines.reduce((sum, line) => sum + columnsOf(line), 0);
  const pieces: FoundLine[][] = [];
  let columns = Infinity;
  for (const line of lines.toSorted((a, b) => columnsOf(b) - columnsOf(a))) {
    if (columns >= Math.min(mostColumns, Math.max(fewestColumns, left / (4 * helpers)))) {
      pieces.push([]);
      columns = 0;
    }
    pieces.at(-1)?.push(line);
    columns += columnsOf(line);
    left -= columnsOf(line);
  }
  return pieces;
}

// An icon or part of a frame is read as a doubtful letter or sign; longer false readings are rarer than hard words.
const surestNoise = { letter: 0.5, equals: 0.7, sign: 0.9 } as const;

function isNoise({ text, confidence }: Line): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return confidence < (text === "=" ? surestNoise.equals : surestNoise.sign);
  return text.length <= 2 && confidence < surestNoise.letter;
}
