import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { placeVariable } from "../../src/base/runtime.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { mainFile } from "../support/handsight.ts";
import { RawServer, type RpcAnswer } from "../support/raw-server.ts";
import { hello, post } from "./attacks/http.ts";
import {
  allowAttacks,
  appAttacks,
  hostAttacks,
  prepare,
  ruleFiles,
  switchAttacks,
  type LaunchStage,
  type Row,
} from "./attacks/launches.ts";
import { removeFolderNow } from "../support/remove-folder.ts";
import { errorKey } from "../../src/mcp/result.ts";

const base = mkdtempSync(join(tmpdir(), "handsight-launches-"));
const folder = join(base, "folder");
const marker = join(base, "run");
const heard: string[] = [];
let desktop: VirtualDesktop;
let env: NodeJS.ProcessEnv;
let terminal: ChildProcess;
let listener: Server;
let liar: Server;
let stage: LaunchStage;
const servers = new Map<string, Promise<RawServer>>();
const ruleFile = (name: string): string => join(base, `${name}.json`);

/** With these rules, until the end; started when it is first asked for. */
function server(rules: keyof typeof ruleFiles): Promise<RawServer> {
  const policy = "mode" in ruleFiles[rules] ? ["--policy", "ask"] : [];
  const args = ["--tools", "all", "--rules", ruleFile(rules), ...policy];
  const running = servers.get(rules) ?? RawServer.start({ env, args, cwd: folder });
  servers.set(rules, running);
  return running;
}

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  env = {
    ...desktop.env,
    HOME: join(base, "home"),
    XDG_DATA_HOME: join(base, "home", ".local", "share"),
    XDG_STATE_HOME: join(base, "state"),
    HANDSIGHT_BROWSER_DIR: join(base, "browsers"),
    [placeVariable]: join(base, "place"),
  };
  mkdirSync(folder);
  prepare(folder, join(base, "home", ".local", "share", "applications"));
  for (const [name, rules] of Object.entries(ruleFiles)) writeFileSync(ruleFile(name), JSON.stringify(rules));
  terminal = spawn("xterm", ["-class", "Diary", "-title", "Payroll diary"], { env, stdio: "ignore" });
  listener = createServer((request, response) => {
    heard.push(request.url ?? "");
    response.end("{}");
  }).listen(0, "::");
  await once(listener, "listening");
  liar = createServer((_request, response) => {
    response.end(JSON.stringify({ Browser: "Chrome/1", webSocketDebuggerUrl: "ws://evil.test/devtools/browser/x" }));
  }).listen(0, "127.0.0.1");
  await once(liar, "listening");
  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  stage = { folder, marker, listener: portOf(listener), liar: portOf(liar), terminal: terminal.pid ?? 0 };
  const first = await server("free");
  const shown = await first.call("wait_for", { window_title: "Payroll diary", timeout_ms: 20_000 });
  expect(shown.result?.isError ?? false, JSON.stringify(shown)).toBe(false);
});
afterAll(async () => {
  for (const running of servers.values()) await (await running)[Symbol.asyncDispose]();
  terminal?.kill("SIGKILL");
  for (const each of [listener, liar]) {
    each?.closeAllConnections();
    each?.close();
  }
  await desktop?.[Symbol.asyncDispose]();
  removeFolderNow(base);
  console.log(`what is started is what was decided about: held ${held} of ${tried}`);
});

let tried = 0;
let held = 0;

type Refusal = { readonly code?: string; readonly message?: string };
type Front = (row: Row, args: unknown) => Promise<Refusal>;

const refusalIn = (text: string): Refusal => {
  const json = /\{"error".*\}/s.exec(text)?.[0];
  return json === undefined ? { message: text.slice(0, 500) } : (JSON.parse(json) as { error: Refusal }).error;
};

function refusalOf({ result, error }: RpcAnswer): Refusal {
  const told = result?._meta?.[errorKey] as { readonly error: Refusal } | undefined;
  return told?.error ?? { message: JSON.stringify(error ?? result).slice(0, 500) };
}

const overMcp: Front = async ({ rules, tool }, args) => refusalOf(await (await server(rules)).call(tool, args));

