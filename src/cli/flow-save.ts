import { basename, resolve } from "node:path";
import { writeOwnFile } from "../base/own-file.ts";
import type { Config } from "../config/options.ts";
import { saveRun } from "../flows/save/save-run.ts";
import { exitCodes } from "./exit.ts";
import { findRun } from "./find-run.ts";
import { printable } from "./text.ts";

export interface FlowSaveOptions {
  /** Its name, or its folder; default: the newest. */
  readonly run?: string | undefined;
  readonly out?: string | undefined;
  readonly json: boolean;
}

/** Writes a kept run as a flow, and says what was left out. */
export function runFlowSave({ runsDir, desktop }: Config, { run, out, json }: FlowSaveOptions): number {
  const folder = findRun(runsDir, run);
  const name = basename(out ?? folder).replace(/(?:\.flow)?\.ya?ml$/, "");
  const { steps, text, dropped } = saveRun(folder, { name, isPrivate: desktop === "virtual" });
  const file = out === undefined ? undefined : resolve(out);
  if (file !== undefined && text !== "") writeOwnFile(file, Buffer.from(text), 0o600);
  if (json) process.stdout.write(`${JSON.stringify({ run: folder, steps, dropped, file, flow: text })}\n`);
  else {
    if (file === undefined) process.stdout.write(text);
    else if (text !== "") process.stdout.write(`${file} (${steps} steps)\n`);
    for (const { step, tool, why } of dropped)
      process.stderr.write(`${printable(`dropped ${step} ${tool}: ${why}`)}\n`);
    if (text === "") process.stderr.write("handsight: No call of this run can be turned into a flow step.\n");
  }
  return text === "" ? exitCodes.failed.code : exitCodes.ok.code;
}
