import type { Rows } from "./components.ts";

// Longer than any stroke of a letter.
const longestDown = 24;
const thickest = 3;
// What touches a line over more rows than a letter has is not a letter.
const longestTouch = 24;
// Letters in every row of a list touch its side over two thirds of its length.
const fewestBare = 0.25;
const nothing = new Uint16Array(0);

/**
 * The chosen runs, without those that are part of a long straight line. Words that touch the frame of a table, a list
 * or a button form one component with it; without the lines they separate into letters.
 */
export function withoutRules(runs: Rows, isChosen: (run: number, length: number) => boolean): Uint16Array[] {
  let index = 0;
  const rows = runs.map((row) => {
    const kept: number[] = [];
    for (let i = 0; i < row.length; i += 2) {
      const first = row[i] as number;
      const last = row[i + 1] as number;
      if (isChosen(index++, last - first + 1)) kept.push(first, last);
    }
    return kept;
  });
  for (const { first, last, top, bottom } of findStacks(rows, runs)) {
    for (let y = top; y < bottom; y++) cutOut(rows[y] as number[], first, last);
  }
  return rows.map((row) => (row.length === 0 ? nothing : new Uint16Array(row)));
}

/** Takes columns out of the run that contains them; what touches the line on either side stays. */
function cutOut(row: number[], first: number, last: number): void {
  const at = row.findIndex((value, i) => i % 2 === 0 && value <= first && (row[i + 1] as number) >= last);
  if (at < 0) return;
  const [from, to] = [row[at] as number, row[at + 1] as number];
  row.splice(at, 2, ...(from < first ? [from, first - 1] : []), ...(to > last ? [last + 1, to] : []));
}

interface Stack {
  readonly first: number;
  readonly last: number;
  readonly top: number;
  bottom: number;
  /** Rows in which nothing touches it, and the last of them. */
  bare: number;
  lastBare: number;
}

/**
 * Thin runs above each other over many rows. Where a letter touches the line, or another line crosses it, a longer run
 * covers it.
 */
function findStacks(chosen: readonly (readonly number[])[], all: Rows): Stack[] {
  const stacks: Stack[] = [];
  let open: Stack[] = [];
  const close = (stack: Stack): void => {
    const height = stack.bottom - stack.top;
    if (stack.bare >= longestDown && stack.bare >= fewestBare * height) stacks.push(stack);
  };
  chosen.forEach((row, y) => {
    if (row.length === 0 && open.length === 0) return;
    const next: Stack[] = [];
    const known = new Set<number>();
    const whole = all[y] as Uint16Array;
    let at = 0;
    for (const stack of open) {
      while (at < whole.length && (whole[at + 1] as number) < stack.first) at += 2;
      const [from, to] = [whole[at] ?? Infinity, whole[at + 1] ?? -1];
      if (from > stack.first || to < stack.last || y - stack.lastBare > longestTouch) {
        close(stack);
        continue;
      }
      stack.bottom = y + 1;
      next.push(stack);
      if (from !== stack.first || to !== stack.last) continue;
      stack.bare += 1;
      stack.lastBare = y;
      known.add(from);
    }
    for (let i = 0; i < row.length; i += 2) {
      const [first, last] = [row[i] as number, row[i + 1] as number];
      if (last - first < thickest && !known.has(first))
        next.push({ first, last, top: y, bottom: y + 1, bare: 1, lastBare: y });
    }
    open = next.length > known.size ? next.sort((a, b) => a.first - b.first) : next;
  });
  open.forEach(close);
  return stacks;
}
