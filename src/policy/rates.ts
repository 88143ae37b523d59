import type { Rules } from "./rules.ts";

export type Counted = "captures" | "actions";
type RateRules = Pick<Rules, "maxCapturesPerMinute" | "maxActionsPerMinute" | "burst" | "rates">;

interface Count {
  /** The times of all calls in the last minute, oldest first. */
  times: number[];
  /** How many calls may still come in a burst. */
  tokens: number;
  at: number;
}

export interface Over {
  readonly waitMs: number;
  readonly perMinute: number;
}

const minute = 60_000;

/** Counts calls against the limits: per minute, and per burst if one is configured. */
export class Rates {
  readonly #rules: RateRules;
  readonly #counts = new Map<string, Count>();

  constructor(rules: RateRules) {
    this.#rules = rules;
  }

  /** Takes one, or returns the limit that was hit and how many milliseconds to wait. */
  take(counted: Counted, set: string, now: number): Over | undefined {
    const own = this.#rules.rates[set];
    const special = counted === "captures" ? own?.capturesPerMinute : own?.actionsPerMinute;
    const common = counted === "captures" ? this.#rules.maxCapturesPerMinute : this.#rules.maxActionsPerMinute;
    const perMinute = special ?? common;
    if (perMinute === undefined) return undefined;
    const burst = Math.min(own?.burst ?? this.#rules.burst ?? perMinute, perMinute);
    const name = special === undefined ? counted : `${set} ${counted}`;
    const count = this.#counts.get(name) ?? { times: [], tokens: burst, at: now };
    this.#counts.set(name, count);
    count.times = count.times.filter((time) => now - time < minute);
    count.tokens = Math.min(burst, count.tokens + ((now - count.at) / minute) * perMinute);
    count.at = now;
    const [oldest = now] = count.times;
    if (count.times.length >= perMinute) return { waitMs: Math.ceil(oldest + minute - now), perMinute };
    if (count.tokens < 1) return { waitMs: Math.ceil(((1 - count.tokens) / perMinute) * minute), perMinute };
    count.times.push(now);
    count.tokens--;
    return undefined;
  }
}
