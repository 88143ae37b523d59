import type { Table } from "../report.ts";

export interface SuiteOptions {
  /** Also list what was wrong. */
  readonly showsMisses: boolean;
  readonly tell: (what: string) => void;
}

/** A public set of cases with known answers. */
export interface Suite {
  readonly title: string;
  readonly recognises: (folder: string) => boolean;
  readonly run: (folder: string, options: SuiteOptions) => Promise<readonly Table[]>;
}
