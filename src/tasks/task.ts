import { z } from "zod";

/** A path below the home folder of the task. */
const homePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith("/") && !path.split("/").includes(".."), "must lie below the home folder");

/** What a text is to be; all that is given must hold. Space at the end of either does not count in `equals`. */
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
  /** The names in it, and no others; hidden ones do not count. */
  z.strictObject({ folder: homePath, holds: z.array(z.string()) }),
  /** A key of a settings file with sections; an empty section stands for the lines before the first. */
  z.strictObject({ setting: z.string(), section: z.string().default(""), file_of: homePath, ...textShape }),
  /** What the page has last told its server of itself; only the keys that are given matter. */
  z.strictObject({ page: z.record(z.string(), z.unknown()) }),
  /** What the program has printed. */
  z.strictObject({ output: text }),
  z.strictObject({ exit_code: z.int() }),
  z.strictObject({ clipboard: text }),
  /** A window whose title has this part. */
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
  /** Programs without which it cannot run; `a|b` is satisfied by either. What it opens is needed anyway. */
  needs: z.array(z.string().min(1)).default([]),
  /** Files of the home folder before the app starts. */
  files: z.record(homePath, z.string()).default({}),
  open: z.union([program, page]),
  /** As a person would say it. */
  goal: z.string().min(1),
  /** The same as plain steps, for a model that plans nothing. */
  steps: z.string().min(1).optional(),
  /** It cannot be done, and the right end is to say so and to leave everything as it is. */
  infeasible: z.boolean().default(false),
  /** "close": the app is closed before it is checked, for what it writes only then. */
  finish: z.enum(["none", "close"]).default("none"),
  check: z.array(check).min(1),
});

/** One thing to do in one app, and how to see from outside whether it was done. */
export type Task = z.output<typeof taskShape>;

export const isPage = (open: Task["open"]): open is z.output<typeof page> => "page" in open;

/** The programs of which one each must be there. */
export const neededBy = ({ open, needs }: Task): readonly string[] => [
  ...(isPage(open) ? ["chromium|chromium-browser|google-chrome|google-chrome-stable"] : [open.program]),
  ...needs,
];
