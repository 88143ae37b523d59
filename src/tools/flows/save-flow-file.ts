import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { callerFolder } from "../../base/caller-folder.ts";
import { ToolError } from "../../base/errors.ts";
import { needFile } from "../../policy/files.ts";
import type { Session } from "../session.ts";

/** Where a flow may be written; refuses a bad place before there is anything to lose. */
export async function needFlowFile(path: string, { gate }: Session): Promise<string> {
  if (!/\.ya?ml$/.test(path)) {
    throw new ToolError("invalid_argument", `"${path}" does not end in .yaml.`, {
      hint: "Name it like save.flow.yaml.",
    });
  }
  const file = await needFile(path, "write", gate.rules.files.write);
  await stat(dirname(file)).catch((error: unknown) => {
    throw new ToolError("not_found", `The folder of "${path}" does not exist.`, { cause: error });
  });
  return file;
}

/** Writes a flow where the caller wants it, and returns the path. */
export async function saveFlowFile(path: string, text: string, session: Session): Promise<string> {
  const file = await needFlowFile(path, session);
  await session.written.write(file, Buffer.from(text));
  return resolve(callerFolder(), path);
}
