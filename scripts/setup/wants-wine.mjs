// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Whether a test run with these arguments runs a test that needs Wine. vitest runs the files whose path contains one of them.
 * @param {string} checkout
 * @param {readonly string[]} args
 */
export function wantsWine(checkout, args) {
  const filters = args.filter((arg) => !arg.startsWith("-"));
  const isRun = (/** @type {string} */ path) =>
    filters.length === 0 || filters.some((filter) => `test/${path}`.includes(filter));
  return readdirSync(join(checkout, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts") && isRun(path))
    .some((path) => readFileSync(join(checkout, "test", path), "utf8").includes("/support/wine.ts"));
}
