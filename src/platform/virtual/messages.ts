import type { ErrorCode } from "../../base/errors.ts";
import type { Programs } from "./programs.ts";

/** The only line the supervisor reads. After it, the end of its input means: end the desktop. */
export interface Settings {
  readonly width: number;
  readonly height: number;
  readonly monitors: number;
  readonly scale: number;
  readonly monitorScales?: readonly number[] | undefined;
  readonly programs: Programs;
}

/** What the supervisor writes, one JSON object per line. */
export type Report =
  | {
      readonly kind: "ready";
      readonly id: string;
      readonly folder: string;
      readonly display: string;
    }
  | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string; readonly hint?: string | undefined }
  | { readonly kind: "lost"; readonly reason: string };
