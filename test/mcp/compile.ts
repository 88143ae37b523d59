import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

const folder = join(root, ".build", `entries-${process.pid}-${randomBytes(3).toString("hex")}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let compiled: Promise<{ readonly stdioEntry: string }> | undefined;

/**
 * Node 20 cannot run TypeScript, so what a test spawns is compiled first: once per test file, into its own folder.
 */
export function compileEntries(): Promise<{ readonly stdioEntry: string }> {
  return (compiled ??= compile());
}

async function compile(): Promise<{ readonly stdioEntry: string }> {
  mkdirSync(folder, { recursive: true });
  await promisify(execFile)(process.execPath, [tsc, "-p", join(root, "test/mcp"), "--noCheck", "--outDir", folder]);
  return { stdioEntry: join(folder, "test/mcp/stdio-entry.js") };
}
