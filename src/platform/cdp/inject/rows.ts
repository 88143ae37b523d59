/// <reference lib="dom" />

/** One element as it leaves the page: an array, because thousands of objects would repeat their keys. */
export type Row = [
  id: number,
  /** Index of the parent among the rows; -1 for none. */
  parent: number,
  role: string,
  name: string,
  bounds: [x: number, y: number, width: number, height: number],
  states: string,
  value: string | number | null,
  more: {
    description?: string | undefined;
    range?: { min: number; max: number } | undefined;
    id?: string | undefined;
    level?: number | undefined;
    placeholder?: string | undefined;
  } | null,
];

/** A row as it is sent: repeated words are numbers, and missing values at its end are left out. */
export type PackedRow = [
  id: number,
  parent: number,
  role: number,
  name: string,
  states: number,
  bounds?: Row[4] | 0,
  value?: Row[6],
  more?: Row[7],
];

export interface PackedRows {
  readonly words: string[];
  readonly rows: PackedRow[];
}

/** Half the time of a listing is its transfer through the browser, which depends on its length. */
export function makeRows() {
  return (rows: readonly Row[], hasBounds: boolean): PackedRows => {
    const words: string[] = [];
    const numbers = new Map<string, number>();
    const numberOf = (word: string): number => {
      let number = numbers.get(word);
      if (number === undefined) {
        number = words.push(word) - 1;
        numbers.set(word, number);
      }
      return number;
    };
    return {
      words,
      rows: rows.map(([id, parent, role, name, bounds, states, value, more]): PackedRow => {
        const packed: PackedRow = [id, parent, numberOf(role), name, numberOf(states)];
        if (hasBounds || value !== null || more !== null) packed.push(hasBounds ? bounds : 0);
        if (value !== null || more !== null) packed.push(value);
        if (more !== null) packed.push(more);
        return packed;
      }),
    };
  };
}

const nowhere: Row[4] = [0, 0, 0, 0];

export const unpackRows = ({ words, rows }: PackedRows): Row[] =>
  rows.map(([id, parent, role, name, states, bounds = 0, value = null, more = null]): Row => [
    id,
    parent,
    words[role] ?? "",
    name,
    bounds === 0 ? nowhere : bounds,
    words[states] ?? "",
    value,
    more,
  ]);
