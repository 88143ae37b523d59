import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { ToolError } from "../base/errors.ts";
import { needFile } from "../policy/files.ts";
import type { ImageFormat } from "../vision/encode.ts";

const formats: Readonly<Record<string, ImageFormat>> = {
  ".png": "png",
  ".jpg": "jpeg",
  ".jpeg": "jpeg",
  ".webp": "webp",
};

/** What a file of this name holds; undefined for one that is no picture by its name. */
export const formatOf = (path: string): ImageFormat | undefined => formats[extname(path).toLowerCase()];

/**
 * Writes a picture below one of the folders and says where. Only as an image file: a tool that looks must not be able to
 * replace a program or a setting.
 */
export async function saveImage(
  path: string,
  bytes: Uint8Array,
  mimeType: string,
  roots: readonly string[],
): Promise<string> {
  const wanted = resolve(path);
  if (`image/${formatOf(wanted)}` !== mimeType) {
    const fitting = Object.keys(formats).filter((ending) => `image/${formats[ending]}` === mimeType);
    throw new ToolError("invalid_argument", `"${path}" does not end in ${fitting.join(" or ")}.`, {
      hint: `The picture is ${mimeType}. Pass the format that fits the name; names may end in ${Object.keys(formats).join(", ")}.`,
    });
  }
  const file = await needFile(path, "write", roots);
  await stat(dirname(file)).catch((error: unknown) => {
    throw new ToolError("not_found", `The folder of "${path}" does not exist.`, { cause: error });
  });
  await write(file, bytes, path);
  return wanted;
}

async function write(file: string, bytes: Uint8Array, path: string): Promise<void> {
  try {
    // O_NOFOLLOW: the file itself may be a link that leads out of the folder just checked.
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
    await using handle = await open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    await handle.writeFile(bytes);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    const why = reason === "ELOOP" ? "it is a symbolic link" : reason;
    throw new ToolError("not_supported", `"${path}" cannot be written: ${why}.`, { cause: error });
  }
}
