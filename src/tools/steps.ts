import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { parseChord } from "../base/keys.ts";
import { unknownField, closed } from "./closed.ts";
import { expectation } from "./expect/expectation.ts";
import { readStepTarget, stepTarget, targetShape, type Named, type StepTarget } from "./expect/target.ts";
import { problemsOf } from "./explain.ts";
import { button, heldModifiers, timeoutMs } from "./schema.ts";

export { closed } from "./closed.ts";
export { findProblems, type Problem } from "./explain.ts";

export {
  aboutElement,
  expectationShape,
  expectedWords,
  looksIn,
  readExpectation,
  type Expectation,
} from "./expect/expectation.ts";
export { readStepTarget, wordsOf, type Named, type StepTarget } from "./expect/target.ts";

/** The schema of steps: what `run_steps` takes, and what a flow file lists. */

const words = z.string().min(1).max(500);
const amount = z.int().min(1).max(100);
const directions = z.enum(["up", "down", "left", "right"]);

/** A place that an action needs as an element, not as a point. */
const elementOnly = stepTarget.superRefine((value, context) =>
  refuseForms(value, ["point", "image", "window"], context),
);
/** Anything but a whole window. */
const placed = stepTarget.superRefine((value, context) => refuseForms(value, ["window"], context));
/** An element, or something numbered by mark_regions. */
const readable = stepTarget.superRefine((value, context) => refuseForms(value, ["point", "image", "window"], context));

function refuseForms(value: StepTarget, refused: readonly Named["form"][], context: z.RefinementCtx): void {
  try {
    const { form } = readStepTarget(value);
    if (refused.includes(form)) context.addIssue({ code: "custom", message: `takes no ${form}` });
  } catch (error) {
    // Reported where the target itself is checked.
    if (!(error instanceof ToolError)) throw error;
  }
}

/** A target, with more fields beside those that name it. */
const targetWith = <Shape extends z.ZodRawShape>(shape: Shape, names: readonly string[]) =>
  z.union([words, closed({ ...targetShape, ...shape })]).superRefine((value, context) => {
    const checked = placed.safeParse(targetOf(value as StepTarget, names));
    for (const issue of checked.error?.issues ?? []) context.addIssue({ ...issue, code: "custom" });
  });

const targetOf = (value: StepTarget, names: readonly string[]): StepTarget =>
  typeof value === "string" ? value : Object.fromEntries(Object.entries(value).filter(([key]) => !names.includes(key)));

