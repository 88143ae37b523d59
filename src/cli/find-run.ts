import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { ToolError } from "../base/errors.ts";
import { eventsFile } from "../journal/read.ts";

/** The folder of a kept run, by its name or folder; the newest when none is named. */
export function findRun(runsDir: string, wanted: string | undefined): string {
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
