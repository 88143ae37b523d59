import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../paths.ts";

/** Loads a peer from bench/peers, the only folder that has it. */
export const loadPeer: (name: string) => unknown = createRequire(join(root, "bench", "peers", "package.json"));
