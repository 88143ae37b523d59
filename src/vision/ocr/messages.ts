import type { ErrorCode } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import type { Gray } from "./picture.ts";
import type { Recognised } from "./recognise.ts";
import type { Likelihood, Tile } from "./regions.ts";

/** A line that was found: where its ink and a narrow margin lie in the picture, and the name of those pixels. */
export interface FoundLine {
  readonly box: Rect;
  readonly key: string;
  /** The box has room around the letters already. */
  readonly isRoomy?: boolean;
}

export interface Found {
  readonly lines: readonly FoundLine[];
  /** Textured rectangles in pixels of the picture, with the names of their pixels. */
  readonly textures: readonly FoundLine[];
}

/** Whole rows of a picture, four bytes per pixel. */
export interface RowBlock {
  readonly from: number;
  readonly data: Uint8Array;
}

export interface GrayLine extends Gray {
  readonly isRoomy: boolean;
}

export interface Tasks {
  /**
   * Finds the lines of a picture, of which the rows that differ from the last one of this view are given. Null when
   * there is no last one, because the helper is new: then all rows are needed.
   */
  readonly find: {
    readonly order: {
      readonly view: string;
      readonly width: number;
      readonly height: number;
      readonly factor: number;
      readonly rows: readonly RowBlock[];
    };
    readonly answer: Found | null;
  };
  readonly recognise: { readonly order: readonly GrayLine[]; readonly answer: readonly Recognised[] };
  /** Looks for text in one tile of a textured rectangle. */
  readonly look: { readonly order: Tile; readonly answer: Uint8Array };
  /** Makes boxes of what was seen in a rectangle of a view's picture; they are in pixels of the picture. */
  readonly outline: {
    readonly order: {
      readonly view: string;
      readonly area: Rect;
      readonly factor: number;
      readonly likelihood: Likelihood;
    };
    readonly answer: readonly FoundLine[];
  };
  readonly forget: { readonly order: { readonly view: string }; readonly answer: null };
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
