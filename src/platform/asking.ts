import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identify, isRunning, lineageOf, ownIdentity, type ProcessIdentity } from "../base/process.ts";
import { makeOwn, sharedPlace } from "../base/runtime.ts";
import { displayOf } from "./open.ts";

interface Note extends ProcessIdentity {
  readonly display: string | undefined;
  /** A question is open, not only the place where one would be shown. */
  readonly isAsked: boolean;
  readonly pids: readonly number[];
}

export interface Askers {
  readonly isAsked: boolean;
  /** Their windows are left alone. */
  readonly pids: ReadonlySet<number>;
}

let notes = 0;

const folderOf = (): string => join(sharedPlace(), "asking");

/**
 * Tells every handsight of this user that a person is being asked, and by which processes: those that show the question,
 * and all they descend from. While that lasts nobody may put input into their windows, or an agent would answer itself.
 */
export class AskingNote implements Disposable {
  #file: string | undefined;

  /** `shownBy`: further processes that show it, such as the browser of the approval page. */
  write({ isAsked, shownBy }: { readonly isAsked: boolean; readonly shownBy: readonly number[] }): void {
    const folder = folderOf();
    if (!makeOwn(folder)) return;
    if (this.#file === undefined) process.once("exit", this.#remove);
    this.#file ??= join(folder, `${process.pid}-${++notes}.json`);
    const pids = [...(isAsked ? lineageOf(process.pid) : []), ...shownBy];
    const note: Note = { ...ownIdentity(), display: displayOf(process.env), isAsked, pids };
    // In one go: whoever reads half a note would take nobody to be asked.
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

/** Who shows questions on this display now; undefined when nobody does. */
export function findAskers(display: string, folder = folderOf()): Askers | undefined {
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch {
    return undefined;
  }
  const notes = names.flatMap((name) => {
    const note = read(join(folder, name));
    if (note && isRunning(note)) return note.display === display ? [note] : [];
    // One that was just taken away is none; whatever else cannot be read belongs to its process while that runs.
    if (!note && existsSync(join(folder, name)) && isRunning(identify(Number.parseInt(name, 10)))) return [unreadable];
    rmSync(join(folder, name), { force: true });
    return [];
  });
  if (notes.length === 0) return undefined;
  return { isAsked: notes.some(({ isAsked }) => isAsked), pids: new Set(notes.flatMap(({ pids }) => pids)) };
}

const unreadable: Pick<Note, "isAsked" | "pids"> = { isAsked: true, pids: [] };

function read(file: string): Note | undefined {
  try {
    const { pid, started, display, isAsked = true, pids } = JSON.parse(readFileSync(file, "utf8")) as Partial<Note>;
    return typeof pid === "number" && Array.isArray(pids) ? { pid, started, display, isAsked, pids } : undefined;
  } catch {
    return undefined;
  }
}
