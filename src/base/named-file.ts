import { constants, lstatSync, mkdirSync, statSync, type Stats } from "node:fs";
import { lstat, open, realpath, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { withDeadline } from "./async.ts";
import { ToolError } from "./errors.ts";

/**
 * Every file that a caller names is opened here. Opening a pipe would block until somebody opens its other end, and a
 * terminal could become our controlling terminal: so opening never blocks, and the type is checked on the open file,
 * which nobody can swap.
 */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants;
// Systems without these flags have no such files either.
export const withoutWaiting = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const withoutLinks = constants.O_NOFOLLOW ?? 0;

/** A network disk that is gone may never answer. */
const patienceMs = 10_000;
const chunkBytes = 1024 * 1024;

export interface ReadOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The content of a file. All links in the path must already be resolved: one that appears now is refused. */
export function readNamed(path: string, { maxBytes, signal }: ReadOptions): Promise<Buffer> {
  return withFile(path, O_RDONLY, signal, async (file, { size }) => {
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      if (Math.max(total, size) > maxBytes) throw tooLarge(path, Math.max(total, size), maxBytes);
      // Files in /proc claim to be empty, and some of them never end.
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await file.read(chunk, 0, chunkBytes);
      if (bytesRead === 0) return Buffer.concat(chunks, total);
      chunks.push(chunk.subarray(0, bytesRead));
      total += bytesRead;
    }
  });
}

/** Throws what `readNamed` would, without reading. */
export function needReadable(path: string, signal?: AbortSignal): Promise<void> {
  return withFile(path, O_RDONLY, signal, async () => {});
}

/** Creates the file and returns its identity; undefined if anything with this name exists. */
export async function writeNewFile(path: string, bytes: Uint8Array): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, O_WRONLY | O_CREAT | O_EXCL | withoutLinks, 0o600);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    throw cannot("written", path, error);
  }
  try {
    await needSame(file, path);
    await file.writeFile(bytes);
    return identityOf(await file.stat());
  } catch (error) {
    // Half a picture is useless.
    await rm(path, { force: true });
    throw error instanceof ToolError ? error : cannot("written", path, error);
  } finally {
    await file.close();
  }
}

/**
 * Replaces the content of an existing file. `permits` is asked about the open file, before anything is lost. Returns
 * the identity of the file, which a later file with the same name does not have.
 */
export function replaceFile(
  path: string,
  bytes: Uint8Array,
  permits: (identity: string) => boolean,
): Promise<string | undefined> {
  return withFile(path, O_WRONLY, undefined, async (file, found) => {
    // Another hard link to this file may be anywhere.
    if (found.nlink > 1 || !permits(identityOf(found))) return undefined;
    try {
      await file.truncate(0);
      await file.writeFile(bytes);
      return identityOf(await file.stat());
    } catch (error) {
      throw cannot("written", path, error);
    }
  });
}

/** Inode numbers are reused once a file is deleted; the time of birth is not. */
const identityOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev}:${ino}:${birthtimeMs}`;

async function withFile<T>(
  path: string,
  flags: number,
  signal: AbortSignal | undefined,
  work: (file: FileHandle, found: Stats) => Promise<T>,
): Promise<T> {
  return withDeadline({ ms: patienceMs, what: `Opening "${path}"`, signal }, async () => {
    try {
      await using file = await open(path, flags | withoutWaiting | withoutLinks);
      const found = await file.stat();
      if (!found.isFile()) throw notAFile(path, found);
      await needSame(file, path);
      return await work(file, found);
    } catch (error) {
      throw error instanceof ToolError ? error : cannot(flags === O_RDONLY ? "read" : "written", path, error);
    }
  });
}

/** After the path was checked, somebody may have put a link to elsewhere into it. */
async function needSame(file: FileHandle, path: string): Promise<void> {
  const [open, there, real] = await Promise.all([file.stat(), lstat(path), realpath(path)]);
  if (real === path && open.ino === there.ino && open.dev === there.dev) return;
  throw new ToolError("denied", `"${path}" was replaced while it was being opened.`);
}

const kinds: readonly (readonly [
  `is${"Directory" | "FIFO" | "Socket" | "CharacterDevice" | "BlockDevice"}`,
  string,
])[] = [
  ["isDirectory", "a folder"],
  ["isFIFO", "a pipe"],
  ["isSocket", "a socket"],
  ["isCharacterDevice", "a device"],
  ["isBlockDevice", "a device"],
];

export function notAFile(path: string, found: Stats): ToolError {
  const kind = kinds.find(([is]) => found[is]())?.[1] ?? "something else";
  return new ToolError("invalid_argument", `"${path}" is ${kind}, not a file.`, { hint: "Name an ordinary file." });
}

export function tooLarge(path: string, bytes: number, maxBytes: number): ToolError {
  const mb = (count: number): number => Math.ceil(count / 1e6);
  return new ToolError("invalid_argument", `"${path}" is ${mb(bytes)} MB or larger; the limit is ${mb(maxBytes)} MB.`);
}

/** Turns the system's error about a file into ours. */
function cannot(be: "read" | "written", path: string, error: unknown): ToolError {
  const code = codeOf(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return new ToolError("not_found", `There is no file "${path}".`, {
        hint: "Relative paths start at handsight's working directory; use an absolute one.",
        cause: error,
      });
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new ToolError("permission_missing", `"${path}" may not be ${be}.`, { cause: error });
    case "ELOOP":
      return new ToolError("denied", `"${path}" is a symbolic link.`, { hint: "Name the file itself.", cause: error });
    case "EISDIR":
      return new ToolError("invalid_argument", `"${path}" is a folder, not a file.`, { cause: error });
    // A pipe that nobody reads, a device without a driver, a socket.
    case "ENXIO":
    case "ENODEV":
    case "EAGAIN":
      return new ToolError("invalid_argument", `"${path}" is not a file that can be opened.`, { cause: error });
    default:
      return new ToolError("not_supported", `"${path}" cannot be ${be}: ${code}.`, {
        ...(code === "ENOSPC" || code === "EDQUOT" ? { hint: "The disk is full." } : {}),
        cause: error,
      });
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Creates a folder and its parents. Node's own function for that never returns below /proc. */
export function makeFolders(path: string, mode = 0o700): void {
  const missing: string[] = [];
  for (let at = path; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
    missing.unshift(at);
    if (dirname(at) === at) break;
  }
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      // Somebody else was faster.
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
  if (statSync(path).isDirectory()) return;
  throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
}
