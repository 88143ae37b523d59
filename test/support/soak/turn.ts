import type { Random } from "../../fixtures/ocr/random.ts";
import type { Stage } from "./stage.ts";

/** Something a client does, in one call or a few that belong together. */
export type Turn = (stage: Stage, random: Random) => Promise<unknown>;

/** Something with its relative frequency. */
export type Weighed<T> = readonly [weight: number, thing: T];
export type Turns = readonly Weighed<Turn>[];

type Make = (stage: Stage, random: Random) => readonly [tool: string, args?: Readonly<Record<string, unknown>>];

/** One call whose arguments depend only on the stage and the random numbers. */
export const call =
  (make: Make): Turn =>
  (stage, random) =>
    stage.ask(...make(stage, random));

export function choose<T>(things: readonly Weighed<T>[], random: Random): T {
  const total = things.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [weight, thing] of things) {
    left -= weight;
    if (left <= 0) return thing;
  }
  throw new Error("there is nothing to choose from");
}
