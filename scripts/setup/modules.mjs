// @ts-check
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run, say, SetupError } from "./run.mjs";

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Locked */
/** @typedef {{ packages?: Record<string, Locked> }} Lockfile */

/**
 * Whether npm's own record of what it installed says what the lock file asks for. npm writes the record last, so an
 * interrupted install has none, and one made by hand with `npm install` counts.
 * @param {string} folder
 */
export function hasModules(folder) {
  const wanted = readLock(join(folder, "package-lock.json"));
  const installed = readLock(join(folder, "node_modules", ".package-lock.json"));
  return wanted !== undefined && installed !== undefined && isInstalled(wanted, installed);
}

/**
 * @param {Lockfile} wanted
 * @param {Lockfile} installed
 */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted.packages ?? {}).every(([path, locked]) => {
    if (path === "") return true;
    const found = installed.packages?.[path];
    // Optional packages for other platforms are never installed.
    if (found === undefined) return locked.optional === true && !isForThisMachine(locked);
    return found.version === locked.version && found.integrity === locked.integrity;
  });
}

/**
 * Whether a package is made for this platform and no other. One that names a C library may be for the other one.
 * @param {Locked} locked
 */
function isForThisMachine({ os = [], cpu = [], libc }) {
  return os.includes(process.platform) && cpu.includes(process.arch) && libc === undefined;
}

/**
 * @param {string} root
 * @param {string} folder
 */
export async function installModules(root, folder) {
  const name = relative(root, folder) || ".";
  say(`installing node modules${name === "." ? "" : ` of ${name}`} (npm ci)`);
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund"];
  let done = await npm(folder, ["ci", ...flags]);
  if (done.output.includes("EUSAGE")) {
    // A lock file written against a mirror without some platform's optional package is refused by `npm ci`; the
    // versions it does name are still the ones installed here.
    say("npm ci refuses the lock file; installing from it with npm install");
    done = await npm(folder, ["install", "--no-save", ...flags]);
  }
  if (!done.ok) throw new SetupError(`npm failed in ${name}:\n${done.output}`);
}

/**
 * @param {string} folder
 * @param {readonly string[]} args
 */
export function npm(folder, args) {
  // On Windows npm is a .cmd file, which cannot be spawned; its script can, and npm names it to what it starts.
  const script = process.env["npm_execpath"];
  return script?.endsWith("js")
    ? run(process.execPath, [script, ...args], { cwd: folder })
    : run("npm", args, { cwd: folder });
}

/**
 * @param {string} path
 * @returns {Lockfile | undefined}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
