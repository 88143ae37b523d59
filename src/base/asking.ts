import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, lineageOf, ownIdentity, type ProcessIdentity } from "./process.ts";
import { displayName } from "./display-name.ts";
import { makeOwn, sharedPlace } from "./runtime.ts";

interface Note extends ProcessIdentity {
  readonly display: string | undefined;
  readonly pids: readonly number[];
}

/** Where a person sees the windows of processes with this environment; undefined where there is no display. */
export const displayOf = ({ DISPLAY: display }: NodeJS.ProcessEnv): string | undefined =>
  display === undefined ? undefined : displayName(display);

let notes = 0;

const folderOf = (): string => join(sharedPlace(), "asking");

/**
 * Tells every handsight of this user that a person is being asked, and by which processes: those that show the question,
 * and all they descend from. While that lasts nobody may put input into their windows, or an agent would answer itself.
 */
export class AskingNote implements Disposable {
  #file: string | undefined;

  /** `shownBy`: further processes that show it, such as the browser of the approval page. */
  write(shownBy: readonly number[] = []): void {
    const folder = folderOf();
    if (!makeOwn(folder)) return;
    if (this.#file === undefined) process.once("exit", this.#remove);
    this.#file ??= join(folder, `${process.pid}-${++notes}.json`);
    const pids = [...lineageOf(process.pid), ...shownBy];
    const note: Note = { ...ownIdentity(), display: displayOf(process.env), pids };
    writeFileSync(this.#file, JSON.stringify(note), { mode: 0o600 });
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

/** The processes whose windows show a question on this display now; undefined when nobody is being asked there. */
export function findAskers(display: string, folder = folderOf()): ReadonlySet<number> | undefined {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return undefined;
  }
  const notes = names.flatMap((name) => {
    const note = read(join(folder, name));
    if (note && isRunning(note)) return note.display === display ? [note] : [];
    rmSync(join(folder, name), { force: true });
    return [];
  });
  return notes.length === 0 ? undefined : new Set(notes.flatMap(({ pids }) => pids));
}

function read(file: string): Note | undefined {
  try {
    const { pid, started, display, pids } = JSON.parse(readFileSync(file, "utf8")) as Partial<Note>;
    return typeof pid === "number" && Array.isArray(pids) ? { pid, started, display, pids } : undefined;
  } catch {
    return undefined;
  }
}
