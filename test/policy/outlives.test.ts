import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { placeVariable } from "../../src/base/runtime.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { RawServer } from "../support/raw-server.ts";
import { expectDone } from "./attacks/attack.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

const base = mkdtempSync(join(tmpdir(), "handsight-outlives-"));
let desktop: VirtualDesktop;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  env = { ...desktop.env, [placeVariable]: join(base, "place") };
});
afterAll(async () => {
  await desktop?.[Symbol.asyncDispose]();
  removeFolderNow(base);
});

/** A disk of 64 KB; undefined if this user may not mount one. */
function mountSmall(folder: string): string | undefined {
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}

test("a server whose journal fills the disk answers every call, and says so once", async (context) => {
  const runs = mountSmall(join(base, "runs"));
  if (runs === undefined) return context.skip("mounting a small disk takes root");
  const log = join(base, "full.log");
  await using server = await RawServer.start({
    env,
    args: ["--runs-dir", runs, "--log-level", "warn", "--log-file", log],
  });
  for (let call = 0; call < 20; call++)
    expectDone(await server.call("take_screenshot", { mode: "screen", format: "png" }));
  expectDone(await server.call("get_mouse_position"));
  const written = readFileSync(log, "utf8");
  expect(written.match(/the journal continues in memory only/g), written).toHaveLength(1);
  expect(written).not.toContain(" error ");
});

test("an unhandled rejection and an uncaught error do not end a server", async () => {
  const log = join(base, "stray.log");
  const stray =
    'process.on("SIGUSR2",()=>{Promise.reject(new Error("stray-one"));setImmediate(()=>{throw new Error("stray-two")})})';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(stray)}`;
  await using server = await RawServer.start({ env: { ...env, NODE_OPTIONS }, args: ["--log-file", log] });
  process.kill(server.pid, "SIGUSR2");
  // no-call-stops.test.ts looks for these words.
  await expect
    .poll(() => readFileSync(log, "utf8"), { timeout: 10_000 })
    .toMatch(/unhandled rejection[^]*stray-one[^]*uncaught error[^]*stray-two/);
  expectDone(await server.call("get_mouse_position"));
});
