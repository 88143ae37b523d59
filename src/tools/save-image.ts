import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, relative, resolve, isAbsolute } from "node:path";
import { ToolError } from "../base/errors.ts";

const extensions: Readonly<Record<string, readonly string[]>> = {
  "image/png": [".png"],
  "image/jpeg": [".jpg", ".jpeg"],
  "image/webp": [".webp"],
};

/**
 * Writes a picture below the working directory or the temporary folder and says where. Only as an image file: a tool
 * that looks must not be able to replace a program or a setting.
 */
export async function saveImage(path: string, bytes: Uint8Array, mimeType: string): Promise<string> {
  const wanted = resolve(path);
  const allowed = extensions[mimeType] ?? [];
  if (!allowed.includes(extname(wanted).toLowerCase())) {
    throw new ToolError("invalid_argument", `"${path}" does not end in ${allowed.join(" or ")}.`);
  }
  const folder = await realFolder(dirname(wanted), path);
  const roots = await Promise.all([process.cwd(), tmpdir()].map((root) => realpath(root)));
  if (!roots.some((root) => isInside(folder, root))) {
    throw new ToolError("denied", `"${path}" is outside the working directory and the temporary folder.`, {
      hint: `Use a path below ${roots.join(" or ")}.`,
    });
  }
  await write(join(folder, basename(wanted)), bytes, path);
  return wanted;
}

async function realFolder(folder: string, path: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    throw new ToolError("not_found", `The folder of "${path}" does not exist.`, { cause: error });
  }
}

function isInside(folder: string, root: string): boolean {
  const way = relative(root, folder);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
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
