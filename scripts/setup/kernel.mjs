// @ts-check
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, SetupError } from "./run.mjs";

const common = "-O3 --converge --noAssert --runtime stub --use abort= --enable simd --importMemory --initialMemory 1";

/**
 * The modules that carry the compiled kernels, so that the sources run without a build and the package without files of
 * its own.
 * @typedef {{ source: string, module: string, options: string }} Kernel
 * @type {readonly Kernel[]}
 */
export const kernels = [
  {
    source: "assembly/kernel.ts",
    module: "src/vision/find-image/kernel-bytes.ts",
    // The memory is shared by all workers; 1 GiB at most.
    options: `${common} --enable threads --sharedMemory --maximumMemory 16384`,
  },
  { source: "assembly/pixels.ts", module: "src/vision/pixels-bytes.ts", options: common },
];

/**
 * Compiles one and gives the text of the module with its bytes.
 * @param {string} root
 * @param {Kernel} kernel
 */
export async function compileKernel(root, { source, options }) {
  mkdirSync(join(root, ".build"), { recursive: true });
  const folder = mkdtempSync(join(root, ".build", "kernel-"));
  try {
    const wasm = join(folder, "kernel.wasm");
    const asc = join(root, "node_modules", "assemblyscript", "bin", "asc.js");
    const args = [asc, source, "--outFile", wasm, ...options.split(" ")];
    const done = await run(process.execPath, args, { cwd: root });
    if (!done.ok) throw new SetupError(`asc failed:\n${done.output}`);
    return moduleOf(readFileSync(wasm));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Brings the committed modules up to date; leaves alone what is. Compiling takes seconds, so it is skipped while neither the
 * sources nor what was made of them have changed.
 * @param {string} root
 */
export async function buildKernels(root) {
  for (const kernel of kernels) {
    const file = join(root, kernel.module);
    const stamp = join(root, ".build", `${basename(kernel.source)}.stamp`);
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint(root, kernel)) continue;
    const text = await compileKernel(root, kernel);
    if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
    writeFileSync(stamp, fingerprint(root, kernel));
  }
}

/**
 * @param {string} root
 * @param {Kernel} kernel
 */
function fingerprint(root, { module, options }) {
  const folder = join(root, "assembly");
  const sources = readdirSync(folder).sort();
  const compiler = join(root, "node_modules", "assemblyscript", "package.json");
  const hash = createHash("sha256").update(options);
  for (const file of [...sources.map((name) => join(folder, name)), compiler, join(root, module)]) {
    hash.update(existsSync(file) ? readFileSync(file) : "");
  }
  return hash.digest("hex");
}

/** @param {Buffer} bytes */
function moduleOf(bytes) {
  const lines = bytes.toString("base64").match(/.{1,112}/g) ?? [];
  return [
    "/** assembly/ compiled by scripts/setup/kernel.mjs: `npm run build` writes it, in base64. */",
    "export const kernelBytes =",
    `${lines.map((line) => `  "${line}"`).join(" +\n")};`,
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildKernels(fileURLToPath(new URL("../..", import.meta.url)));
