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
 * Keys that nothing takes may still be shortcuts, but a page's own clock must not confirm them. If all that was seen is
 * numbers, this looks again without doing anything: what counts on has been counting before.
 */
export async function withoutClocks<T>(
  page: AttachedPage,
  seen: Witnessed<T>,
  options: WitnessOptions,
): Promise<Witnessed<T>> {
  const { lines, dialog, hasLeft, opened, downloads, focus } = seen;
  const isMore = dialog !== undefined || hasLeft || focus !== undefined || opened.length + downloads.length > 0;
  if (isMore || lines.length === 0 || !lines.every((line) => counting.test(line))) return seen;
  const expected = { focus: never, scroll: false, quietMs: settled };
  const idle = await witness(page, undefined, expected, { ...options, settleMs: tickMs }, async (watched) => {
    await watched({ via: "none" });
    return { value: undefined, via: "none" };
  });
  const byThemselves = new Set(idle.lines.map(withoutDigits));
  return { ...seen, lines: lines.filter((line) => !byThemselves.has(withoutDigits(line))) };
}

/** `~ paragraph "0:41" → "0:42"` */
const counting = /^~ .*\d.* → .*\d/;
const withoutDigits = (line: string): string => line.replaceAll(/\d+/g, "#");
