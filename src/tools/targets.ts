import type { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { isEmptyQuery } from "../surface/choose-window.ts";
import type { Target } from "../surface/target.ts";
import {
  elementFields,
  readElementTarget,
  readRegionTarget,
  readTarget,
  readWindowQuery,
  regionFields,
  targetFields,
  windowFields,
  withinFields,
} from "./schema.ts";

const { window_title, app_name, pid } = windowFields;

/** Every way to name a place: an element, a region, or a point of the screen, a window or a screenshot. */
export const placeFields = {
  ...elementFields,
  ...regionFields,
  ...targetFields,
  window_title,
  app_name,
  pid,
  ...withinFields,
};

export type PlaceInput = Partial<z.infer<z.ZodObject<typeof placeFields>>>;

const placeForms =
  "uid; selector; text; region; x + y; window_id + x + y; window_id + window_x + window_y; screenshot_id + screenshot_x + screenshot_y";

/** The target given, in any form; undefined when there is none. */
export function readPlace(input: PlaceInput): Target | undefined {
  const element = readElementTarget(input);
  const { window_id, clamp = false, ...points } = input;
  const target = readTarget(element ? { ...points, clamp } : { ...points, window_id, clamp });
  const region = readRegionTarget(input);
  if ([element, target, region].filter((form) => form !== undefined).length > 1) {
    throw new ToolError("invalid_argument", "Several targets are given: an element, a region or a point.", {
      hint: `Use exactly one of: ${placeForms}.`,
    });
  }
  if (region !== undefined) return inScope({ form: "region", region }, input);
  // For a point, the window id is part of the point itself.
  return element ? inScope(element, input) : target && inScope(target, { ...input, window_id: undefined });
}

/** Throws unless exactly one target is given. */
export function needPlace(input: PlaceInput): Target {
  const target = readPlace(input);
  if (target) return target;
  throw new ToolError("invalid_argument", "No target given.", { hint: `Use exactly one of: ${placeForms}.` });
}

type ScopeInput = z.infer<z.ZodObject<typeof windowFields & typeof withinFields>>;

/** Adds the window named with a target and, for selectors and texts, the element in which to search. */
export function inScope<T extends Target>(target: T, input: Partial<ScopeInput>): T {
  const window = readWindowQuery(input);
  const isName = target.form === "selector" || target.form === "text";
  return {
    ...target,
    ...(isEmptyQuery(window) ? {} : { window }),
    ...(isName && input.within !== undefined ? { within: input.within } : {}),
  };
}
