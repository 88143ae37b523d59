import { z } from "zod";

/** A path below the home folder of the task. */
const homePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith("/") && !path.split("/").includes(".."), "must lie below the home folder");

/** Conditions on a text; all that are given must hold. `equals` ignores trailing white space on both sides. */
const textShape = {
  equals: z.string().optional(),
  contains: z.string().optional(),
  lacks: z.string().optional(),
  matches: z.string().optional(),
};
const text = z.strictObject(textShape);
export type ExpectedText = z.output<typeof text>;

const check = z.union([
  z.strictObject({ file: homePath, exists: z.boolean().default(true), ...textShape }),
  /** Exactly these names; hidden ones do not count. */
  z.strictObject({ folder: homePath, holds: z.array(z.string()) }),
  /** A key of a settings file with sections; an empty section stands for the lines before the first. */
  z.strictObject({ setting: z.string(), section: z.string().default(""), file_of: homePath, ...textShape }),
  /** What the page last reported to its server; only the given keys matter. */
  z.strictObject({ page: z.record(z.string(), z.unknown()) }),
  /** What the program has printed. */
  z.strictObject({ output: text }),
  z.strictObject({ exit_code: z.int() }),
  z.strictObject({ clipboard: text }),
  /** A window whose title contains this text. */
  z.strictObject({ window: z.string().min(1), open: z.boolean() }),
]);
export type Check = z.output<typeof check>;

const program = z.strictObject({
  program: z.string().min(1),
  /** `{home}` stands for the home folder. */
  args: z.array(z.string()).default([]),
});
const page = z.strictObject({
  /** A file of the folder `pages`. */
  page: z.string().regex(/^[\w.-]+$/),
});

export const taskShape = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  app: z.string().min(1),
  /** Programs that it requires; `a|b` is satisfied by either. What it opens is required anyway. */
  needs: z.array(z.string().min(1)).default([]),
  /** Files in the home folder before the app starts. */
  files: z.record(homePath, z.string()).default({}),
  open: z.union([program, page]),
  /** In a person's own words. */
  goal: z.string().min(1),
  /** The same as plain steps, for a model that does not plan. */
  steps: z.string().min(1).optional(),
  /** It cannot be done; the correct result is to say so and to change nothing. */
  infeasible: z.boolean().default(false),
  /** "close": the app is closed before the check, for what it writes only then. */
  finish: z.enum(["none", "close"]).default("none"),
  check: z.array(check).min(1),
});

/** One thing to do in one app, and how to check from outside whether it was done. */
export type Task = z.output<typeof taskShape>;

export const isPage = (open: Task["open"]): open is z.output<typeof page> => "page" in open;

/** The required programs; one of each alternative must be installed. */
export const neededBy = ({ open, needs }: Task): readonly string[] => [
  ...(isPage(open) ? ["chromium|chromium-browser|google-chrome|google-chrome-stable"] : [open.program]),
  ...needs,
];
