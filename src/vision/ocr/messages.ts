import type { ErrorCode } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import type { RowRange } from "./edges.ts";
import type { SharedPicture } from "./picture.ts";
import type { LookOrder } from "./regions.ts";
import type { Recognised } from "./recognise.ts";

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

export interface Tasks {
  /** Finds the lines of a picture; `changed` are the rows that differ from the last picture of this view. */
  readonly find: {
    readonly order: {
      readonly view: string;
      readonly picture: SharedPicture;
      readonly factor: number;
      readonly changed: readonly RowRange[];
    };
    readonly answer: Found;
  };
  readonly recognise: {
    readonly order: { readonly picture: SharedPicture; readonly lines: readonly FoundLine[] };
    readonly answer: readonly Recognised[];
  };
  /** Looks for text in one tile of a textured rectangle. */
  readonly look: { readonly order: LookOrder; readonly answer: null };
  /** Makes boxes of what was seen; they are in pixels of the picture. */
  readonly outline: {
    readonly order: Omit<LookOrder, "tile">;
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
