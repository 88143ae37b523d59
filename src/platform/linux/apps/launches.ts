import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { findProcess, isRunning, readEnvironment, type ProcessIdentity } from "./processes.ts";

/** Inherited by everything that a launched program starts, also after it has ended or left its session. */
const mark = "LAUNCHED_BY_HANDSIGHT";
/** Older launches are forgotten; a session starts far fewer apps. */
const mostLaunches = 200;

interface Launch {
  readonly token: string;
  readonly names: readonly string[];
  readonly pid: number;
  /** The processes that show its windows; undefined until one has a window. */
  shownBy?: readonly ProcessIdentity[];
}

/** What `launch` was asked to start, for a process that shows windows. */
export interface Origin {
  readonly names: readonly string[];
  readonly pids: readonly number[];
}

/**
 * Remembers what was launched, to recognise it by its windows: a launcher script, or a program that puts itself into the
 * background, shows them in another process than the one that was started.
 */
export class Launches {
  readonly #launches: Launch[] = [];

  /** What a program must find in its environment to be recognised later. */
  begin(): { readonly token: string; readonly env: NodeJS.ProcessEnv } {
    const token = randomUUID();
    return { token, env: { [mark]: token } };
  }

  note(token: string, pid: number, names: readonly string[]): void {
    this.#launches.push({ token, pid, names: [...new Set(names.flatMap((name) => [name, basename(name)]))] });
    if (this.#launches.length > mostLaunches) this.#launches.shift();
  }

  /** Where each of these processes, which have windows, comes from. */
  async origins(pids: readonly number[]): Promise<ReadonlyMap<number, Origin>> {
    if (this.#launches.length === 0) return new Map();
    await this.#settle(pids);
    const origins = new Map<number, Origin>();
    for (const { shownBy = [], names, pid: started } of this.#launches) {
      for (const shown of shownBy) {
        if (!pids.includes(shown.pid) || !(await isRunning(shown))) continue;
        const known = origins.get(shown.pid) ?? { names: [], pids: [] };
        origins.set(shown.pid, { names: [...known.names, ...names], pids: [...known.pids, started] });
      }
    }
    return origins;
  }

  /**
   * Decides once which processes a launch has become. What these start later, such as a program that somebody calls in a
   * launched terminal, is an app of its own although it inherits the mark.
   */
  async #settle(pids: readonly number[]): Promise<void> {
    const open = this.#launches.filter(({ shownBy }) => shownBy === undefined);
    if (open.length === 0) return;
    const tokens = new Map<number, string | undefined>();
    for (const pid of pids) tokens.set(pid, (await readEnvironment(pid)).get(mark));
    for (const launch of open) {
      const marked = pids.filter((pid) => tokens.get(pid) === launch.token);
      const own = marked.includes(launch.pid) ? [launch.pid] : marked;
      const found = (await Promise.all(own.map(findProcess))).filter((each) => each !== undefined);
      if (found.length > 0) launch.shownBy = found;
    }
  }
}
