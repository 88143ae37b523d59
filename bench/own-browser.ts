import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser, stop, type Launched } from "../src/platform/cdp/launch.ts";

/** A headless browser with a profile of its own: nobody else's pages are in it, and none of them waits behind another. */
export async function openOwnBrowser(): Promise<AsyncDisposable & Pick<Launched, "endpoint">> {
  const profile = await mkdtemp(join(tmpdir(), "handsight-bench-"));
  const { endpoint, child } = await launchBrowser({
    profile,
    headless: true,
    args: [],
    env: process.env,
    timeoutMs: 60_000,
  });
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      if (child) stop(child);
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
