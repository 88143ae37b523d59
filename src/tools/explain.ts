import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** Every problem with its path. Of a union, the problems of the form that was meant. */
export function problemsOf(issues: readonly Issue[], path: readonly PropertyKey[] = []): readonly string[] {
  return issues.flatMap((issue) => {
    const at = [...path, ...issue.path];
    if (issue.code === "invalid_union") {
      const [meant] = issue.errors
        .filter((branch) => !branch.some(isOtherKind))
        .toSorted((a, b) => countOf(a) - countOf(b));
      if (meant) return problemsOf(meant, at);
    }
    const message = lowerFirst(issue.message);
    return [at.length === 0 ? message : `${at.map(String).join(".")}: ${message}`];
  });
}

/** The form with the fewest mistakes is the one that was meant. */
const countOf = (branch: readonly Issue[]): number =>
  branch.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);

/** The value is of another kind than this form: a text where it takes an object. */
const isOtherKind = ({ code, path }: Issue): boolean =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value");

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
