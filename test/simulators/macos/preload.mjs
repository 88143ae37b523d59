// @ts-nocheck Replaces functions of other modules.
// Makes node believe that it runs on the simulated Mac: loaded before the product with `--import`, in it and in every process
// it starts. The product itself is unchanged.
import childProcess from "node:child_process";
import { createRequire, syncBuiltinESMExports } from "node:module";
// It chooses its own library by the platform, which is still the real one here.
import "sharp";

const koffi = createRequire(import.meta.url)("koffi");

const library = process.env["HANDSIGHT_SIMULATED_FRAMEWORKS"] ?? "";
const screencapture = process.env["HANDSIGHT_SIMULATED_SCREENCAPTURE"] ?? "";
const isApple = (path) =>
  typeof path === "string" && (path.startsWith("/System/Library/") || path.startsWith("/usr/lib/libobjc"));

const { load } = koffi;
koffi.load = (path, ...rest) => load(isApple(path) ? library : path, ...rest);

const { execFile } = childProcess;
const simulated = (file, ...rest) => execFile(file === "/usr/sbin/screencapture" ? screencapture : file, ...rest);
// promisify(execFile) resolves with stdout and stderr only through the symbol it carries.
for (const key of Object.getOwnPropertySymbols(execFile)) {
  simulated[key] = (file, ...rest) => execFile[key](file === "/usr/sbin/screencapture" ? screencapture : file, ...rest);
}
childProcess.execFile = simulated;
syncBuiltinESMExports();

Object.defineProperty(process, "platform", { value: "darwin" });
