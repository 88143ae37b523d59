import type { Table } from "./report.ts";

export interface GroupOptions {
  readonly rounds: number;
  /** Says what is going on, for whoever waits. */
  readonly tell: (what: string) => void;
}

export type Group = (options: GroupOptions) => Promise<readonly Table[]>;
