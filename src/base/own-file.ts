import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { notAFile, tooLarge, withoutWaiting } from "./named-file.ts";

// A list of rules or secrets is a few kilobytes.
const mostBytes = 16 * 1024 * 1024;
const patienceMs = 5_000;
const againMs = 10;

/**
 * The text of a file that the person names on the command line or in the configuration. Links are followed, and the
 * pipe of `<(command)` is read to its end, but nothing blocks forever. Throws Node's error, or a `ToolError`.
 */
export function readOwnFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | withoutWaiting);
  try {
    const found = fstatSync(file);
    if (!found.isFile() && !found.isFIFO()) throw notAFile(path, found);
    const until = performance.now() + patienceMs;
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(65_536);
      const count = found.isFIFO() ? readWhenThere(file, chunk, until) : readSync(file, chunk);
      if (count === 0) return Buffer.concat(chunks, total).toString("utf8");
      total += count;
      if (total > mostBytes) throw tooLarge(path, total, mostBytes);
      chunks.push(chunk.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}

function readWhenThere(file: number, chunk: Buffer, until: number): number {
  for (;;) {
    try {
      return readSync(file, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || performance.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, againMs);
    }
  }
}

/** Writes a file that the person named, replacing its content. Throws Node's error, or a `ToolError`. */
export function writeOwnFile(path: string, bytes: Uint8Array, mode = 0o666): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | withoutWaiting, mode);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw notAFile(path, found);
    ftruncateSync(file);
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
  } finally {
    closeSync(file);
  }
}

/** Appends a line; if a pipe has no room for it, the line is lost. */
export function appendOwnFile(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | withoutWaiting, 0o600);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}
