import { constants } from "node:fs";
import { readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { readNamed, withoutWaiting } from "../base/named-file.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "../base/process.ts";
import { eventsFile } from "./read.ts";

const { O_WRONLY, O_CREAT, O_TRUNC } = constants;

export const ownerFile = "owner.json";
const stampFile = ".last-sweep";

/** The name of a run folder; nothing else in the folder of runs is ever touched. */
const runName = /^\d{8}T\d{9}Z-\d+-[0-9a-f]{6}$/;

export interface SweepOptions {
  readonly folder: string;
  readonly keepDays: number;
  readonly keepBytes: number;
  /** Name of the caller's own run: counted, never deleted. */
  readonly own: string;
  /** Skips the work if another run did it this recently; the command line starts one run per call. */
  readonly atMostEveryMs?: number;
}

/** Identifies the process that writes a run, so that nobody deletes it meanwhile. */
export const ownerText = (): string => JSON.stringify({ ...ownIdentity(), host: hostname() });

/** Deletes finished runs that are too old, then the oldest ones until the rest fits. Returns the deleted names. */
export async function sweepRuns(options: SweepOptions): Promise<readonly string[]> {
  const { folder, keepDays, keepBytes, own, atMostEveryMs = 0 } = options;
  if (!(await claimTurn(join(folder, stampFile), atMostEveryMs))) return [];
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && runName.test(entry.name))
    .map(({ name }) => name)
    .sort();
  const oldest = Date.now() - keepDays * 86_400_000;
  const deleted: string[] = [];
  const kept: { readonly name: string; readonly bytes: number; readonly isFree: boolean }[] = [];
  const remove = async (name: string) => {
    await rm(join(folder, name), { recursive: true, force: true });
    deleted.push(name);
  };
  for (const name of names) {
    const run = join(folder, name);
    const lastUse = await lastWrite(run);
    const isFree = name !== own && !(await isLive(run, lastUse));
    if (isFree && lastUse < oldest) await remove(name);
    else kept.push({ name, bytes: await bytesIn(run), isFree });
  }
  let total = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes, isFree } of kept) {
    if (total <= keepBytes) break;
    if (!isFree) continue;
    await remove(name);
    total -= bytes;
  }
  return deleted;
}

async function claimTurn(stamp: string, atMostEveryMs: number): Promise<boolean> {
  const last = await stat(stamp).catch(() => undefined);
  if (last !== undefined && Math.abs(Date.now() - last.mtimeMs) < atMostEveryMs) return false;
  await writeFile(stamp, "", { mode: 0o600, flag: O_WRONLY | O_CREAT | O_TRUNC | withoutWaiting });
  return true;
}

async function isLive(run: string, lastUse: number): Promise<boolean> {
  try {
    const file = await realpath(join(run, ownerFile));
    const owner = JSON.parse((await readNamed(file, { maxBytes: 10_000 })).toString("utf8")) as ProcessIdentity & {
      host?: unknown;
    };
    if (owner.host === hostname()) return isRunning(owner);
  } catch {
    // No owner yet: the run may be starting right now.
  }
  // Another machine or container may write to the same disk; its processes are not visible from here.
  return Date.now() - lastUse < 86_400_000;
}

async function lastWrite(run: string): Promise<number> {
  const times = await Promise.all([join(run, eventsFile), run].map((path) => stat(path).catch(() => undefined)));
  return Math.max(0, ...times.map((found) => found?.mtimeMs ?? 0));
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let sum = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += await bytesIn(path);
    else sum += (await stat(path).catch(() => undefined))?.size ?? 0;
  }
  return sum;
}
