import { findPattern } from "./patterns.ts";
import type { Rules } from "./rules.ts";

interface Titled {
  readonly id: number;
  readonly title: string;
  readonly pid: number | undefined;
  readonly kind: string;
  readonly owners?: readonly number[] | undefined;
}

/** The page on which a person answers handsight's questions: an agent that could click there could answer its own. */
export const approvalTitle = "handsight approval";

// Part of the desktop itself, and as large as the screen: an allow-list of titles does not apply to them.
const furniture: ReadonlySet<string> = new Set(["desktop", "dock"]);

/**
 * Which windows may not be seen or used, with the rule that says so. A menu, tip or dialog goes with the windows it belongs to:
 * one that is blocked blocks it, and where none is, an allow-list need not name it. A window without a title goes with all
 * windows of its app.
 */
export function findBlocked<Window extends Titled>(
  windows: readonly Window[],
  rules: TitleRules,
): ReadonlyMap<Window, string> {
  const owners = ownersOf(windows);
  const found = new Map<Window, string>();
  const judge = (window: Window, from: readonly Window[]): string | undefined => {
    const known = found.get(window);
    if (known !== undefined) return known;
    const own = owners.get(window) ?? [];
    const rule = ruleAgainst(window, own.length === 0 ? rules : { ...rules, allowedWindowPatterns: ["*"] });
    if (rule !== undefined) return rule;
    // Windows that name each other as their owners belong to nobody else.
    const others = own.filter((owner) => !from.includes(owner));
    return others.map((owner) => judge(owner, [...from, window])).find((each) => each !== undefined);
  };
  for (const window of windows) {
    const rule = judge(window, [window]);
    if (rule !== undefined) found.set(window, rule);
  }
  for (const window of windows) {
    if (window.title !== "" || window.pid === undefined || furniture.has(window.kind)) continue;
    const [, rule] = [...found].find(([{ pid }]) => pid === window.pid) ?? [];
    if (rule !== undefined) found.set(window, rule);
  }
  return found;
}

/** The windows that each one belongs to, of those that are there. */
export function ownersOf<Window extends Pick<Titled, "id" | "owners">>(
  windows: readonly Window[],
): ReadonlyMap<Window, readonly Window[]> {
  const byId = new Map(windows.map((window) => [window.id, window]));
  return new Map(
    windows.map((window) => [
      window,
      (window.owners ?? []).flatMap((id) => (id === window.id ? [] : (byId.get(id) ?? []))),
    ]),
  );
}

type TitleRules = Pick<Rules, "allowedWindowPatterns" | "blockedWindowPatterns">;

function ruleAgainst({ title, kind }: Titled, rules: TitleRules): string | undefined {
  const isFurniture = title === "" || furniture.has(kind);
  return ruleAgainstTitle(title, isFurniture ? { ...rules, allowedWindowPatterns: ["*"] } : rules);
}

/** The rule that keeps something with this title from being seen and used. Its pattern would tell a part of the title. */
export function ruleAgainstTitle(
  title: string,
  { allowedWindowPatterns, blockedWindowPatterns }: TitleRules,
): string | undefined {
  const pattern = findPattern([`*${approvalTitle}*`, ...blockedWindowPatterns], title);
  if (pattern !== undefined) return pattern.includes(approvalTitle) ? "a built-in rule" : "blockedWindowPatterns";
  return findPattern(allowedWindowPatterns, title) === undefined ? "allowedWindowPatterns" : undefined;
}
