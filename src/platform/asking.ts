import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identify, isRunning, lineageOf, ownIdentity, type ProcessIdentity } from "../base/process.ts";
import { makeOwn, sharedPlace } from "../base/runtime.ts";
import { displayOf } from "./open.ts";

interface Note extends ProcessIdentity {
  readonly display: string | undefined;
  /** A question is open now, not just a place that could show one. */
  readonly isAsked: boolean;
  /** The process that asks, and all its ancestors. */
  readonly lineage: readonly number[];
  /** Other processes that show the question, such as the browser of the approval page. */
  readonly shownBy: readonly number[];
}

type Shown = Pick<Note, "isAsked" | "lineage" | "shownBy">;

export interface Askers {
  readonly isAsked: boolean;
  /** Their windows must not be touched. */
  readonly pids: ReadonlySet<number>;
  /** The processes that ask, and their ancestors: any input to them could be taken for an answer. */
  readonly lineage: readonly number[];
}

let notes = 0;

const folderOf = (): string => join(sharedPlace(), "asking");

/**
 * Tells every handsight process of this user that a person is being asked, and by which processes: those that show
 * the question and all their ancestors. Meanwhile their windows take no input, or an agent could answer its own
 * question.
 */
export class AskingNote implements Disposable {
  #file: string | undefined;

  write({ isAsked, shownBy }: Pick<Note, "isAsked" | "shownBy">): void {
    const folder = folderOf();
    if (!makeOwn(folder)) return;
    if (this.#file === undefined) process.once("exit", this.#remove);
    this.#file ??= join(folder, `${process.pid}-${++notes}.json`);
    const lineage = isAsked ? lineageOf(process.pid) : [];
    const note: Note = { ...ownIdentity(), display: displayOf(process.env), isAsked, lineage, shownBy };
    // Write and rename: a reader of half a note would conclude that nobody is being asked.
    const draft = `${this.#file}.new`;
    writeFileSync(draft, JSON.stringify(note), { mode: 0o600 });
    renameSync(draft, this.#file);
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#remove);
    this.#remove();
  }

  readonly #remove = (): void => {
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
    this.#file = undefined;
  };
}

/** Who is asking now, on this display or, without one, anywhere; undefined when nobody is. */
export function findAskers(display?: string, folder = folderOf()): Askers | undefined {
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return undefined;
  }
  const notes = names.flatMap((name): readonly Shown[] => {
    const note = read(join(folder, name));
    if (note && isRunning(note)) return display === undefined || note.display === display ? [note] : [];
    // A note that was just removed does not count. Any other unreadable note counts as long as its process runs.
    const pid = Number.parseInt(name, 10);
    if (!note && existsSync(join(folder, name)) && isRunning(identify(pid))) {
      return [{ isAsked: true, lineage: lineageOf(pid), shownBy: [] }];
    }
    rmSync(join(folder, name), { force: true });
    return [];
  });
  if (notes.length === 0) return undefined;
  const lineage = notes.flatMap((note) => note.lineage);
  const pids = new Set([...lineage, ...notes.flatMap(({ shownBy }) => shownBy)]);
  return { isAsked: notes.some(({ isAsked }) => isAsked), pids, lineage };
}

function read(file: string): Note | undefined {
  try {
    const note = JSON.parse(readFileSync(file, "utf8")) as Partial<Note>;
    const { pid, started, display, isAsked = true, lineage, shownBy } = note;
    if (typeof pid !== "number" || !Array.isArray(lineage) || !Array.isArray(shownBy)) return undefined;
    return { pid, started, display, isAsked, lineage, shownBy };
  } catch {
    return undefined;
  }
}
