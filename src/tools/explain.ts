import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** What is wrong, and where. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** The fields that should not be there. */
  readonly keys?: readonly string[];
}

/** Every problem with its path. Of a union, the problems of the form that was meant. */
export function findProblems(issues: readonly Issue[], path: readonly PropertyKey[] = []): readonly Problem[] {
  return issues.flatMap((issue) => {
    const at = [...path, ...issue.path];
    if (issue.code === "invalid_union") {
      const [meant] = issue.errors
        .filter((branch) => !branch.some(isOtherKind))
        .toSorted((a, b) => countOf(a) - countOf(b));
      if (meant) return findProblems(meant, at);
    }
    if (issue.code === "invalid_key" && issue.issues.length > 0) return findProblems(issue.issues, at);
    const keys = issue.code === "unrecognized_keys" ? { keys: issue.keys } : {};
    return [{ path: at, message: lowerFirst(issue.message), ...keys }];
  });
}

/** The same as sentences. */
export const problemsOf = (issues: readonly Issue[], path: readonly PropertyKey[] = []): readonly string[] =>
  findProblems(issues, path).map(({ path: at, message }) =>
    at.length === 0 ? message : `${at.map(String).join(".")}: ${message}`,
  );

/** The form with the fewest mistakes is the one that was meant. */
const countOf = (branch: readonly Issue[]): number =>
  branch.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);

/** The value is of another kind than this form: a text where it takes an object. */
const isOtherKind = ({ code, path }: Issue): boolean =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value");

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
