interface Contents {
  readonly before: string;
  readonly after: string;
  readonly text: string;
}

export interface Arrived {
  readonly arrived: string;
  readonly warning: string;
}

// Two texts of 2,000 letters; comparing longer ones would take too long.
const mostSteps = 4_000_000;
const longestNamed = 60;

/**
 * What a field took of a text, if some of it is missing. Apps may add to a text (brackets, indents, completions) or change
 * its case; that is not missing. Undefined as well when the field did not change at all: the effect says so.
 */
export function whatArrived({ before, after, text }: Contents): Arrived | undefined {
  if (before === after) return undefined;
  const wanted = parts(text);
  const inserted = insertedInto(before, after);
  if (wanted.length * after.length > mostSteps) return undefined;
  // Typed over a selection, a text may begin or end like what it replaced: then all of the field is new.
  const readings = [inserted, after].map((taken) => compare(wanted, taken));
  const [first, second] = readings;
  if (!first || !second) return undefined;
  const { taken: arrived, missing } = second.distance < first.distance ? second : first;
  if (missing.every((part) => part.trim() === "")) return undefined;
  const named = missing.slice(0, longestNamed).join("");
  const rest = missing.length > longestNamed ? ` and ${missing.length - longestNamed} more` : "";
  return {
    arrived,
    warning: `Not all of the text arrived: ${JSON.stringify(named)}${rest} is missing. Read the field before going on.`,
  };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Letters as a person counts them: an emoji of several code points is one. */
const parts = (text: string): readonly string[] =>
  Array.from(graphemes.segment(text.normalize("NFC")), ({ segment }) => segment);

/** What is new between the common beginning and the common end. */
function insertedInto(before: string, after: string): string {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start++;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return after.slice(start, after.length - end);
}

function compare(wanted: readonly string[], taken: string) {
  const found = parts(taken);
  const isKept = common(wanted, found);
  const missing = wanted.filter((_part, at) => !isKept[at]);
  return { taken, missing, distance: missing.length + found.length - (wanted.length - missing.length) };
}

/** Which letters of `wanted` are part of the longest sequence that `found` has too, in either case. */
function common(wanted: readonly string[], found: readonly string[]): readonly boolean[] {
  const [a, b] = [wanted.map((part) => part.toLowerCase()), found.map((part) => part.toLowerCase())];
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--) {
    for (let column = b.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        a[row] === b[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const kept = a.map(() => false);
  for (let row = 0, column = 0; row < a.length && column < b.length;) {
    if (a[row] === b[column]) {
      kept[row] = true;
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return kept;
}
