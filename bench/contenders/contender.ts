import type { Kind } from "../measure.ts";
import type { Argument, Facts } from "./task.ts";

export type Done = { readonly startedAt: number; readonly ms: number } & Facts;

export interface Contender extends AsyncDisposable {
  readonly name: string;
  readonly kind: Kind;
  readonly note?: string | undefined;
  readonly tasks: readonly string[];
  run(task: string, argument?: Argument): Promise<Done>;
}

/** One that could not be started. It stays in every table it belongs to, with the reason. */
export interface Missing {
  readonly name: string;
  readonly kind: Kind;
  readonly problem: string;
}

export const isMissing = (entry: Contender | Missing): entry is Missing => "problem" in entry;
