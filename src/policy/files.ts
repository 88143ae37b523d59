import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, relative, sep } from "node:path";
import { callerFolder } from "../base/caller-folder.ts";
import { ToolError } from "../base/errors.ts";
import { ownPlaces } from "../base/own-places.ts";
import { needPlainPath } from "./windows-paths.ts";

export type FileUse = "read" | "write";

/**
 * Where a path really leads, resolved step by step as the system does it: a link is followed before the `..` after
 * it. A path that does not exist yet is resolved up to its deepest existing folder.
 */
export async function resolveFile(path: string): Promise<string> {
  if (path.includes("\0")) throw new ToolError("invalid_argument", "A path must not contain a zero byte.");
  if (sep === "\\") needPlainPath(path);
  const absolute = isAbsolute(path) ? path : join(callerFolder(), sep) + path;
  const { root } = parse(absolute);
  let at = root;
  for (const step of absolute.slice(root.length).split(sep === "\\" ? /[/\\]/ : "/")) {
    if (step === "" || step === ".") continue;
    at = step === ".." ? dirname(at) : await follow(join(at, step), path);
  }
  return at;
}

async function follow(at: string, path: string): Promise<string> {
  try {
    return await realpath(at);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A dangling link is not "missing": writing would create its target.
    const isDead = code === "ELOOP" || (code === "ENOENT" && (await isLink(at)));
    if (code === "ENOENT" && !isDead) return at;
    const why = isDead ? "it contains a broken symbolic link" : (code ?? "unknown");
    throw new ToolError("denied", `"${path}" does not lead to a file: ${why}.`, {
      hint: "Use a plain path below one of the allowed folders.",
      cause: error,
    });
  }
}

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );

/** Both must be real paths. */
export function isInside(file: string, root: string): boolean {
  const way = relative(root, file);
  return way === "" || (way !== ".." && !way.startsWith("../") && !way.startsWith("..\\") && !isAbsolute(way));
}

async function isBelow(file: string, folders: readonly string[]): Promise<boolean> {
  const real = await Promise.all(folders.map((folder) => resolveFile(folder).catch(() => undefined)));
  return real.some((folder) => folder !== undefined && isInside(file, folder));
}

/** The real path, if it is in one of the folders and in none of handsight's own; throws `denied` otherwise. */
export async function needFile(path: string, use: FileUse, roots: readonly string[]): Promise<string> {
  const file = await resolveFile(path);
  if (await isBelow(file, ownPlaces())) {
    throw new ToolError("denied", `"${path}" belongs to handsight itself.`, {
      hint: "Its rules, secrets, records and browser profiles are out of reach of every tool. Use another folder.",
    });
  }
  if (await isBelow(file, roots)) return file;
  throw new ToolError(
    "denied",
    `"${path}" is outside the folders files may be ${use === "read" ? "read from" : "written to"}.`,
    {
      hint: `Use a path below ${roots.join(" or ")}, or add its folder to files.${use} in the rule file.`,
    },
  );
}
