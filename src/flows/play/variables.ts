import { ToolError } from "../../base/errors.ts";
import type { Scalar } from "../file/flow-schema.ts";
import { putIn, type Placeholder } from "../file/placeholders.ts";

/** What placeholders stand for. An inner scope sees the outer one; what a step reads is seen by all after it. */
export class Variables {
  readonly #own: Map<string, unknown>;
  readonly #outer: Variables | undefined;
  readonly #secret: (name: string) => string | undefined;

  constructor(
    own: Iterable<readonly [string, unknown]>,
    secret: (name: string) => string | undefined,
    outer?: Variables,
  ) {
    this.#own = new Map(own);
    this.#outer = outer;
    this.#secret = secret;
  }

  /** A scope inside this one. */
  inner(own: Iterable<readonly [string, unknown]>): Variables {
    return new Variables(own, this.#secret, this);
  }

  /** Seen from here on, in every scope around as well. */
  set(name: string, value: Scalar): void {
    this.#own.set(name, value);
    this.#outer?.set(name, value);
  }

  get(name: string): unknown {
    return this.#own.has(name) ? this.#own.get(name) : this.#outer?.get(name);
  }

  putIn(value: unknown): unknown {
    return putIn(value, (wanted) => this.#need(wanted));
  }

  #need({ name, isSecret }: Placeholder): unknown {
    const value = isSecret ? this.#secret(name) : this.get(name);
    if (value !== undefined) return value;
    throw new ToolError(
      "invalid_argument",
      isSecret ? `The secret "${name}" has no value.` : `There is no variable "${name}".`,
      {
        hint: isSecret
          ? "Set the environment variable of this name, or give it in the secrets file."
          : "Give it in vars or with --env.",
      },
    );
  }
}
