// @ts-check
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, SetupError } from "./run.mjs";

/** The module that carries the compiled kernel, so that the sources run without a build and the package without files of its own. */
export const kernelModule = "src/vision/find-image/kernel-bytes.ts";

// The memory is the caller's, shared by all workers; 1 GiB at most.
const options =
  "-O3 --converge --noAssert --runtime stub --use abort= --enable simd --enable threads --importMemory --sharedMemory --initialMemory 1 --maximumMemory 16384".split(
    " ",
  );

/**
 * Compiles assembly/ and gives the text of the module with its bytes.
 * @param {string} root
 */
export async function compileKernel(root) {
  mkdirSync(join(root, ".build"), { recursive: true });
  const folder = mkdtempSync(join(root, ".build", "kernel-"));
  try {
    const wasm = join(folder, "kernel.wasm");
    const asc = join(root, "node_modules", "assemblyscript", "bin", "asc.js");
    const args = [asc, join("assembly", "kernel.ts"), "--outFile", wasm, ...options];
    const done = await run(process.execPath, args, { cwd: root });
    if (!done.ok) throw new SetupError(`asc failed:\n${done.output}`);
    return moduleOf(readFileSync(wasm));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Brings the committed module up to date; leaves it alone when it is.
 * @param {string} root
 */
export async function buildKernel(root) {
  const text = await compileKernel(root);
  const file = join(root, kernelModule);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
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
  await buildKernel(fileURLToPath(new URL("../..", import.meta.url)));
