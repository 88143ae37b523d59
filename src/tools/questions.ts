import { randomBytes } from "node:crypto";
import { cancelled } from "../base/async.ts";
import type { Answer } from "../policy/decide.ts";

export type { Answer };

/** Something a person is being asked, by whichever way reaches them. */
export interface Question {
  readonly id: string;
  readonly text: string;
  readonly offers: readonly Answer[];
  readonly tool: string;
  readonly client: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface Asked {
  readonly question: Question;
  answer: Answer | undefined;
  readonly wake: Set<() => void>;
}

const mostPending = 100;

/** The questions of a session. Several places may show one; the first answer counts, everywhere. */
export class Questions {
  readonly #asked = new Map<string, Asked>();
  readonly #listeners = new Set<() => void>();
  readonly #watchers = new Set<symbol>();

  /** Whether a person is looking at a place, besides the caller's own, that shows the questions. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Says that somebody is looking, until the returned function is called. */
  watch(): () => void {
    const watcher = Symbol("watcher");
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  pending(): readonly Question[] {
    return [...this.#asked.values()].flatMap(({ question, answer }) => (answer === undefined ? [question] : []));
  }

  ask(question: Omit<Question, "id" | "at">): Question {
    const asked = { ...question, id: randomBytes(9).toString("base64url"), at: Date.now() };
    this.#asked.set(asked.id, { question: asked, answer: undefined, wake: new Set() });
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > mostPending && oldest !== undefined) this.#asked.delete(oldest);
    this.#changed();
    return asked;
  }

  /** The answer that counts: this one, unless another was first. Undefined for a question nobody asked. */
  answer(id: string, answer: Answer): Answer | undefined {
    const asked = this.#asked.get(id);
    if (!asked) return undefined;
    if (asked.answer === undefined) {
      asked.answer = asked.question.offers.includes(answer) ? answer : "deny";
      for (const wake of asked.wake) wake();
      this.#changed();
    }
    return asked.answer;
  }

  /** No longer of interest: the call has gone on or has ended. */
  close(id: string): void {
    if (this.#asked.delete(id)) this.#changed();
  }

  /** The answer, or undefined when nobody gave one in time. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<Answer | undefined> {
    const asked = this.#asked.get(id);
    if (!asked || asked.answer !== undefined) return Promise.resolve(asked?.answer);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled(signal));
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        asked.wake.delete(wake);
        signal.removeEventListener("abort", onAbort);
        settle();
      };
      const wake = () => finish(() => resolve(asked.answer));
      const onAbort = () => finish(() => reject(cancelled(signal)));
      const timer = setTimeout(() => finish(() => resolve(undefined)), ms);
      asked.wake.add(wake);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Calls back after each new question and each answer until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
