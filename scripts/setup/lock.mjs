// @ts-check
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./run.mjs";

const heartbeatMs = 1000;
// Long enough for a machine that is busy installing packages to miss some beats.
const silentMs = 20_000;

/**
 * Runs `work` while no other set-up of this checkout runs.
 * @template Result
 * @param {string} path
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${process.pid} ${hostname()}`;
  let told = false;
  while (!take(path, mine)) {
    const holder = read(path);
    if (holder !== undefined && isStale(holder, ageOf(path))) {
      discard(path, holder);
      continue;
    }
    if (!told) say("waiting for another set-up of this checkout");
    told = true;
    await sleep(100);
  }
  const heart = setInterval(() => touch(path, mine), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heart);
    if (read(path) === mine) rmSync(path, { force: true });
  }
}

/**
 * A lock is stale when its process is gone, or silent: a process number means nothing on another machine or in another
 * container, and may by now belong to some other program.
 * @param {string} holder
 * @param {number} ageMs since the last sign of life
 */
export function isStale(holder, ageMs) {
  if (ageMs > silentMs) return true;
  const [pid, host] = holder.trim().split(" ");
  if (host !== hostname()) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "ESRCH";
  }
}

/**
 * @param {string} path
 * @param {string} mine
 */
function take(path, mine) {
  try {
    writeFileSync(path, mine, { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * @param {string} path
 * @param {string} mine
 */
function touch(path, mine) {
  if (read(path) === mine) utimesSync(path, new Date(), new Date());
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** @param {string} path */
function ageOf(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

/**
 * Moves the lock away before deleting it: between reading and deleting, another process may have replaced the stale
 * lock with its own, which is then put back.
 * @param {string} path
 * @param {string} holder
 */
function discard(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (read(aside) !== holder) linkSync(aside, path);
  } catch {
    // Somebody else was faster.
  }
  rmSync(aside, { force: true });
}
