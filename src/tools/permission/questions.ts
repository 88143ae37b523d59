import { randomBytes } from "node:crypto";
import { AskingNote } from "../../platform/asking.ts";
import { cancelled } from "../../base/async.ts";
import type { ToolError } from "../../base/errors.ts";
import type { Answer } from "../../policy/decide.ts";
import type { About } from "./gate.ts";

export type { Answer };

/** A question to a person, however it reaches them. */
export interface Question {
  readonly id: string;
  readonly text: string;
  readonly offers: readonly Answer[];
  readonly tool: string;
  readonly client: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What the question is about, as the person would see it. */
export interface QuestionPicture {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** The part in question, as fractions of the picture's width and height. */
  readonly box?:
    | { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
    | undefined;
}

/** A place that shows questions to a person, who can answer there. */
export interface Watcher {
  /** It shows pictures, too. */
  readonly showsPictures: boolean;
  /** Processes whose windows show the questions, besides this one and its ancestors. */
  readonly pids: readonly number[];
}

interface Asked {
  readonly question: Question;
  readonly about: About;
  readonly picture: Promise<QuestionPicture | undefined>;
  readonly forget: NodeJS.Timeout;
  answer: Answer | undefined;
  readonly wake: Set<() => void>;
  readonly end: Set<(reason: ToolError) => void>;
}

const mostPending = 100;
// As long as a client waits for a form. A question whose caller never comes back must not stay open forever.
const longestMs = 3 * 60_000;

/** The questions of a session. Several places may show one; the first answer counts everywhere. */
export class Questions implements Disposable {
  readonly #asked = new Map<string, Asked>();
  readonly #listeners = new Set<() => void>();
  readonly #watchers = new Set<Watcher>();
  readonly #note = new AskingNote();

  /** Whether a person is watching a place that shows the questions, besides the caller's own. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Registers a watcher until the returned function is called. */
  watch(given: Watcher): () => void {
    const watcher = { ...given };
    this.#watchers.add(watcher);
    this.#writeNote();
    return () => {
      this.#watchers.delete(watcher);
      this.#writeNote();
    };
  }

  pending(): readonly Question[] {
    return [...this.#asked.values()].flatMap(({ question, answer }) => (answer === undefined ? [question] : []));
  }

  ask(question: Omit<Question, "id" | "at">, about: About): Question {
    const { picture = async () => undefined } = about;
    const asked = { ...question, id: randomBytes(9).toString("base64url"), at: Date.now() };
    const isSeen = [...this.#watchers].some(({ showsPictures }) => showsPictures);
    this.#asked.set(asked.id, {
      question: asked,
      about,
      // Taken now: the person must see the screen as it was when the question was asked.
      picture: isSeen ? picture().catch(() => undefined) : Promise.resolve(undefined),
      forget: setTimeout(() => this.close(asked.id), longestMs).unref(),
      answer: undefined,
      wake: new Set(),
      end: new Set(),
    });
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > mostPending && oldest !== undefined) this.close(oldest);
    this.#changed();
    return asked;
  }

  /** What the question was about; undefined when it is no longer open. */
  aboutOf(id: string): About | undefined {
    return this.#asked.get(id)?.about;
  }

  async picture(id: string): Promise<QuestionPicture | undefined> {
    return this.#asked.get(id)?.picture;
  }

  /** The answer that counts: this one, unless another came first. Undefined for an unknown question. */
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

  /** Call when the tool call has continued or ended. */
  close(id: string): void {
    const asked = this.#asked.get(id);
    if (!asked) return;
    clearTimeout(asked.forget);
    this.#asked.delete(id);
    this.#changed();
  }

  /** Cancels all questions. Every pending wait fails with this error. */
  endAll(reason: ToolError): void {
    for (const [id, { end }] of this.#asked) {
      this.close(id);
      for (const reject of end) reject(reason);
    }
  }

  [Symbol.dispose](): void {
    for (const id of this.#asked.keys()) this.close(id);
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
        asked.end.delete(end);
        signal.removeEventListener("abort", onAbort);
        settle();
      };
      const wake = () => finish(() => resolve(asked.answer));
      const end = (reason: ToolError) => finish(() => reject(reason));
      const onAbort = () => finish(() => reject(cancelled(signal)));
      const timer = setTimeout(() => finish(() => resolve(undefined)), ms);
      asked.wake.add(wake);
      asked.end.add(end);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Calls back after each new question and each answer until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * The browser that shows questions is off limits even while none is open: input prepared there could answer one
   * later.
   */
  #writeNote(): void {
    const shownBy = [...this.#watchers].flatMap(({ pids }) => pids);
    const isAsked = this.pending().length > 0;
    if (isAsked || shownBy.length > 0) this.#note.write({ isAsked, shownBy });
    else this.#note[Symbol.dispose]();
  }

  #changed(): void {
    this.#writeNote();
    for (const listener of this.#listeners) listener();
  }
}
