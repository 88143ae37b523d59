import { resolve } from "node:path";
import { exportTrace } from "../agent/trace.ts";
import { writeOwnFile } from "../base/own-file.ts";
import type { Config } from "../config/options.ts";
import { exitCodes } from "./exit.ts";
import { findRun } from "./find-run.ts";

export interface TraceOptions {
  /** Its name, or its folder; default: the newest. */
  readonly run?: string | undefined;
  readonly out: string;
  readonly json: boolean;
}

/** Writes a run as a file for Playwright's trace viewer. */
export function runTrace({ runsDir }: Config, { run, out, json }: TraceOptions): number {
  const folder = findRun(runsDir, run);
  const bytes = exportTrace(folder);
  const file = resolve(out);
  writeOwnFile(file, bytes, 0o600);
  const told = { run: folder, file, bytes: bytes.length };
  process.stdout.write(
    json ? `${JSON.stringify(told)}\n` : `${file} (${bytes.length} bytes)\nOpen it: npx playwright show-trace ${out}\n`,
  );
  return exitCodes.ok.code;
}
