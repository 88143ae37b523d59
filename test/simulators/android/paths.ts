import { join } from "node:path";
import { checkout } from "../../support/checkout.ts";

/** Where `scripts/setup/android.mjs` unpacks adb and adbd. */
export const prefix = join(checkout, ".build", "android");
export const adbProgram = join(prefix, "bin", "adb");
export const deviceFolder = join(checkout, "test", "simulators", "android", "device");
