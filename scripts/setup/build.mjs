// @ts-check
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { buildKernels } from "./kernel.mjs";
import { run, say, SetupError } from "./run.mjs";

const outputs = /\.(js|d\.ts)$/;

/** @param {string} root */
const stampOf = (root) => join(root, ".build", "sources.stamp");

/** @param {string} root */
export function isBuilt(root) {
  return (
    existsSync(join(root, "dist")) &&
    existsSync(stampOf(root)) &&
    readFileSync(stampOf(root), "utf8") === fingerprint(root)
  );
}

/**
 * Both programs check the same sources, so the second's errors repeat the first's.
 * @param {string} root
 */
export async function build(root) {
  say("building");
  await buildKernels(root);
  const before = fingerprint(root);
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const [product, tools] = await Promise.all(
    ["tsconfig.build.json", "tsconfig.tools.json"].map((config) =>
      run(process.execPath, [tsc, "-p", config], { cwd: root }),
    ),
  );
  const failed = [product, tools].find((done) => done?.ok === false);
  if (failed) throw new SetupError(`tsc failed:\n${failed.output}`);
  removeOrphans(join(root, "dist"), join(root, "src"));
  removeOrphans(join(root, ".build", "src"), join(root, "src"));
  // What is said about the tools is worked out now, so that saying it need not load them.
  const prepared = await run(process.execPath, [join(root, "dist", "cli", "prepare.js")], { cwd: root });
  if (!prepared.ok) throw new SetupError(`preparing help failed:\n${prepared.output}`);
  mkdirSync(join(root, ".build"), { recursive: true });
  writeFileSync(stampOf(root), before);
}

/**
 * Makes `npx handsight` and `node_modules/.bin/handsight` run this checkout.
 * @param {string} root
 */
export function linkBin(root) {
  const main = join(root, "dist", "main.js");
  if (!existsSync(main)) return;
  if (process.platform === "win32") {
    const shim = join(root, "node_modules", ".bin", "handsight.cmd");
    if (!existsSync(shim)) writeFileSync(shim, '@node "%~dp0\\..\\..\\dist\\main.js" %*\r\n');
    return;
  }
  if ((statSync(main).mode & 0o111) !== 0o111) chmodSync(main, 0o755);
  const link = join(root, "node_modules", ".bin", "handsight");
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) symlinkSync("../../dist/main.js", link);
}

/**
 * Names, sizes and times of everything the build reads: also notices a file that was deleted or is older than before.
 * @param {string} root
 */
function fingerprint(root) {
  const hash = createHash("sha256").update(process.version);
  const files = [
    ...readdirSync(root).filter((name) => /^(tsconfig.*|package-lock)\.json$/.test(name)),
    ...["src", "scripts", "bench", "assembly", "test/conformance", "test/support", "test/simulators/android"].flatMap(
      (folder) => filesBelow(root, folder),
    ),
  ];
  for (const file of files.sort()) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex");
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesBelow(root, path);
    return entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts") ? [path] : [];
  });
}

/**
 * Deletes compiled files whose source is gone, and maps to sources that are not packed; they would be packed, and imported
 * by mistake.
 * @param {string} compiled
 * @param {string} sources
 */
export function removeOrphans(compiled, sources) {
  if (!existsSync(compiled)) return;
  for (const entry of readdirSync(compiled, { withFileTypes: true })) {
    const path = join(compiled, entry.name);
    if (entry.isDirectory()) removeOrphans(path, join(sources, entry.name));
    else if (entry.name.endsWith(".js.map")) rmSync(path);
    else if (outputs.test(entry.name) && !existsSync(join(sources, entry.name.replace(outputs, ".ts")))) rmSync(path);
  }
}
