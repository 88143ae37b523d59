import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { placeVariable } from "../../src/base/runtime.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { mainFile } from "../support/handsight.ts";
import { residentMb } from "../support/memory.ts";
import { RawServer } from "../support/raw-server.ts";
import { expectDone, type Attack } from "./attacks/attack.ts";
import { cliAttacks } from "./attacks/cli.ts";
import { everyEvent } from "./attacks/lies.ts";
import { fileAttacks } from "./attacks/files.ts";
import { hello, httpAttacks, post } from "./attacks/http.ts";
import { messageAttacks } from "./attacks/messages.ts";
import { adbAttacks, browserAttacks, HostileAdb, slowAttacks } from "./attacks/peers.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

const base = mkdtempSync(join(tmpdir(), "handsight-attacks-"));
const outside = mkdtempSync("/var/tmp/handsight-attacks-");
const adb = new HostileAdb();
let desktop: VirtualDesktop;
let env: NodeJS.ProcessEnv;
let folders = 0;

/** A folder for one attack. */
function newFolder(parent = base): string {
  const made = join(parent, `attack-${++folders}`);
  mkdirSync(made);
  return made;
}

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  env = {
    ...desktop.env,
    [placeVariable]: join(base, "place"),
    HANDSIGHT_BROWSER_DIR: join(base, "browsers"),
    XDG_STATE_HOME: join(base, "state"),
    ANDROID_ADB_SERVER_PORT: String(await adb.listen()),
  };
});
afterAll(async () => {
  await adb[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  for (const folder of [base, outside]) removeFolderNow(folder);
  console.log(`no call stops the server: held ${held} of ${tried}`);
});

let tried = 0;
let held = 0;

/** One test per attack; afterwards the attacked server must answer as if nothing had happened. */
function attack<Stage>(attacks: readonly Attack<Stage>[], stage: () => Stage, isFine: () => Promise<void>): void {
  const rows = attacks.map(({ name, run }) => [name, run] as const);
  test.each(rows)("%s", { retry: 0 }, async (_name, run) => {
    tried++;
    await run(stage());
    await isFine();
    held++;
  });
}

describe("over stdio:", () => {
  let server: RawServer;
  let before: ReturnType<RawServer["handles"]>;
  beforeAll(async () => {
    server = await RawServer.start({ env, args: ["--tools", "all"] });
    for (const tool of ["get_mouse_position", "take_screenshot", "move_mouse"]) {
      await server.call(tool, tool === "move_mouse" ? { x: 1, y: 1 } : { mode: "screen" });
    }
    before = server.handles();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  const isFine = async (): Promise<void> => void expectDone(await server.call("get_mouse_position"));

  attack(fileAttacks, () => ({ server, folder: newFolder(), outside: newFolder(outside) }), isFine);
  attack(messageAttacks, () => ({ server }), isFine);
  attack(browserAttacks, () => ({ server, adb }), isFine);
  attack(adbAttacks, () => ({ server, adb }), isFine);

  test("after all of them nothing is left behind, and it works as before", async () => {
    expectDone(await server.call("take_screenshot", { mode: "screen" }));
    await expect.poll(() => server.handles().files, { timeout: 10_000 }).toBeLessThanOrEqual(before.files + 10);
    expect(server.handles().children).toBeLessThanOrEqual(before.children + 1);
    expect(await residentMb(server.pid)).toBeLessThan(1_000);
  });
});

describe("a server whose log is read:", () => {
  let server: RawServer;
  beforeAll(async () => {
    server = await RawServer.start({ env, args: ["--tools", "all"], stderr: "kept" });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  // The server survives what nobody catches, but that is no reason to let it come so far.
  const isFine = async (): Promise<void> => expect(server.said).not.toContain("uncaught error");
  attack([everyEvent], () => ({ server }), isFine);
});

describe("a client that does not listen:", () => {
  const chatter = ["--log-level", "debug", "--tools", "all"];
  attack(
    (["unread", "closed"] as const).map((stderr) => ({
      name: `stderr is ${stderr} while 3 000 calls fail`,
      async run() {
        await using server = await RawServer.start({ env, args: chatter, stderr });
        const calls = Array.from({ length: 3_000 }, () => server.call("load_image", { path: "/nowhere" }));
        expect(await Promise.all(calls)).toHaveLength(3_000);
        expectDone(await server.call("get_mouse_position"));
      },
    })),
    () => undefined,
    async () => {},
  );
});

test("pages that are photographed and closed leave nothing behind", async () => {
  await using server = await RawServer.start({ env });
  expectDone(await server.call("cdp_launch", { headless: true, args: ["--window-size=3000,2400"] }));
  const visit = async (count: number): Promise<number> => {
    for (let at = 0; at < count; at++) {
      const { surface } = expectDone(await server.call("cdp_new_page", { url: "about:blank" }));
      expectDone(await server.call("take_screenshot", { surface, mode: "screen" }));
      expectDone(await server.call("cdp_close_page", { page_idx: 1 }));
    }
    return residentMb(server.pid);
  };
  const early = await visit(3);
  // 20 MB each, if none is forgotten.
  expect(await visit(12)).toBeLessThan(early + 160);
});

describe("over HTTP:", () => {
  const token = "a-token-for-tests-0123456789";
  let child: ChildProcess;
  let port = 0;
  beforeAll(async () => {
    child = spawn(process.execPath, [mainFile, "mcp", "--http", "0", "--policy", "allow", "--ocr", "off"], {
      env: { ...env, HANDSIGHT_TOKEN: token },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
    const address = async () => /:(\d+)\/mcp/.exec(said)?.[1];
    port = Number(await poll(address, { timeoutMs: 20_000, everyMs: 20 }));
  });
  afterAll(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  attack(
    httpAttacks,
    () => ({ port, token }),
    async () => expect((await post({ port, token }, hello)).status).toBe(200),
  );

  test("after all of them it is the same process, with room in memory", async () => {
    expect(child.exitCode).toBe(null);
    expect(await residentMb(child.pid ?? 0)).toBeLessThan(600);
  });
});

describe.concurrent("on the command line, and beside it what only waits:", () => {
  let server: RawServer;
  const slowAdb = new HostileAdb();
  beforeAll(async () => {
    const port = String(await slowAdb.listen());
    server = await RawServer.start({ env: { ...env, ANDROID_ADB_SERVER_PORT: port } });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await slowAdb[Symbol.asyncDispose]();
  });
  attack(
    slowAttacks,
    () => ({ server, adb: slowAdb }),
    async () => void expectDone(await server.call("get_mouse_position")),
  );
  attack(
    cliAttacks,
    () => ({ env, folder: newFolder() }),
    async () => {},
  );
});
