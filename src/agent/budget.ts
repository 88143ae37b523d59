import type { Usage } from "./model.ts";
import { Stop } from "./stop.ts";

export interface AgentLimits {
  readonly maxSteps: number;
  readonly maxSeconds: number;
  /** Input and output together; Infinity for no limit. */
  readonly maxTokens: number;
  /** In the currency of the price; applies only if a price is given. */
  readonly maxCost: number;
  /** An answer that is less confident than this ends the run. */
  readonly minConfidence: number;
  /** An answer without a confidence counts as unsure. */
  readonly requiresConfidence: boolean;
}

export const defaultLimits: AgentLimits = {
  maxSteps: 25,
  maxSeconds: 120,
  maxTokens: Infinity,
  maxCost: Infinity,
  minConfidence: 0.5,
  requiresConfidence: false,
};

/** Per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
});

/** What a run may still spend. */
export class Budget {
  readonly #limits: AgentLimits;
  readonly #price: Price | undefined;
  #total = noUsage;

  constructor(limits: AgentLimits, price: Price | undefined) {
    this.#limits = limits;
    this.#price = price;
  }

  get total(): Usage {
    return this.#total;
  }

  get cost(): number | undefined {
    if (!this.#price) return undefined;
    const { inputTokens, outputTokens } = this.#total;
    return (inputTokens * this.#price.input + outputTokens * this.#price.output) / 1_000_000;
  }

  spend(usage: Usage): void {
    this.#total = addUsage(this.#total, usage);
  }

  /** Call before a step begins. */
  needStep(done: number): void {
    const { maxSteps } = this.#limits;
    if (done >= maxSteps) throw new Stop("max_steps", `The goal was not reached in ${maxSteps} steps.`);
    this.needTokens();
  }

  /** Call before acting on an answer that was paid for. */
  needTokens(): void {
    const { maxTokens, maxCost } = this.#limits;
    const tokens = this.#total.inputTokens + this.#total.outputTokens;
    if (tokens > maxTokens) throw new Stop("max_tokens", `${tokens} tokens are spent; the limit is ${maxTokens}.`);
    const { cost } = this;
    if (cost !== undefined && cost > maxCost) {
      throw new Stop("max_cost", `${cost.toFixed(4)} is spent; the limit is ${maxCost}.`);
    }
  }

  needConfidence(confidence: number | null | undefined): void {
    const { minConfidence, requiresConfidence } = this.#limits;
    const given = confidence ?? undefined;
    if (given === undefined && !requiresConfidence) return;
    if (given !== undefined && given >= minConfidence) return;
    const said = given === undefined ? "did not say how sure it is" : `is only ${given} sure`;
    throw new Stop("low_confidence", `The model ${said}; ${minConfidence} is required.`);
  }
}
