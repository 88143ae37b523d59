import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import type { Log } from "../../base/log.ts";
import type { LineCache } from "./line-cache.ts";
import type { Found, FoundLine, TaskName, Tasks } from "./messages.ts";
import { Hand, WorkerGone } from "./pool.ts";
import { engine, lineOf, type Line, type Reading, type ReadOptions } from "./reading.ts";
import type { Recognised } from "./recognise.ts";
import type { View } from "./view.ts";

// Two threads with a network each; the machines agents run on seldom have more cores to spare.
const threads = 2;
// Columns of the network a thread reads before it takes the next piece; about a tenth of a second.
const columnsPerPiece = 1200;

/** Runs the steps of a read over the threads. */
export class Reads {
  readonly #hands: readonly Hand[];
  readonly #cache: LineCache;

  constructor(cache: LineCache, log: Log | undefined) {
    this.#cache = cache;
    this.#hands = Array.from({ length: threads }, () => new Hand(log));
  }

  async read(view: View, pixels: Pixels, options: ReadOptions): Promise<Reading> {
    throwIfCancelled(options.signal);
    const endsAt = performance.now() + (options.deadlineMs ?? Infinity);
    const changed = view.update(pixels);
    if (changed.length === 0 && view.reading?.isComplete) return view.reading;
    view.reading = undefined;
    const factor = Math.max(1, Math.floor(options.scale ?? 1));
    const found = await this.#ask(this.#finder, "find", { view: view.name, picture: view.picture, factor, changed });
    await this.#recognise(view, found, endsAt, options);
    throwIfCancelled(options.signal);
    view.reading = this.#assemble(found);
    return view.reading;
  }

  forget(view: View): void {
    if (this.#finder.isRunning) void this.#finder.ask("forget", { view: view.name }).catch(() => undefined);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#hands.map((hand) => hand.stop()));
  }

  /** The edges of the last pictures stay with one thread. */
  get #finder(): Hand {
    return this.#hands[0] as Hand;
  }

  async #recognise({ picture }: View, { lines }: Found, endsAt: number, { signal }: ReadOptions): Promise<void> {
    const unknown = new Map<string, FoundLine>();
    for (const line of lines) if (!this.#cache.get(line.key)) unknown.set(line.key, line);
    const pieces = toPieces([...unknown.values()]);
    const work = async (hand: Hand) => {
      for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
        if (signal.aborted || performance.now() > endsAt) return;
        const answers = await this.#ask(hand, "recognise", { picture, boxes: piece.map(({ box }) => box) });
        piece.forEach(({ key }, i) => this.#cache.set(key, answers[i] as Recognised));
      }
    };
    const done = await Promise.allSettled(this.#hands.slice(0, pieces.length).map(work));
    for (const outcome of done) if (outcome.status === "rejected") throw outcome.reason;
  }

  #assemble({ lines }: Found): Reading {
    let isComplete = true;
    const read = lines.flatMap(({ box, key }): Line[] => {
      const recognised = this.#cache.get(key);
      if (!recognised) isComplete = false;
      const words = (recognised?.words ?? []).map(({ text, confidence, box: own }) => {
        return { text, confidence, box: { ...own, x: box.x + own.x, y: box.y + own.y } };
      });
      return words.length === 0 ? [] : [lineOf(words)];
    });
    return { lines: read, engine, isComplete };
  }

  /** A thread that died is started again once; whatever kills it twice would kill it forever. */
  async #ask<Name extends TaskName>(
    hand: Hand,
    task: Name,
    order: Tasks[Name]["order"],
  ): Promise<Tasks[Name]["answer"]> {
    try {
      return await hand.ask(task, order);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
    }
    try {
      return await hand.ask(task, order);
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error;
      throw new ToolError("internal", "The thread that reads text ended twice.", {
        hint: "Read a smaller part of the screen, or use the elements of the window.",
        cause: error,
      });
    }
  }
}

/** The widest lines first, so that no thread is left with a long one at the end. */
function toPieces(lines: readonly FoundLine[]): FoundLine[][] {
  const pieces: FoundLine[][] = [];
  let columns = Infinity;
  for (const line of lines) {
    if (columns >= columnsPerPiece) {
      pieces.push([]);
      columns = 0;
    }
    pieces.at(-1)?.push(line);
    columns += (line.box.width / line.box.height) * 32;
  }
  return pieces;
}
