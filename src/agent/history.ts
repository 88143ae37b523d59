import type { AgentAction } from "./action.ts";
import type { Observation, PastStep } from "./model.ts";

interface Kept {
  readonly observation: Observation;
  readonly actions: readonly AgentAction[];
  readonly outcome: string;
  readonly memory: unknown;
  /** The first step, or another window appeared: a model needs this to know where it came from. */
  readonly isKey: boolean;
}

// Together with the current one, the last two.
const lastPictures = 1;
const keyPictures = 2;
const lastOutlines = 2;

/** What was seen and done so far, in the form a model gets: old pictures and lists are dropped, actions are kept. */
export class History {
  readonly #steps: Kept[] = [];

  add(step: Kept): void {
    this.#steps.push(step);
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  toTurn(): readonly PastStep[] {
    const count = this.#steps.length;
    const keys = this.#steps.flatMap(({ isKey }, index) => (isKey ? [index] : [])).slice(-keyPictures);
    return this.#steps.map(({ observation, actions, outcome, memory }, index) => {
      const keepsPicture = index >= count - lastPictures || keys.includes(index) || index === 0;
      const keepsOutline = index >= count - lastOutlines;
      return {
        observation: {
          place: observation.place,
          picture: keepsPicture ? observation.picture : undefined,
          outline: keepsOutline ? observation.outline : "",
        },
        keepsPicture: keepsPicture && observation.picture !== undefined,
        actions,
        outcome,
        memory,
      };
    });
  }
}
