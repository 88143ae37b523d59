import { stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { ToolError } from "../base/errors.ts";
import { needFile } from "../policy/files.ts";
import type { ImageFormat } from "../vision/encode.ts";
import type { Session } from "./session.ts";

const formats: Readonly<Record<string, ImageFormat>> = {
  ".png": "png",
  ".jpg": "jpeg",
  ".jpeg": "jpeg",
  ".webp": "webp",
};

/** What a file of this name holds; undefined for one that is no picture by its name. */
export const formatOf = (path: string): ImageFormat | undefined => formats[extname(path).toLowerCase()];

/**
 * Writes a picture below one of the folders that may be written to and says where. Only as an image file, and only over one
 * of this session: a tool that looks must not be able to replace anything.
 */
export async function saveImage(
  path: string,
  { bytes, mimeType }: { readonly bytes: Uint8Array; readonly mimeType: string },
  { gate, written }: Session,
): Promise<string> {
  const wanted = resolve(path);
  if (`image/${formatOf(wanted)}` !== mimeType) {
    const fitting = Object.keys(formats).filter((ending) => `image/${formats[ending]}` === mimeType);
    throw new ToolError("invalid_argument", `"${path}" does not end in ${fitting.join(" or ")}.`, {
      hint: `The picture is ${mimeType}. Pass the format that fits the name; names may end in ${Object.keys(formats).join(", ")}.`,
    });
  }
  const file = await needFile(path, "write", gate.rules.files.write);
  await stat(dirname(file)).catch((error: unknown) => {
    throw new ToolError("not_found", `The folder of "${path}" does not exist.`, { cause: error });
  });
  await written.write(file, bytes);
  return wanted;
}
