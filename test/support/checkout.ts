import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The root of the checkout, from the source as well as from the compiled bench. */
export const checkout = findCheckout(import.meta.dirname);

function findCheckout(folder: string): string {
  return existsSync(join(folder, "package-lock.json")) ? folder : findCheckout(dirname(folder));
}
