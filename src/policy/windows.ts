import { findPattern } from "./patterns.ts";
import type { Rules } from "./rules.ts";

interface Titled {
  readonly title: string;
  readonly pid: number | undefined;
  readonly kind: string;
}

/** The page on which a person answers handsight's questions: an agent that could click there would answer itself. */
export const approvalTitle = "handsight approval";

// Shown by the desktop itself, and as large as the screen: an allow-list of titles does not mean them.
const furniture: ReadonlySet<string> = new Set(["desktop", "dock"]);

/**
 * Which windows may not be seen or used, with the rule that says so. A menu or tip without a title belongs to the windows
 * of its app.
 */
export function findBlocked<Window extends Titled>(
  windows: readonly Window[],
  rules: TitleRules,
): ReadonlyMap<Window, string> {
  const blocked = new Map<Window, string>();
  for (const window of windows) {
    const rule = ruleAgainst(window, rules);
    if (rule !== undefined) blocked.set(window, rule);
  }
  for (const window of windows) {
    if (window.title !== "" || window.pid === undefined || furniture.has(window.kind)) continue;
    const [, rule] = [...blocked].find(([{ pid }]) => pid === window.pid) ?? [];
    if (rule !== undefined) blocked.set(window, rule);
  }
  return blocked;
}

type TitleRules = Pick<Rules, "allowedWindowPatterns" | "blockedWindowPatterns">;

function ruleAgainst({ title, kind }: Titled, rules: TitleRules): string | undefined {
  const isFurniture = title === "" || furniture.has(kind);
  return ruleAgainstTitle(title, isFurniture ? { ...rules, allowedWindowPatterns: ["*"] } : rules);
}

/** The rule that keeps something with this title from being seen and used. */
export function ruleAgainstTitle(
  title: string,
  { allowedWindowPatterns, blockedWindowPatterns }: TitleRules,
): string | undefined {
  const pattern = findPattern([`*${approvalTitle}*`, ...blockedWindowPatterns], title);
  if (pattern !== undefined) return pattern.includes(approvalTitle) ? "built in" : `blockedWindowPatterns "${pattern}"`;
  return findPattern(allowedWindowPatterns, title) === undefined ? "allowedWindowPatterns" : undefined;
}
