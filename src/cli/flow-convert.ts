import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { callerFolder } from "../base/caller-folder.ts";
import { ToolError } from "../base/errors.ts";
import { writeOwnFile } from "../base/own-file.ts";
import { convertText } from "../flows/file/convert-text.ts";
import { problemLine } from "../flows/file/read-flow.ts";
import { exitCodes } from "./exit.ts";
import { printable } from "./text.ts";

export interface FlowConvertFlags {
  readonly out?: string;
  readonly json?: boolean;
}

/** Rewrites a Maestro flow as one of ours; what cannot be said is listed, and makes the exit code 1. */
export function runFlowConvert(file: string, { out, json = false }: FlowConvertFlags): number {
  const { text, unsupported, notes } = convertText(readText(file), basename(file));
  if (out !== undefined) writeOwnFile(resolve(callerFolder(), out), Buffer.from(text), 0o644);
  if (json) process.stdout.write(`${JSON.stringify({ ok: unsupported.length === 0, text, unsupported, notes })}\n`);
  else {
    if (out === undefined) process.stdout.write(text);
    for (const problem of unsupported)
      process.stderr.write(`${printable(problemLine(problem))}: not supported, left out\n`);
    for (const note of notes) process.stderr.write(`${printable(problemLine(note))}\n`);
  }
  return unsupported.length === 0 ? exitCodes.ok.code : exitCodes.failed.code;
}

function readText(file: string): string {
  try {
    return readFileSync(resolve(callerFolder(), file), "utf8");
  } catch (error) {
    throw new ToolError("invalid_argument", `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}
