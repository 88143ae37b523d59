import { z } from "zod";
import { nearest } from "../base/nearest.ts";

/** An object that refuses fields it does not know, and says which one may have been meant. */
export function closed<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? issue.keys.map((key) => unknownField(key, known)).join("; ") : undefined,
  });
}

export function unknownField(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return `unknown field ${JSON.stringify(key)}, ${near === undefined ? `known: ${known.join(", ")}` : `did you mean "${near}"?`}`;
}
