import type { Rect } from "../../base/geometry.ts";
import type { Row } from "../file/rows.ts";
import type { Reason } from "../step-outcome.ts";

/** What became of a step. A failure that does not matter is a warning. */
export type StepStatus = "running" | "passed" | "warned" | "failed" | "skipped";

/** A picture that was taken while a flow was played. */
export interface FlowPicture {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  /** What it is about, in its pixels. */
  readonly mark?: Rect | undefined;
}

/** One step as it was performed. */
export interface StepRecord {
  /** Its number in the file, "3" or "3.2"; within a loop with the round, "3#2.1". */
  readonly id: string;
  readonly depth: number;
  /** It consists of the steps after it that are one deeper. */
  readonly isBlock?: boolean;
  what: string;
  readonly file: string;
  readonly line: number;
  readonly at: number;
  status: StepStatus;
  surface: string;
  ms: number;
  effect?: "confirmed" | "no_change" | "unverifiable";
  via?: string;
  saw?: string;
  note?: string;
  /** How its target was recognised, if not by its words. */
  rung?: string;
  changes?: readonly string[];
  attempts?: number;
  error?: Reason;
  before?: FlowPicture;
  after?: FlowPicture;
}

export type RunStatus = "running" | "passed" | "failed" | "refused" | "unreachable" | "cancelled";

/** One run of a flow: all of it, once. */
export interface RunRecord {
  readonly version: 1;
  readonly name: string;
  readonly file: string;
  readonly row?: Row | undefined;
  readonly tags: readonly string[];
  readonly started: number;
  status: RunStatus;
  ms: number;
  steps: StepRecord[];
  /** The step that ended it. */
  failed?: { readonly step: string; readonly line: number } & Reason;
  /** What is there where it ended. */
  now?: string;
  /** What `read` steps found, by name. */
  read: Record<string, string>;
  /** How often it was tried, if more than once. */
  attempts?: number;
  /** The last calls before a failure, newest last. */
  events?: readonly string[];
}

/** Why a run ended, from the code of its failure. */
export function statusOf(code: string): RunStatus {
  switch (code) {
    case "denied":
    case "permission_missing":
      return "refused";
    case "not_connected":
      return "unreachable";
    case "cancelled":
      return "cancelled";
    default:
      return "failed";
  }
}