const onTheCommandLine: Front = async ({ rules, tool }, args) => {
  const policy = "mode" in ruleFiles[rules] ? "ask" : "allow";
  const words = ["call", tool, JSON.stringify(args), "--json", "--policy", policy, "--rules", ruleFile(rules)];
  const own = [...words, "--runs-dir", join(base, "runs"), "--ocr", "off"];
  const child = spawn(process.execPath, [mainFile, ...own], { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  await once(child, "close");
  return refusalIn(said);
};

/** One test for each attack: it is refused for the reason it should be, nothing was run, and nobody was asked anything. */
function attack(rows: readonly Row[], front: Front): void {
  const shown = { folder: "FOLDER", marker: "MARKER", listener: 1, liar: 3, terminal: 2 };
  const named = rows.map((row, index) => {
    const args = typeof row.args === "function" ? row.args(shown) : row.args;
    return [`${index + 1}. ${row.rules}: ${row.tool} ${JSON.stringify(args).slice(0, 120)}`, row] as const;
  });
  test.each(named)("%s", { retry: 0 }, async (_name, row) => {
    tried++;
    const before = heard.length;
    rmSync(marker, { force: true });
    const refusal = await front(row, typeof row.args === "function" ? row.args(stage) : row.args);
    expect(refusal, JSON.stringify(refusal)).toMatchObject({ code: row.code ?? "denied" });
    if (row.says) expect(refusal.message).toMatch(row.says);
    expect(existsSync(marker), "a command was run").toBe(false);
    expect(heard.slice(before), "something was sent").toEqual([]);
    held++;
  });
}

const every = [...appAttacks, ...allowAttacks, ...switchAttacks, ...hostAttacks];

describe("over MCP:", () => {
  attack(every, overMcp);
});

// Each takes a process of its own.
const some = (rows: readonly Row[], step: number): readonly Row[] => rows.filter((_row, index) => index % step === 1);
describe("on the command line:", () => {
  attack(some(every, 20), onTheCommandLine);
});

describe("over HTTP:", () => {
  const token = "a-token-for-tests-0123456789";
  let child: ChildProcess;
  let port = 0;
  beforeAll(async () => {
    const args = ["mcp", "--http", "0", "--policy", "allow", "--tools", "all", "--rules", ruleFile("noXterm")];
    child = spawn(process.execPath, [mainFile, ...args], {
      env: { ...env, HANDSIGHT_TOKEN: token },
      cwd: folder,
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
    some(appAttacks, 6).filter(({ rules }) => rules === "noXterm"),
    async ({ tool }, args) => {
      const { session = "" } = await post({ port, token }, hello);
      const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: tool, arguments: args } };
      const { text } = await post({ port, token }, JSON.stringify(call), { "mcp-session-id": session });
      return refusalOf(JSON.parse(/\{"(?:jsonrpc|result|id)".*\}/s.exec(text)?.[0] ?? "{}") as RpcAnswer);
    },
  );
});

describe("what is harmless still works:", () => {
  test("an app that a rule allows starts without a question, and no other name of it is needed", async () => {
    const { result } = await (await server("some")).call("launch_app", { app_name: "mousepad", timeout_ms: 0 });
    expect(result?.isError ?? false, JSON.stringify(result)).toBe(false);
  });

  test("a browser starts, by name, path or link, with the switches of the list where nobody may run code", async () => {
    const running = await server("noCode");
    const args = ["--window-size=800,600", "--lang=de", "--mute-audio", "--incognito", "--app=http://127.0.0.1:9/"];
    const { result } = await running.call("cdp_launch", { executable: "/usr/bin/chromium", headless: true, args });
    expect(result?.isError ?? false, JSON.stringify(result)).toBe(false);
    await running.call("cdp_close");
  });

  test("a host in any spelling is connected to", async () => {
    for (const host of ["127.0.0.1", "LOCALHOST", "::1", "[::1]", "2130706433", "localhost."]) {
      const answer = await (await server("free")).call("cdp_connect", { host, port: stage.listener });
      expect(refusalOf(answer)).toMatchObject({
        code: "not_connected",
        message: expect.stringContaining("names no DevTools socket") as string,
      });
      expect(heard.splice(0)).toEqual(["/json/version"]);
    }
  });
});
