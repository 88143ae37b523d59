// @ts-check
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { privateApt } from "./private-apt.mjs";
import { isOnPath, run, say, SetupError } from "./run.mjs";

const wanted = ["adb", "adbd"];

/** @param {string} root */
const prefixOf = (root) => join(root, ".build", "android");

/**
 * Whether the Android programs of the tests are unpacked and run.
 * @param {string} root
 */
export async function hasAndroid(root) {
  if (process.platform !== "linux") return true;
  const bin = join(prefixOf(root), "bin");
  if (!wanted.every((name) => existsSync(join(bin, name)))) return false;
  // A library they share with the system may have left with some other package.
  return (await run(join(bin, "adb"), ["version"])).ok;
}

/**
 * Unpacks adb and the device's daemon, adbd, below `.build/android`. Nothing is installed: a person's own adb, its version
 * and its running server stay as they are. adbd is in Debian from 13 on and in the backports of 12.
 * @param {string} root
 */
export async function unpackAndroid(root) {
  if (!isOnPath("apt-get") || !isOnPath("dpkg")) {
    throw new SetupError(
      "the Android tests need adb and adbd; they are taken from Debian packages, and there is no apt",
    );
  }
  say("fetching adb and adbd for the Android tests (2 MB)");
  const prefix = prefixOf(root);
  const work = `${prefix}.new`;
  rmSync(work, { recursive: true, force: true });
  const apt = privateApt(work);
  await needed(apt("update"), "apt-get update failed");
  const from = (await apt.policy("adbd")).includes("Candidate: (none)") ? await addBackports(work, apt) : [];
  const download = ["install", "-y", "--download-only", "--reinstall", "--no-install-recommends", ...from, ...wanted];
  await needed(apt(...download), `no ${wanted.join(" and ")} in this system's package sources, nor in its backports`);
  const archives = join(work, "archives");
  for (const name of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
    await needed(run("dpkg", ["-x", join(archives, name), work]), `${name} cannot be unpacked`);
  }
  for (const name of ["apt", "archives"]) rmSync(join(work, name), { recursive: true, force: true });
  mkdirSync(join(work, "bin"));
  for (const name of wanted) {
    const program = filesBelow(work).find((file) => file.endsWith(`/platform-tools/${name}`));
    if (program === undefined) throw new SetupError(`the package ${name} has no program of that name`);
    const file = join(work, "bin", name);
    writeFileSync(file, launcher(prefix, program.slice(work.length)));
    chmodSync(file, 0o755);
  }
  rmSync(prefix, { recursive: true, force: true });
  renameSync(work, prefix);
}

/**
 * Adds the backports of this release, from the same mirror as the release itself.
 * @param {string} work
 * @param {ReturnType<typeof privateApt>} apt
 * @returns {Promise<string[]>} what makes apt take them from there
 */
async function addBackports(work, apt) {
  const release = readFileSync("/etc/os-release", "utf8");
  const codename = /^VERSION_CODENAME=(\S+)/m.exec(release)?.[1];
  const mirror = (await apt.sources())
    .split("\n")
    .map((line) => line.split(" "))
    .find(([, suite, kind]) => suite === codename && kind === "Packages")?.[0];
  if (codename === undefined || mirror === undefined)
    throw new SetupError("adbd is not in this system's package sources, and they do not say where its backports are");
  const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  const trust = existsSync(keys) ? `[signed-by=${keys}] ` : "";
  const suite = `${codename}-backports`;
  appendFileSync(join(work, "apt", "sources", "backports.list"), `deb ${trust}${mirror} ${suite} main\n`);
  await needed(apt("update"), `adbd is not in this system's package sources, and ${suite} cannot be read`);
  return ["-t", suite];
}

/**
 * @param {Promise<{ ok: boolean, output: string }>} work
 * @param {string} otherwise
 */
async function needed(work, otherwise) {
  const { ok, output } = await work;
  if (!ok) throw new SetupError(`the Android tests need ${wanted.join(" and ")}: ${otherwise}:\n${output}`);
}

/**
 * @param {string} prefix
 * @param {string} path of the program below it
 */
function launcher(prefix, path) {
  const libraries = join(prefix, "usr", "lib");
  return `#!/bin/sh
for folder in "${libraries}"/*-linux-*; do export LD_LIBRARY_PATH="$folder/android:$folder"; done
exec "${prefix}${path}" "$@"
`;
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
