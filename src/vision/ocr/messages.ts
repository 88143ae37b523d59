import type { ErrorCode } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import type { RowRange } from "./edges.ts";
import type { SharedPicture } from "./picture.ts";
import type { Recognised } from "./recognise.ts";

/** A line that was found: where its ink and a narrow margin lie in the picture, and the name of those pixels. */
export interface FoundLine {
  readonly box: Rect;
  readonly key: string;
}

export interface Found {
  readonly lines: readonly FoundLine[];
  readonly textures: readonly Rect[];
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
    readonly order: { readonly picture: SharedPicture; readonly boxes: readonly Rect[] };
    readonly answer: readonly Recognised[];
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
