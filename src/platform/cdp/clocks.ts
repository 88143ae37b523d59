import type { WitnessOptions, Witnessed } from "../page-acts.ts";
import type { AttachedPage } from "./attached-page.ts";
import { never, settled, witness } from "./witness.ts";

// A clock ticks at least once in this time.
const tickMs = 1_200;

/** Whether keys would write somewhere on the page. When in doubt, they do. */
export async function takesText(page: AttachedPage, { signal }: WitnessOptions): Promise<boolean> {
  const ask = async () => (await page.mainDocument({ signal })).call("takesText", [], { signal });
  return ask().catch(() => true);
}

/**
 * A page's own clock or carousel must not confirm an action. If all that was seen is texts that have changed, this looks
 * again without doing anything: what changes on has been changing before.
 */
export async function withoutClocks<T>(
  page: AttachedPage,
  seen: Witnessed<T>,
  options: WitnessOptions,
): Promise<Witnessed<T>> {
  const { lines, dialog, hasLeft, hasCopied, opened, downloads, focus, isForFocus } = seen;
  const isMore = dialog !== undefined || hasLeft || hasCopied || opened.length + downloads.length > 0;
  if (isMore || (isForFocus && focus !== undefined)) return seen;
  if (lines.length === 0 || !lines.every((line) => running[seen.mayRun ?? "numbers"].test(line))) return seen;
  const expected = { focus: never, scroll: false, quietMs: settled };
  const idle = await witness(page, undefined, expected, { ...options, settleMs: tickMs }, async (watched) => {
    await watched({ via: "none" });
    return { value: undefined, via: "none" };
  });
  const byThemselves = new Set(idle.lines.map(subjectOf));
  return { ...seen, lines: lines.filter((line) => !byThemselves.has(subjectOf(line))) };
}

/** `~ paragraph d12 "0:41" → "0:42"` */
const running = { numbers: /^~ \S+ d\d+ ".*\d.*" → ".*\d.*"$/, texts: /^~ \S+ d\d+ ".*" → ".*"$/ } as const;
/** The element that a line is about. */
const subjectOf = (line: string): string =>
  /^~ .*? (?<ref>d\d+) /.exec(line)?.groups?.["ref"] ?? line.replaceAll(/\d+/g, "#");
