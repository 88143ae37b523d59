import { dirname, resolve } from "node:path";
import type { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { readOwnFile } from "../base/own-file.ts";
import { locate } from "./json-lines.ts";
import { ruleFile, toRules, type RuleContext, type Rules } from "./rules.ts";

export interface RuleSource extends RuleContext {
  readonly file: string;
  /** The file was named explicitly, so it must exist. */
  readonly isNamed: boolean;
}

/** The rules of this file, or the defaults if there is none. */
export function loadRules({ file, isNamed, ...context }: RuleSource): Rules {
  let text: string;
  try {
    text = readOwnFile(file);
  } catch (error) {
    if (!isNamed && (error as NodeJS.ErrnoException).code === "ENOENT") return toRules({}, context);
    throw new ToolError("invalid_argument", `The rule file ${file} cannot be read: ${(error as Error).message}.`, {
      hint: "Name a JSON file this user can read with --rules.",
      cause: error,
    });
  }
  const rules = parseRuleFile(text, file);
  const here = (roots: readonly string[] | undefined) => roots?.map((root) => resolve(dirname(file), root));
  const files = rules.files && {
    read: here(rules.files.read),
    write: here(rules.files.write),
    overwrite: here(rules.files.overwrite),
  };
  return toRules({ ...rules, ...(files ? { files } : {}) }, context);
}

/** Throws `invalid_argument` with the file and line of every mistake. */
export function parseRuleFile(text: string, file: string): z.input<typeof ruleFile> {
  const json = text.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const line = locate(json).get("fault") ?? 1;
    throw new ToolError("invalid_argument", `${file}:${line}: not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  const renamed = ownSpelling(unwrapped(value));
  const parsed = ruleFile.safeParse(renamed);
  if (parsed.success) return renamed as z.input<typeof ruleFile>;
  const inWrapper = new RegExp(String.raw`^${wrapper}\.`, "i");
  const lines = new Map([...locate(json)].map(([path, line]) => [path.replace(inWrapper, "").toLowerCase(), line]));
  const problems = parsed.error.issues.flatMap((issue) => explain(issue, lines));
  throw new ToolError("invalid_argument", problems.map((problem) => `${file}:${problem}`).join("; "), {
    hint: `Keys: ${Object.keys(ruleFile.shape).join(", ")}. See docs/guides/policy.md.`,
  });
}

function explain(issue: z.core.$ZodIssue, lines: ReadonlyMap<string, number>): string[] {
  const path = issue.path.map(String);
  const lineAt = (steps: readonly string[]) => lines.get(steps.join(".").toLowerCase()) ?? lines.get("") ?? 1;
  if (issue.code !== "unrecognized_keys") {
    return [`${lineAt(path)}: ${path.join(".") || "the file"}: ${issue.message}`];
  }
  const candidates = path.length === 0 ? [...known.values()] : [];
  return issue.keys.map((key) => {
    const near = nearest(key, candidates);
    return `${lineAt([...path, key])}: unknown key "${key}"${near === undefined ? "" : `, did you mean "${near}"?`}`;
  });
}

/** The key under which an application's settings file keeps these rules. */
const wrapper = "UIAutomationConfig";

/** What is inside the wrapper. A rule beside it would be lost without a word, so such a file is refused. */
function unwrapped(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value);
  const isWrapper = (key: string): boolean => key.toLowerCase() === wrapper.toLowerCase();
  const own = keys.find(isWrapper);
  const hasRules = keys.some((key) => known.has(key.toLowerCase()));
  return own === undefined || hasRules ? value : (value as Readonly<Record<string, unknown>>)[own];
}

/** Our spelling of each key, by the key in lower case. */
const known = new Map(Object.keys(ruleFile.shape).map((key) => [key.toLowerCase(), key]));

/** `BlockedWindowPatterns` and `blockedWindowPatterns` are the same key. */
function ownSpelling(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [known.get(key.toLowerCase()) ?? key, inner]));
}
