import type { ErrorCode } from "../../base/errors.ts";
import type { ImageRect, Size } from "../../base/geometry.ts";
import type { Layout } from "./lines.ts";
import type { Edges } from "./edges.ts";
import type { Gray } from "./picture.ts";
import type { Recognised } from "./recognise.ts";
import type { Likelihood, Tile } from "./regions.ts";

/** The edges of a picture, with their runs row by row. */
export interface PackedEdges extends Size {
  readonly runs: Uint16Array;
  /** How many numbers each row has in `runs`. */
  readonly counts: Uint16Array;
  readonly flats: Uint8Array;
  readonly cellColumns: number;
}

export interface GrayLine extends Gray {
  readonly isRoomy: boolean;
}

export interface Tasks {
  readonly find: { readonly order: PackedEdges; readonly answer: Layout };
  readonly recognise: { readonly order: readonly GrayLine[]; readonly answer: readonly Recognised[] };
  /** Looks for text in one tile of a textured rectangle. */
  readonly look: { readonly order: Tile; readonly answer: Uint8Array };
  /** Turns what was seen in a textured rectangle into boxes, in its pixels. */
  readonly outline: { readonly order: Likelihood; readonly answer: readonly ImageRect[] };
}

export type TaskName = keyof Tasks;

export type Order = {
  [Name in TaskName]: { readonly id: number; readonly task: Name; readonly order: Tasks[Name]["order"] };
}[TaskName];

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | {
      readonly id: number;
      readonly failure: { readonly code?: ErrorCode; readonly message: string; readonly hint?: string };
    };

export function packEdges({ width, height, runs, flats, cellColumns }: Edges): PackedEdges {
  const counts = Uint16Array.from(runs, ({ length }) => length);
  const packed = new Uint16Array(counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (const row of runs) {
    packed.set(row, at);
    at += row.length;
  }
  return { width, height, runs: packed, counts, flats, cellColumns };
}

export function unpackEdges({ runs, counts, ...edges }: PackedEdges): Edges {
  let at = 0;
  return { ...edges, runs: Array.from(counts, (count) => runs.subarray(at, (at += count))) };
}
