import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The checkout, seen from the source as from the compiled bench. */
export const checkout = findCheckout(import.meta.dirname);

function findCheckout(folder: string): string {
  return existsSync(join(folder, "package-lock.json")) ? folder : findCheckout(dirname(folder));
}
