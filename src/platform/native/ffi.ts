import { createRequire } from "node:module";
import type koffi from "koffi";

type Koffi = typeof koffi;
const require = createRequire(import.meta.url);
let loaded: Koffi | undefined | false;

/** koffi, or undefined if it has no build for this machine. Loaded on first use, because it slows down startup. */
export function loadKoffi(): Koffi | undefined {
  if (loaded === undefined) {
    try {
      loaded = require("koffi") as Koffi;
    } catch {
      loaded = false;
    }
  }
  return loaded === false ? undefined : loaded;
}

/** The first of these libraries that loads. */
export function loadLibrary(names: readonly string[]): ReturnType<Koffi["load"]> | undefined {
  const ffi = loadKoffi();
  if (!ffi) return undefined;
  for (const name of names) {
    try {
      return ffi.load(name);
    } catch {
      continue;
    }
  }
  return undefined;
}