const chord = words.superRefine((value, context) => {
  try {
    parseChord({ key: value });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
});

const pageAddress = z
  .string()
  .regex(/^(?:https?|file|about|data):/i, 'must be an address such as "https://…"; for a file give {file, with}');
const pause = z.string().regex(/^\d+(?:\.\d+)?\s*m?s$/, 'must be like "500ms" or "2s"');
const longestWaitMs = 60_000;
const appWords = z.string().min(1).max(500);

/** What each verb takes. */
export const verbs = {
  launch: z.union([appWords, closed({ app: appWords, args: z.array(z.string().max(4_000)).max(100).optional() })]),
  close: z.union([
    appWords,
    closed({ app: appWords.optional(), window: words.optional() }).refine(
      ({ app, window }) => (app === undefined) !== (window === undefined),
      "needs app or window, one of them",
    ),
  ]),
  open: z.union([
    pageAddress,
    closed({ url: pageAddress }),
    closed({ file: z.string().min(1).max(4_000), with: appWords }),
  ]),
  click: targetWith(
    {
      button: button.unwrap().optional(),
      count: z.int().min(1).max(3).optional(),
      modifiers: heldModifiers.unwrap().optional(),
    },
    ["button", "count", "modifiers"],
  ),
  type: z.union([
    z.string().min(1).max(100_000),
    closed({ text: z.string().min(1).max(100_000), into: readable.optional() }),
  ]),
  fill: closed({ into: elementOnly, text: z.union([z.string().max(100_000), z.number()]) }),
  press: z.union([chord, closed({ key: chord, times: amount.optional() })]),
  select: z.union([words, closed({ option: words, from: elementOnly }), elementOnly]),
  check: elementOnly,
  uncheck: elementOnly,
  hover: placed,
  drag: closed({ from: placed, to: placed }),
  scroll: z.union([
    directions,
    closed({
      direction: directions.optional(),
      amount: amount.optional(),
      at: placed.optional(),
      until: elementOnly.optional(),
    }),
  ]),
  back: z.literal(true).describe("The back button of a device"),
  swipe: z
    .union([directions, closed({ from: stepTarget, to: stepTarget })])
    .describe("A finger on a device; to scroll down, swipe up"),
  // A text may also be something to wait for, so that a pause which is too long would be one.
  wait: z
    .union([z.int().min(0).max(longestWaitMs), pause, expectation])
    .refine((value) => typeof value !== "string" || (durationOf(value) ?? 0) <= longestWaitMs, "waits 60 s at most"),
  expect: expectation,
  read: targetWith(
    {
      as: z
        .string()
        .regex(/^[A-Za-z_][\w-]{0,39}$/, "must be a plain name")
        .optional(),
    },
    ["as"],
  ),
  screenshot: z.union([z.literal(true), z.string().min(1).max(4_000), closed({ file: z.string().min(1).max(4_000) })]),
} as const;
export type Verb = keyof typeof verbs;

/** Milliseconds of "500ms" or "2s"; undefined for any other text. */
export function durationOf(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*(m?s)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (unit === "s" ? 1_000 : 1);
}

export const verbNames = Object.keys(verbs) as Verb[];

/** Verbs that act, and so can be followed by an expectation of their own. */
export const acting: ReadonlySet<Verb> = new Set<Verb>([
  "launch",
  "close",
  "open",
  "click",
  "type",
  "fill",
  "press",
  "select",
  "check",
  "uncheck",
  "hover",
  "drag",
  "scroll",
  "back",
  "swipe",
]);

/** What any step may say besides its verb. */
export const commonFields = {
  surface: z.string().max(60).optional().describe("page:1, android:SERIAL, desktop"),
  window: words.optional().describe("Part of the title of the window it is about"),
  timeout_ms: timeoutMs.optional(),
  expect: expectation.optional(),
};
type Common = { readonly [Field in keyof typeof commonFields]?: z.infer<(typeof commonFields)[Field]> };

/** One step: what to do, and what to do it to. */
export type Step = {
  [Each in Verb]: Omit<Common, Each extends "expect" ? "expect" : never> & {
    readonly verb: Each;
    readonly with: z.infer<(typeof verbs)[Each]>;
  };
}[Verb];

/** The target of a click or of a reading, without what else it says. */
export function placeOf(given: StepTarget & { readonly button?: unknown }): StepTarget {
  return targetOf(given, ["button", "count", "modifiers", "as"]);
}

const mostSteps = 200;

/** Every step, checked in full: a list with one bad step does nothing. */
export function readSteps(list: readonly unknown[]): {
  readonly steps: readonly Step[];
  readonly problems: readonly string[];
} {
  const read = list.map((each, index) => readStep(each, index + 1));
  const tooMany = list.length > mostSteps ? [`at most ${mostSteps} steps`] : [];
  return {
    steps: read.flatMap(({ step }) => (step ? [step] : [])),
    problems: [...tooMany, ...read.flatMap(({ problems }) => problems)],
  };
}

function readStep(given: unknown, number: number): { readonly step?: Step; readonly problems: readonly string[] } {
  const bad = (...problems: readonly string[]) => ({
    problems: problems.map((problem) => `step ${number}: ${problem}`),
  });
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return bad('must be an object such as {"click": "Save"}');
  const entries = Object.entries(given);
  const named = verbNames.filter((verb) => verb in given);
  // `expect` is a verb of its own, or what another verb is followed by.
  const [verb, ...others] = named.length > 1 ? named.filter((each) => each !== "expect") : named;
  const known = [...verbNames, ...Object.keys(commonFields)];
  const strange = entries.filter(([key]) => !known.includes(key)).map(([key]) => unknownField(key, known));
  if (verb === undefined) return bad(...(strange.length > 0 ? strange : [`names no verb: ${verbNames.join(", ")}`]));
  if (others.length > 0) return bad(`has several verbs: ${[verb, ...others].join(", ")}; write one step for each`);
  const { [verb]: value, ...rest } = given as Record<string, unknown>;
  if (verb !== "expect" && rest["expect"] !== undefined && !acting.has(verb))
    strange.push(`${verb} takes no expect: write a step of its own`);
  const checked = verbs[verb].safeParse(value);
  const beside = closed(commonFields).safeParse(
    Object.fromEntries(Object.entries(rest).filter(([key]) => key in commonFields)),
  );
  const problems = [
    ...strange,
    ...problemsOf(checked.error?.issues ?? [], [verb]),
    ...problemsOf(beside.error?.issues ?? []),
  ];
  if (problems.length > 0 || !beside.success || !checked.success) return bad(...problems);
  return { step: { ...beside.data, verb, with: checked.data } as Step, problems: [] };
}

/** The field of a tool that takes steps. What callers see is short; the docs and the errors tell the rest. */
export const stepsField = z
  .unknown()
  .meta({ type: "array", items: { type: "object" } })
  .transform((list, context): readonly Step[] => {
    const { steps, problems } = Array.isArray(list)
      ? readSteps(list)
      : { steps: [], problems: ["must be a list of steps"] };
    const isBroken = Array.isArray(list) && list.some((each) => typeof each === "string" && /^\s*\[/.test(each));
    const isEmpty = Array.isArray(list) && list.length === 0;
    const found = isEmpty ? ["there are no steps"] : isBroken ? ["the list is not valid JSON"] : problems;
    for (const message of found.slice(0, 5)) context.addIssue({ code: "custom", message });
    return steps;
  });
