import { z } from "zod";
import { expectation, type Expectation } from "./expectation.ts";

/**
 * The schema that callers see says only what kind of value this is: two dozen tools have it, and the server's
 * instructions tell once what it may say. Values are checked in full.
 */
export const expectField = z
  .unknown()
  .meta({ type: ["string", "object"] })
  .pipe(expectation)
  .optional();

export const observations = ["diff", "snapshot", "marks", "none"] as const;
export type Observation = (typeof observations)[number];

/** What tools that act take besides their own input. */
export const followFields = { expect: expectField, observe: z.enum(observations).optional() };

export const readExpect = (value: unknown): Expectation | undefined => value as Expectation | undefined;

/** What a follow-up adds to the result of a tool; the docs tell what is in it. */
export const followedResult = {
  expected: z.unknown().meta({ type: "object" }).optional(),
  now: z.unknown().meta({ type: "object" }).optional(),
};
