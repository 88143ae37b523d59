import type { Table } from "./report.ts";

export interface GroupOptions {
  readonly rounds: number;
  /** Of a soak: how many, and what decides their order. */
  readonly calls: number;
  readonly seed: string;
  /** Folders of two built packages to compare with each other. */
  readonly builds: { readonly old: string; readonly new: string } | undefined;
  /** Of suites: where they are, and whether every wrong answer is listed. */
  readonly folders: readonly string[];
  readonly showsMisses: boolean;
  /** Of truth and economy: part of the names of the programs or jobs; all when undefined. */
  readonly only: string | undefined;
  /** Of economy: the folder of an earlier build to run beside this one. */
  readonly before: string | undefined;
  /** Of economy: part of the names of the servers; all when undefined. */
  readonly servers: string | undefined;
  /** Of economy: where to write every call and answer. */
  readonly transcripts: string | undefined;
  /** Says what is going on, for whoever waits. */
  readonly tell: (what: string) => void;
}

export type Group = (options: GroupOptions) => Promise<readonly Table[]>;
