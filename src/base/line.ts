import { cancelled } from "./async.ts";

interface Waiting<Who> {
  readonly who: Who;
  go: () => void;
}

/** A queue within this process: first come, first served; the others wait for the first to leave. */
export class Line<Who> {
  readonly #all: Waiting<Who>[] = [];

  get first(): Who | undefined {
    return this.#all[0]?.who;
  }

  /** Resolves with the function that leaves the line, or with undefined when the time is up. */
  enter(who: Who, { signal, timeoutMs }: LineOptions): Promise<(() => void) | undefined> {
    const own: Waiting<Who> = { who, go: () => {} };
    const leave = () => {
      const at = this.#all.indexOf(own);
      if (at >= 0) this.#all.splice(at, 1);
      if (at === 0) this.#all[0]?.go();
    };
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled(signal));
      this.#all.push(own);
      if (this.#all[0] === own) return resolve(leave);
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      const giveUp = () => {
        settle();
        leave();
      };
      const onAbort = () => {
        giveUp();
        reject(cancelled(signal));
      };
      const timer = setTimeout(() => {
        giveUp();
        resolve(undefined);
      }, timeoutMs);
      signal.addEventListener("abort", onAbort, { once: true });
      own.go = () => {
        settle();
        resolve(leave);
      };
    });
  }
}

interface LineOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}
