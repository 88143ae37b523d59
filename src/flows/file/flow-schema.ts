import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import {
  acting,
  closed,
  commonFields,
  durationOf,
  expectationShape,
  readExpectation,
  verbNames,
  verbs,
  type Expectation,
  type Verb,
} from "../../tools/steps.ts";

/** The flow file, as it is written: the source of its types, its checks and its JSON Schema. */

/** A scalar of the file. In a text, `${name}` stands for a variable. */
const scalar = z.union([z.string().max(100_000), z.number(), z.boolean()]);
export type Scalar = z.infer<typeof scalar>;

// Names that mean something to the language this is written in would be read back as something else.
const reserved: ReadonlySet<string> = new Set(["__proto__", "prototype", "constructor", "secret"]);
const variableName = z
  .string()
  .regex(/^[A-Za-z_][\w-]{0,39}$/, "must be a plain name: letters, digits, _ and -, 40 at most")
  .refine((name) => !reserved.has(name), "is a reserved name");
const variables = z.record(variableName, scalar);

const words = z.string().min(1).max(500);
const file = z.string().min(1).max(4_000);

/** Milliseconds, or "500ms", "2s". */
const longestMs = 600_000;
const duration = z
  .union([z.number().min(0), z.string().regex(/^\d+(?:\.\d+)?\s*m?s$/, 'must be like "500ms" or "2s"')])
  .refine((given) => millisecondsOf(given) <= longestMs, "is 10 minutes at most");
export const millisecondsOf = (given: number | string): number =>
  typeof given === "number" ? given : (durationOf(given) ?? 0);

/** What is expected, as the tools take it, with the words of a flow: `within` a time. */
const expectation = z
  .union([words, closed({ ...expectationShape, within: duration.optional().describe("How long to wait for it") })])
  .superRefine((given, context) => {
    try {
      readExpectation(plainExpectation(given));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
    }
  });

/** The same as a tool takes it. */
export function plainExpectation(given: z.infer<typeof expectation>): Expectation {
  if (typeof given === "string") return given;
  const { within, ...plain } = given;
  return within === undefined ? plain : { ...plain, timeout_ms: millisecondsOf(within) };
}

/** What must hold for a block to run: anything that can be expected, looked at once unless it says `within`. */
const condition = z.union([
  expectation,
  closed({ equals: z.tuple([scalar, scalar]).describe("Both are the same text") }),
  closed({ on: z.enum(["desktop", "page", "device"]).describe("Where the steps act now") }),
  closed({ not: z.lazy((): z.ZodType => condition) }),
]);
export type Condition = z.infer<typeof condition>;

// A list of steps contains blocks, which contain lists of steps.
const nested: z.ZodType<readonly FlowStep[]> = z.lazy(() => z.array(flowStep).min(1).max(500));

const repeat = closed({
  times: z.int().min(1).max(10_000).optional().describe("How often, at most"),
  while: condition.optional().describe("As long as this holds"),
  each: z
    .union([z.array(z.union([scalar, z.record(z.string(), scalar)])).max(10_000), z.string()])
    .optional()
    .describe("Once for each of these"),
  as: variableName.optional().describe("The name of the current one; default: item"),
}).refine(
  ({ times, while: goesOn, each }) => times !== undefined || goesOn !== undefined || each !== undefined,
  "needs times, while or each",
);

/** What a flow has besides the verbs of run_steps. */
const flowVerbs = {
  run: z
    .union([file, closed({ flow: file, vars: variables.optional() })])
    .describe("Another flow; it has the variables of this one"),
  ask: z
    .union([words, closed({ goal: words, max_steps: z.int().min(1).max(200).optional() })])
    .describe("A goal for a model; skipped when none is configured"),
};

/** Where a block acts. */
const places = {
  page: z.string().min(1).max(4_000).describe("Opens this address; the steps act in that page"),
  device: z.union([z.literal(true), words]).describe("The steps act on this Android device; true: the only one"),
};

const modifiers = {
  name: words.describe("What the report calls it"),
  when: condition.describe("Skipped unless this holds"),
  optional: z.boolean().describe("Its failure is noted, and the flow goes on"),
  retry: z
    .union([z.int().min(1).max(100), closed({ times: z.int().min(1).max(100), delay: duration.optional() })])
    .describe("Tries again this often after a failure"),
  on_fail: nested.describe("Steps after its failure"),
  timeout: duration.describe("How long a step waits for its target"),
  settle: duration.describe("How long an action without an effect is watched"),
};

const blockFields = {
  steps: nested,
  else: nested.describe("Steps when `when` does not hold"),
  repeat,
  finally: nested.describe("Steps at the end, whatever happened"),
};

const partial = <Shape extends Record<string, z.ZodType>>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([key, each]) => [key, each.optional()])) as {
    [Key in keyof Shape]: z.ZodOptional<Shape[Key]>;
  };

