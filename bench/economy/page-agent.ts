import { sleep } from "../../src/base/async.ts";
import type { PageAgent, Step, Target } from "./agent.ts";
import { nameOf } from "./agent.ts";
import { Known, need } from "./known.ts";
import type { Wire } from "./wire.ts";

/** A step with the words its server has for the target. */
export interface Aimed {
  readonly step: Step;
  readonly ref: string;
}

/** How a model speaks to one server about pages, as its documentation teaches. */
export interface PageSpeech {
  /** Finds how the server calls the target, in a listing it has given. */
  pattern(target: Target): RegExp;
  /** Another way to say which one is meant, when no listing has it. */
  missing?(target: Target): string | undefined;
  /** Opens the page; answers what was read, or undefined when that says nothing about the page's content. */
  open(url: string, wanted: RegExp | undefined): Promise<string | undefined>;
  /** What can be acted on; in more detail when the last look did not show it. */
  look(isDetailed: boolean): Promise<string>;
  /** What is written on the page. */
  readPage(): Promise<string>;
  /**
   * Performs steps, in as few calls as the server offers. Answers what it says about the page afterwards: everything
   * ("page"), what changed ("changes"), or nothing of use.
   */
  perform(
    steps: readonly Aimed[],
    wanted: RegExp | undefined,
  ): Promise<{ readonly text: string; readonly says: "page" | "changes" | "nothing" }>;
  confirm(ref: string): Promise<{ readonly text: string; readonly says: "page" | "changes" | "nothing" }>;
  /** Opens a page and answers its lines near these words. */
  find(url: string, words: string): Promise<string>;
  close?(): Promise<void>;
}

/** A ref that was not valid any more: look again, and go on with the step that failed. */
export class Stale extends Error {
  /** Steps that were performed before it. */
  readonly done: number;

  /** What the error says is there instead. */
  readonly now: string | undefined;

  constructor(done: number, text: string, now?: string) {
    super(`stale ref: ${text.slice(0, 200)}`);
    this.done = done;
    this.now = now;
  }
}

const looks = 4;

export function pageAgent(wire: Wire, speech: PageSpeech): PageAgent {
  const known = new Known();

  const heard = ({ text, says }: Awaited<ReturnType<PageSpeech["perform"]>>): void => {
    if (says !== "changes") known.forget();
    if (says !== "nothing") known.add(text);
  };
  const reading = async (wanted: RegExp | undefined): Promise<string> => {
    if (!wanted) return "";
    for (let count = 0; count < looks; count++) {
      const found = known.match(wanted);
      if (found) return found[1] ?? found[0];
      if (count > 0) await sleep(100);
      known.add(await speech.readPage());
    }
    throw new Error(`the page never says ${wanted.source}`);
  };
  const refs = async (targets: readonly (Target | undefined)[]): Promise<readonly string[]> => {
    const find = () => targets.map((target) => (target ? known.match(speech.pattern(target))?.[1] : ""));
    for (let count = 0; count < looks && find().includes(undefined); count++) {
      if (count > 0 && find().every((ref, index) => ref ?? speech.missing?.(targets[index] as Target))) break;
      if (count > 0) await sleep(100);
      known.forget();
      known.add(await speech.look(count > 0));
    }
    return find().map((ref, index) => {
      const target = targets[index];
      return need(ref ?? (target && speech.missing?.(target)), JSON.stringify(target));
    });
  };
  const perform = async (steps: readonly Step[], wanted: RegExp | undefined): Promise<void> => {
    const aims = await refs(steps.map(nameOf));
    try {
      heard(
        await speech.perform(
          steps.map((step, index) => ({ step, ref: aims[index] ?? "" })),
          wanted,
        ),
      );
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (error.now === undefined) known.forget();
      else known.add(error.now);
      await perform(steps.slice(error.done), wanted);
    }
  };
  return {
    wire,
    async open(url, wanted) {
      const text = await speech.open(url, wanted);
      known.forget();
      if (text !== undefined) known.add(text);
      return reading(wanted);
    },
    async act(steps, wanted) {
      await perform(steps, wanted);
      return reading(wanted);
    },
    async confirm(target, wanted) {
      const [ref = ""] = await refs([target]);
      heard(await speech.confirm(ref));
      return reading(wanted);
    },
    async find(url, words, pattern) {
      const found = pattern.exec(await speech.find(url, words));
      return need(found?.[1], pattern.source);
    },
    async [Symbol.asyncDispose]() {
      await speech.close?.();
      await wire[Symbol.asyncDispose]();
    },
  };
}
