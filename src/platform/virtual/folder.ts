import { lstatSync, mkdirSync, readdirSync, readlinkSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { runtimeFolder } from "./environment.ts";
import { readProcess } from "./processes.ts";

// Not os.tmpdir(): a socket path is limited to 108 bytes (unix(7)), and the X server uses /tmp whatever TMPDIR says.
const root = "/tmp";
const prefix = "handsight-desktop";

export interface DesktopFolder {
  /** Also the name of the folder and the marker in the environment of every process inside. */
  readonly id: string;
  readonly path: string;
}

/**
 * The folder of a desktop owned by this process. Its name identifies the owner, so the folders themselves are the
 * list of running desktops, and no entry is ever missing.
 */
export function createFolder(): DesktopFolder {
  const self = readProcess(process.pid);
  if (!self) throw new Error("/proc is not mounted, so processes cannot be told apart.");
  const owner = [pidNamespace(), self.pid.toString(36), Number(self.startTicks).toString(36)];
  const id = [prefix, ...owner, randomBytes(3).toString("hex")].join("-");
  const path = join(root, id);
  mkdirSync(path, { mode: 0o700 });
  mkdirSync(runtimeFolder(path), { mode: 0o700 });
  return { id, path };
}

/** Folders whose owner ended without removing them. */
export function findDeadFolders(): readonly DesktopFolder[] {
  return readdirSync(root)
    .filter((name) => name.startsWith(`${prefix}-`) && isOwn(join(root, name)) && isDead(name))
    .map((id) => ({ id, path: join(root, id) }));
}

function isOwn(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.();
}

function isDead(id: string): boolean {
  const [namespace, pid, startTicks] = id.slice(prefix.length + 1).split("-");
  // Another container may share /tmp; its processes are not visible from here and may well be alive.
  if (namespace !== pidNamespace() || pid === undefined || startTicks === undefined) return false;
  const owner = readProcess(Number.parseInt(pid, 36));
  return owner === undefined || Number(owner.startTicks).toString(36) !== startTicks;
}

function pidNamespace(): string {
  const inode = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  return Number(inode).toString(36);
}
