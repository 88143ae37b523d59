import type { Acted } from "./act.ts";
import { Stop } from "./stop.ts";

// Twice may be an app that reacts late; the third time it is not going to work.
const mostRepeats = 3;
const mostFailures = 4;

/** Notices when actions have no effect. */
export class Progress {
  #last = "";
  #repeats = 0;
  #failures = 0;

  note(acted: readonly Acted[]): void {
    const looping = acted.find(({ suspectedLoop }) => suspectedLoop);
    if (looping) {
      throw new Stop("no_progress", `The same ${looping.action.action} keeps leaving the same state.`);
    }
    const didSomething = acted.some(({ effect }) => effect === "confirmed");
    const failed = acted.some(({ error }) => error !== undefined);
    const same = JSON.stringify(acted.map(({ action }) => ({ ...action, why: undefined, confidence: undefined })));
    this.#repeats = didSomething ? 0 : same === this.#last ? this.#repeats + 1 : 1;
    this.#last = same;
    this.#failures = failed ? this.#failures + 1 : 0;
    if (this.#repeats >= mostRepeats) {
      throw new Stop("no_progress", `The same action was repeated ${this.#repeats} times without effect.`);
    }
    if (this.#failures >= mostFailures) {
      const why = acted.find(({ error }) => error)?.error?.message ?? "";
      throw new Stop("no_progress", `${this.#failures} steps in a row failed. ${why}`);
    }
  }
}
