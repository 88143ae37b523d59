import type { RectSpace } from "../../base/geometry.ts";
import type { Line, Word } from "./reading.ts";

/** Words that are read as one text: those of a line, or of lines that belong together. */
export interface Passage<Space extends RectSpace> {
  readonly words: readonly Word<Space>[];
  /** The index of the first word of each of its lines. */
  readonly starts: readonly number[];
  /** It is the rest of a sentence that began in the line above. */
  readonly isContinued: boolean;
}

// A line with this many words is running text, not a label.
export const fewestInSentence = 5;

/** Every line by itself. */
export function linesAlone<Space extends RectSpace>(lines: readonly Line<Space>[]): Passage<Space>[] {
  const below = linesBelow(lines);
  const continued = new Set(
    lines.flatMap((line) => (line.words.length >= fewestInSentence ? (below.get(line) ?? []) : [])),
  );
  return lines.map((line) => ({ words: line.words, starts: [0], isContinued: continued.has(line) }));
}

/** Lines that may be one text: a label wrapped over up to three lines, and the cells of a row. */
export function linesJoined<Space extends RectSpace>(lines: readonly Line<Space>[]): Passage<Space>[] {
  const below = linesBelow(lines);
  const wrapped = lines.flatMap((line) => {
    const second = below.get(line);
    const third = second && below.get(second);
    return second ? [joined([line, second, ...(third ? [third] : [])])] : [];
  });
  const rows = lines.flatMap((line) => {
    const next = nextInRow(line, lines);
    return next ? [joined([line, next])] : [];
  });
  return [...wrapped, ...rows];
}

function joined<Space extends RectSpace>(lines: readonly Line<Space>[]): Passage<Space> {
  const starts: number[] = [];
  const words: Word<Space>[] = [];
  for (const line of lines) {
    starts.push(words.length);
    words.push(...line.words);
  }
  return { words, starts, isContinued: false };
}

/** The line that continues each line below it. */
function linesBelow<Space extends RectSpace>(lines: readonly Line<Space>[]): Map<Line<Space>, Line<Space>> {
  const sorted = lines.toSorted((a, b) => a.box.y - b.box.y);
  const below = new Map<Line<Space>, Line<Space>>();
  sorted.forEach((line, index) => {
    for (let i = index + 1; i < sorted.length; i++) {
      const other = sorted[i] as Line<Space>;
      if (other.box.y > line.box.y + line.box.height + widestLeading * line.box.height) return;
      if (!continues(line, other)) continue;
      below.set(line, other);
      return;
    }
  });
  return below;
}

// In line heights. The rows of a menu are farther apart than the lines of one label.
const widestLeading = 0.9;
const widestShift = 0.6;

function continues({ box: a }: Line<RectSpace>, { box: b }: Line<RectSpace>): boolean {
  const height = Math.min(a.height, b.height);
  const gap = b.y - (a.y + a.height);
  if (gap < -0.3 * height || gap > widestLeading * height || Math.max(a.height, b.height) > 1.7 * height) return false;
  const isLeft = Math.abs(a.x - b.x) <= widestShift * height;
  const isCentred = Math.abs(a.x + a.width / 2 - b.x - b.width / 2) <= widestShift * height;
  return isLeft || isCentred;
}

// In line heights: between the cells of a row, or a menu item and its shortcut.
const widestCell = 25;

function nextInRow<Space extends RectSpace>(
  { box }: Line<Space>,
  lines: readonly Line<Space>[],
): Line<Space> | undefined {
  let next: Line<Space> | undefined;
  for (const other of lines) {
    const gap = other.box.x - (box.x + box.width);
    const height = Math.min(box.height, other.box.height);
    const isLevel = Math.abs(box.y + box.height / 2 - other.box.y - other.box.height / 2) <= 0.4 * height;
    if (gap <= 0 || gap > widestCell * height || !isLevel) continue;
    if (!next || other.box.x < next.box.x) next = other;
  }
  return next;
}
