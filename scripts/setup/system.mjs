// @ts-check
import { readdirSync } from "node:fs";
import { systemPackages } from "./packages.mjs";
import { isOnPath, run, say, SetupError } from "./run.mjs";

/** @typedef {import("./packages.mjs").Group} Group */
/** @typedef {import("./packages.mjs").SystemPackage} SystemPackage */

const lists = "/var/lib/apt/lists";
// Another apt or an unattended upgrade may hold the lock for minutes on a fresh machine.
const aptOptions = ["-o", "DPkg::Lock::Timeout=300", "-qq"];

/**
 * @param {readonly Group[]} groups
 * @returns {Promise<readonly SystemPackage[]>} what is not there yet; on Linux without apt, what has no program on PATH
 */
export async function missingSystemPackages(groups) {
  const wanted = groups.flatMap((group) => systemPackages[group]);
  if (process.platform !== "linux" || wanted.length === 0) return [];
  if (!hasApt()) return wanted.filter(({ program }) => program !== undefined && !isOnPath(program));
  const names = wanted.flatMap(alternatives);
  const { output } = await run("dpkg-query", ["-W", "-f", "${Package} ${db:Status-Abbrev}\\n", ...names]);
  return notInstalled(wanted, output);
}

/**
 * @param {readonly SystemPackage[]} wanted
 * @param {string} dpkgLines lines such as "xvfb ii"
 */
export function notInstalled(wanted, dpkgLines) {
  const installed = new Set([...dpkgLines.matchAll(/^(\S+) ii\s*$/gm)].map(([, name]) => name));
  return wanted.filter((one) => !alternatives(one).some((name) => installed.has(name)));
}

/** @param {readonly SystemPackage[]} missing */
export async function installSystemPackages(missing) {
  if (missing.length === 0) return;
  if (!hasApt()) throw new SetupError(`these programs are needed and not on PATH:\n${listed(missing, "program")}`);
  const prefix = await rootPrefix();
  const names = await Promise.all(missing.map(choose));
  if (prefix === undefined) {
    const command = `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names.join(" ")}`;
    throw new SetupError(`system packages are missing and this user may not install them. Run:\n  ${command}`);
  }
  say(`installing ${missing.length} system package${missing.length === 1 ? "" : "s"}; the first time takes a minute`);
  process.stderr.write(`${listed(missing, "name")}\n`);
  const apt = (/** @type {string[]} */ ...args) => {
    const [program, ...rest] = [...prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...aptOptions, ...args];
    return run(/** @type {string} */ (program), rest);
  };
  const install = async () =>
    apt("install", "-y", "--no-install-recommends", ...(await Promise.all(missing.map(choose))));
  let done = hasPackageLists() ? await install() : { ok: false, output: "" };
  if (!done.ok) {
    // No lists yet, or lists that name versions the mirror no longer has.
    const update = await apt("update");
    done = await install();
    if (!done.ok)
      throw new SetupError(`apt-get could not install them:\n${update.ok ? "" : update.output}${done.output}`);
  }
}

/** @returns {Promise<readonly string[] | undefined>} what to put before a command that needs root */
async function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  if (isOnPath("sudo") && (await run("sudo", ["-n", "true"])).ok) return ["sudo", "-n"];
  return undefined;
}

/** @param {SystemPackage} wanted */
async function choose(wanted) {
  const names = alternatives(wanted);
  const [first = wanted.name] = names;
  if (names.length === 1) return first;
  for (const name of names) if ((await run("apt-cache", ["show", "--no-all-versions", name])).ok) return name;
  return first;
}

/** @param {SystemPackage} wanted */
const alternatives = ({ name }) => name.split("|");

const hasApt = () => isOnPath("apt-get") && isOnPath("dpkg-query");

function hasPackageLists() {
  try {
    return readdirSync(lists).some((name) => name.includes("_Packages"));
  } catch {
    return false;
  }
}

/**
 * @param {readonly SystemPackage[]} packages
 * @param {"name" | "program"} field
 */
function listed(packages, field) {
  return packages.map((one) => `  ${(one[field] ?? one.name).split("|")[0]?.padEnd(24)} ${one.why}`).join("\n");
}