const { wait, expect: _ofTools, ...otherVerbs } = verbs;
// A pause that is too long would pass as a text to wait for.
const flowWait = z.union([wait, expectation.refine((given) => typeof given !== "string", "must be an object")]);

const stepFields = {
  ...partial({ ...otherVerbs, wait: flowWait }),
  ...partial(flowVerbs),
  ...commonFields,
  expect: expectation.optional(),
  ...partial(places),
  ...partial(modifiers),
  ...partial(blockFields),
};

const flowVerbNames = Object.keys(flowVerbs) as (keyof typeof flowVerbs)[];
const doing: readonly string[] = [...verbNames.filter((verb) => verb !== "expect"), ...flowVerbNames];

const flowStep = closed(stepFields).superRefine((step, context) => {
  const problem = wrongWith(step);
  if (problem) context.addIssue({ code: "custom", message: problem });
});

function wrongWith(step: Readonly<Record<string, unknown>>): string | undefined {
  const named = doing.filter((verb) => step[verb] !== undefined);
  const isBlock = step["steps"] !== undefined;
  if (named.length > 1) return `has several verbs: ${named.join(", ")}; write one step for each`;
  const [verb] = named;
  if (isBlock && verb !== undefined) return `has a verb, ${verb}, beside steps; write one step for each`;
  if (isBlock) return step["expect"] === undefined ? undefined : "a block takes no expect: write a step of its own";
  const lonely = ["page", "device", "repeat", "else", "finally"].find((field) => step[field] !== undefined);
  if (lonely !== undefined) return `${lonely} needs steps`;
  if (verb === undefined)
    return step["expect"] === undefined ? `names no verb: ${doing.join(", ")}, expect` : undefined;
  const isFollowed = step["expect"] !== undefined;
  return isFollowed && !acting.has(verb as Verb) ? `${verb} takes no expect: write a step of its own` : undefined;
}

/** A step as it is written. Variables are not put in yet, so what its verb takes is read when it is performed. */
export interface FlowStep {
  readonly [verb: string]: unknown;
  readonly name?: string | undefined;
  readonly surface?: string | undefined;
  readonly window?: string | undefined;
  readonly page?: string | undefined;
  readonly device?: true | string | undefined;
  readonly when?: Condition | undefined;
  readonly optional?: boolean | undefined;
  readonly retry?: z.infer<typeof modifiers.retry> | undefined;
  readonly on_fail?: readonly FlowStep[] | undefined;
  readonly timeout?: number | string | undefined;
  readonly settle?: number | string | undefined;
  readonly steps?: readonly FlowStep[] | undefined;
  readonly else?: readonly FlowStep[] | undefined;
  readonly repeat?: z.infer<typeof repeat> | undefined;
  readonly finally?: readonly FlowStep[] | undefined;
  readonly run?: z.infer<typeof flowVerbs.run> | undefined;
  readonly ask?: z.infer<typeof flowVerbs.ask> | undefined;
}

export const flowSchema = closed({
  flow: z.literal(1, { error: "must be 1, the version of this format" }),
  name: words.optional().describe("Default: the name of the file"),
  description: z.string().max(10_000).optional(),
  desktop: z.enum(["virtual", "real"]).optional().describe("A private desktop, or the one you see"),
  tags: z
    .array(z.string().regex(/^[\w.:-]{1,60}$/, "must be a plain word"))
    .max(50)
    .optional(),
  vars: variables.optional().describe("Variables and their values"),
  env: variables.optional().describe("Variables of the environment, and what they are when it has none"),
  secrets: z
    .array(variableName)
    .max(100)
    .optional()
    .describe("Names of environment variables that are never shown: ${secret:NAME}"),
  data: z
    .union([file, z.array(z.record(variableName, scalar)).min(1).max(10_000)])
    .optional()
    .describe("The flow runs once for each row of this .csv or .json file"),
  policy: z.enum(["ask", "observe-only"]).optional().describe("Narrows what the session allows; it never widens it"),
  timeout: duration.optional().describe("How long a step waits for its target; default 5s"),
  settle: duration.optional(),
  steps: nested,
  on_fail: nested.optional().describe("Steps after a failure"),
  finally: nested.optional().describe("Steps at the end, whatever happened"),
});

/** A flow as it is written. */
export type Flow = Omit<z.infer<typeof flowSchema>, "steps" | "on_fail" | "finally"> & {
  readonly steps: readonly FlowStep[];
  readonly on_fail?: readonly FlowStep[] | undefined;
  readonly finally?: readonly FlowStep[] | undefined;
};

/** Every list of steps that a step or flow may have. */
export const stepLists = ["steps", "else", "on_fail", "finally"] as const;
