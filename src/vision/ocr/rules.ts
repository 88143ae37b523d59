import type { Rows } from "./components.ts";

// Longer than any stroke of a letter.
const longestDown = 24;
const thickest = 3;
const nothing = new Uint16Array(0);

/**
 * The chosen runs, without those that are part of a long straight line. Words that touch the frame of a table or a
 * button form one component with it; without the lines they separate into letters.
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
  for (const { first, last, top, bottom } of findStacks(rows)) {
    for (let y = top; y < bottom; y++) {
      const row = rows[y] as number[];
      const at = row.findIndex((value, i) => i % 2 === 0 && value === first && row[i + 1] === last);
      if (at >= 0) row.splice(at, 2);
    }
  }
  return rows.map((row) => (row.length === 0 ? nothing : new Uint16Array(row)));
}

interface Stack {
  readonly first: number;
  readonly last: number;
  readonly top: number;
  bottom: number;
}

/** Thin runs that are exactly above each other over many rows. */
function findStacks(rows: readonly (readonly number[])[]): Stack[] {
  const stacks: Stack[] = [];
  let open = new Map<number, Stack>();
  rows.forEach((row, y) => {
    if (row.length === 0 && open.size === 0) return;
    const next = new Map<number, Stack>();
    for (let i = 0; i < row.length; i += 2) {
      const first = row[i] as number;
      const last = row[i + 1] as number;
      if (last - first >= thickest) continue;
      const key = first * 4 + (last - first);
      const stack = open.get(key) ?? { first, last, top: y, bottom: y };
      stack.bottom = y + 1;
      next.set(key, stack);
      open.delete(key);
    }
    for (const stack of open.values()) if (stack.bottom - stack.top >= longestDown) stacks.push(stack);
    open = next;
  });
  for (const stack of open.values()) if (stack.bottom - stack.top >= longestDown) stacks.push(stack);
  return stacks;
}
