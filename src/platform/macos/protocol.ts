import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import type { ElementEvent } from "../backend.ts";

/** Where the host finds macOS. Tests name a simulator instead. */
export interface Places {
  /** One library in place of all frameworks. */
  readonly library?: string | undefined;
  readonly screencapture: string;
  readonly applicationFolders: readonly string[];
}

export interface Call {
  readonly id: number;
  readonly part: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** What the server sends. */
export type Order = Call | { readonly cancel: number } | { readonly unwatch: number };

export interface Failure {
  /** Missing for a bug. */
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly details?: ErrorDetails | undefined;
}

/** What the host sends. */
export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly watch: number; readonly event: ElementEvent };
