import type { Rules } from "./rules.ts";

export type Counted = "captures" | "actions";

interface Bucket {
  tokens: number;
  at: number;
}

/** Counts calls against the rules: a bucket that fills evenly, and that may be emptied in one burst. */
export class Rates {
  readonly #rules: Pick<Rules, "maxCapturesPerMinute" | "maxActionsPerMinute" | "burst" | "rates">;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rules: Pick<Rules, "maxCapturesPerMinute" | "maxActionsPerMinute" | "burst" | "rates">) {
    this.#rules = rules;
  }

  /** Takes one, or says in how many milliseconds there will be one and which limit it is. */
  take(
    counted: Counted,
    set: string,
    now: number,
  ): { readonly waitMs: number; readonly perMinute: number } | undefined {
    const own = this.#rules.rates[set];
    const special = counted === "captures" ? own?.capturesPerMinute : own?.actionsPerMinute;
    const common = counted === "captures" ? this.#rules.maxCapturesPerMinute : this.#rules.maxActionsPerMinute;
    const perMinute = special ?? common;
    if (perMinute === undefined) return undefined;
    const burst = Math.max(0, Math.min(own?.burst ?? this.#rules.burst ?? perMinute, perMinute));
    const name = special === undefined ? counted : `${set} ${counted}`;
    const bucket = this.#buckets.get(name) ?? { tokens: burst, at: now };
    this.#buckets.set(name, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 60_000) * perMinute);
    bucket.at = now;
    if (bucket.tokens >= 1) {
      bucket.tokens--;
      return undefined;
    }
    return { waitMs: perMinute === 0 ? 60_000 : Math.ceil(((1 - bucket.tokens) / perMinute) * 60_000), perMinute };
  }
}
