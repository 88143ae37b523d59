import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { callerFolder } from "../../base/caller-folder.ts";
import { ToolError } from "../../base/errors.ts";
import { formatOf, imageEndings } from "../../base/image-file.ts";
import { needFile } from "../../policy/files.ts";
import type { Session } from "../session.ts";

/**
 * Writes a picture into a folder that may be written to, and returns its path. Only image files, and only over files
 * of this session: a tool that only looks must not be able to replace anything else.
 */
export async function saveImage(
  path: string,
  { bytes, mimeType }: { readonly bytes: Uint8Array; readonly mimeType: string },
  { gate, written }: Session,
): Promise<string> {
  const wanted = resolve(callerFolder(), path);
  if (`image/${formatOf(wanted)}` !== mimeType) {
    const fitting = Object.keys(imageEndings).filter((ending) => `image/${formatOf(`x${ending}`)}` === mimeType);
    throw new ToolError("invalid_argument", `"${path}" does not end in ${fitting.join(" or ")}.`, {
      hint: `The picture is ${mimeType}. Pass the format that fits the name; names may end in ${Object.keys(imageEndings).join(", ")}.`,
    });
  }
  const file = await needFile(path, "write", gate.rules.files.write);
  await stat(dirname(file)).catch((error: unknown) => {
    throw new ToolError("not_found", `The folder of "${path}" does not exist.`, { cause: error });
  });
  await written.write(file, bytes);
  return wanted;
}
