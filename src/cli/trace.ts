import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { exportTrace } from "../agent/trace.ts";
import { ToolError } from "../base/errors.ts";
import { writeOwnFile } from "../base/own-file.ts";
import type { Config } from "../config/options.ts";
import { eventsFile } from "../journal/read.ts";
import { exitCodes } from "./exit.ts";

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

function findRun(runsDir: string, wanted: string | undefined): string {
  const isRun = (folder: string): boolean => existsSync(join(folder, eventsFile));
  if (wanted !== undefined && isRun(resolve(wanted))) return resolve(wanted);
  const runs = existsSync(runsDir) ? readdirSync(runsDir).filter((name) => isRun(join(runsDir, name))) : [];
  const found = wanted === undefined ? runs.toSorted().at(-1) : runs.find((name) => name === wanted);
  if (found !== undefined) return join(runsDir, found);
  throw new ToolError(
    "not_found",
    wanted === undefined ? `There is no run in ${runsDir}.` : `There is no run "${wanted}" in ${runsDir}.`,
    { candidates: runs.slice(-10) },
  );
}
