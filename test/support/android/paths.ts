import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout, from here or from the compiled copy of this file below `.build`. */
function findRoot(folder: string): string {
  return existsSync(join(folder, "package-lock.json")) && existsSync(join(folder, "vitest.config.ts"))
    ? folder
    : findRoot(dirname(folder));
}

const root = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Where `scripts/setup/android.mjs` unpacks adb and adbd. */
export const prefix = join(root, ".build", "android");
export const adbProgram = join(prefix, "bin", "adb");
export const deviceFolder = join(root, "test", "support", "android", "device");
