import { execFile } from "node:child_process";
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { removeFolder } from "./remove-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface CompiledSources extends AsyncDisposable {
  /** The URL of a compiled module, given its path below src/ without the extension. */
  url(module: string): string;
}

/** Compiles src/ into a separate folder, for tests that need a second process running our code. */
export async function compileSources(): Promise<CompiledSources> {
  // Below node_modules so that dependencies resolve as they do from dist/.
  const cache = join(root, "node_modules", ".cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "handsight-test-"));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const args = [
    tsc,
    "-p",
    join(root, "tsconfig.build.json"),
    "--outDir",
    folder,
    "--noCheck",
    "--declaration",
    "false",
    "--sourceMap",
    "false",
  ];
  await new Promise<void>((resolve) => {
    // Another test checks types; without that this takes a second.
    execFile(process.execPath, args, () => resolve());
  });
  return {
    url: (module) => pathToFileURL(join(folder, `${module}.js`)).href,
    [Symbol.asyncDispose]: () => removeFolder(folder),
  };
}
