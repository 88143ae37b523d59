import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { closed } from "../closed.ts";
import { timeoutMs } from "../schema.ts";
import { readStepTarget, stepTarget, wordsOf, type Named, type StepTarget } from "./target.ts";

/** What an element can be expected to be. */
export const expectedStates = [
  "visible",
  "hidden",
  "gone",
  "enabled",
  "disabled",
  "checked",
  "unchecked",
  "focused",
  "selected",
] as const;
export type ExpectedState = (typeof expectedStates)[number];

/** The element acted on, or another one. */
const which = z.union([z.literal(true), stepTarget]).optional();
const text = z.string().min(1).max(2_000).optional();

/** Every field of an expectation. */
export const expectationShape = {
  visible: which,
  hidden: which,
  gone: which,
  enabled: which,
  disabled: which,
  checked: which,
  unchecked: which,
  focused: which,
  selected: which,
  text: text.describe("Shown somewhere, or on the element `of`"),
  selector: text.describe("An element that fits: CheckBox:Wrap[checked]"),
  value: z
    .union([z.string().max(10_000), z.number()])
    .optional()
    .describe("Value of the element `of`"),
  count: z.int().min(0).max(100_000).optional().describe("How many elements fit `of`"),
  of: which,
  window: text.describe("Part of the title of an open window"),
  title: text.describe("Part of the title of the active window or page"),
  url: text.describe("Part of the page's address"),
  file: z.string().min(1).max(4_000).optional().describe("A file that exists, with `contains` a text in it"),
  contains: text,
  clipboard: z.string().max(100_000).optional().describe("The text on it (run_steps only)"),
  process: text.describe("Name of a running app"),
  changed: z.literal(true).optional().describe("The last action had an effect"),
  timeout_ms: timeoutMs.optional(),
};

const fields = closed(expectationShape);

type Fields = z.infer<typeof fields>;

/** What should be seen: a text, or an object with one thing and what it is about. */
export const expectation = z.union([z.string().min(1).max(500), fields]).superRefine((value, context) => {
  try {
    readExpectation(value);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
});
export type Expectation = string | Fields;

/** The element acted on is known only after the action. */
export type Subject = Named | "own";

export type Expected =
  | { readonly is: "state"; readonly state: ExpectedState; readonly of: Subject }
  | { readonly is: "text"; readonly text: string; readonly of?: Subject | undefined }
  | { readonly is: "value"; readonly value: string; readonly of: Subject }
  | { readonly is: "count"; readonly count: number; readonly of: Named }
  | { readonly is: "window" | "title" | "url" | "clipboard" | "process"; readonly text: string }
  | { readonly is: "file"; readonly path: string; readonly contains?: string | undefined }
  | { readonly is: "changed" };

const needsOf: ReadonlySet<string> = new Set(["value", "count"]);
const takesOf: ReadonlySet<string> = new Set(["text", ...needsOf]);

export function readExpectation(given: Expectation): Expected {
  if (typeof given === "string") return { is: "text", text: given };
  const { of, contains, timeout_ms: _, ...things } = given;
  const named = Object.keys(things).filter((key) => things[key as keyof typeof things] !== undefined);
  const [thing, ...others] = named;
  if (thing === undefined) throw bad("expect names nothing to wait for.");
  if (others.length > 0) throw bad(`expect names ${named.length} things: ${named.join(", ")}; give one.`);
  if (of !== undefined && !takesOf.has(thing)) throw bad(`of goes with ${[...takesOf].join(", ")}, not with ${thing}.`);
  if (contains !== undefined && thing !== "file") throw bad(`contains goes with file, not with ${thing}.`);
  const {
    text: shown,
    selector,
    value,
    count,
    window,
    title,
    url,
    file,
    clipboard,
    process,
    changed,
    ...rest
  } = things;
  if (shown !== undefined) return { is: "text", text: shown, ...(of === undefined ? {} : { of: subject(of) }) };
  if (selector !== undefined) return { is: "state", state: "visible", of: element({ selector }) };
  if (value !== undefined) return { is: "value", value: String(value), of: subject(of ?? true) };
  if (count !== undefined) {
    if (of === undefined || of === true) throw bad("count needs of: which elements to count.");
    return { is: "count", count, of: element(of) };
  }
  if (file !== undefined) return { is: "file", path: file, ...(contains === undefined ? {} : { contains }) };
  if (changed !== undefined) return { is: "changed" };
  for (const [is, told] of Object.entries({ window, title, url, clipboard, process } as const)) {
    if (told !== undefined) return { is: is as "window", text: told };
  }
  const state = thing as ExpectedState;
  return { is: "state", state, of: subject(rest[state] ?? true) };
}

const subject = (given: true | StepTarget): Subject => (given === true ? "own" : element(given));

function element(given: StepTarget): Named {
  const named = readStepTarget(given);
  if (named.form === "element" || named.form === "window") return named;
  throw bad(`expect looks for elements, texts and windows, not for a ${named.form}.`);
}

const bad = (message: string): ToolError => new ToolError("invalid_argument", message);

/** The same about this element, where it was about the one acted on. */
export function aboutElement(given: Expectation, uid: string): Expectation {
  if (typeof given === "string") return given;
  const isOwn = given.value !== undefined && given.of === undefined;
  const entries = Object.entries(given).map(
    ([key, value]) => [key, value === true && key !== "changed" ? { uid } : value] as const,
  );
  return Object.fromEntries(isOwn ? [...entries, ["of", { uid }] as const] : entries);
}

/** Whether it is about the element acted on. */
export function isAboutOwn(given: Expectation): boolean {
  const expected = readExpectation(given);
  return "of" in expected && expected.of === "own";
}

/** Where it looks, if it says so. */
export interface LooksIn {
  /** The element it is about, and the one it looks inside. */
  readonly uid?: string | undefined;
  readonly within?: string | undefined;
  /** Part of the title. */
  readonly window?: string | undefined;
  readonly surface?: string | undefined;
}

export function looksIn(given: Expectation): LooksIn {
  const expected = readExpectation(given);
  if (expected.is === "window") return { window: expected.text };
  const of = "of" in expected ? expected.of : undefined;
  if (of === undefined || of === "own") return {};
  const { window, surface } = of;
  if (of.form !== "element") return { window, surface };
  const { element } = of;
  // Whatever window is named, the uid says which element is read.
  if (element.form === "element") return { uid: element.ref, surface };
  return { within: element.within, window, surface };
}

/** What is expected, in words. */
export function expectedWords(given: Expectation): string {
  if (typeof given === "string") return `text ${JSON.stringify(given)}`;
  const { timeout_ms: _, of, contains, ...things } = given;
  const [[thing, value] = ["", ""]] = Object.entries(things);
  const what = typeof value === "object" ? wordsOf(value) : value === true ? "" : JSON.stringify(value);
  const about = of === undefined ? "" : ` of ${of === true ? "it" : wordsOf(of)}`;
  return `${thing}${what === "" ? "" : ` ${what}`}${about}${contains === undefined ? "" : ` contains ${JSON.stringify(contains)}`}`;
}
