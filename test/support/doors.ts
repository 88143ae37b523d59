import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { poll } from "../../src/base/async.ts";
import { openSandbox } from "./cli.ts";
import { mainFile, startHandsight, toAnswer, type Answer, type Handsight } from "./handsight.ts";
import { removeFolder } from "./remove-folder.ts";

/** The ways into the product. */
export const doorNames = ["MCP", "HTTP", "CLI"] as const;
export type DoorName = (typeof doorNames)[number];

type Counts = Readonly<Record<DoorName, number>>;

/** "held 9 of 9 (MCP 5 of 5, …)" */
export function heldIn(held: Counts, tried: Counts): string {
  const sum = (counts: Counts): number => counts.MCP + counts.HTTP + counts.CLI;
  const each = doorNames.map((name) => `${name} ${held[name]} of ${tried[name]}`).join(", ");
  return `held ${sum(held)} of ${sum(tried)} (${each})`;
}

export interface Door extends AsyncDisposable {
  readonly ask: Handsight["ask"];
}

/** The same server three times, on the desktop that the environment names, with these options of the command line. */
export const openDoor: Readonly<
  Record<DoorName, (env: NodeJS.ProcessEnv, args: readonly string[]) => Door | Promise<Door>>
> = { MCP: (env, args) => startHandsight(env, ["--tools", "all", ...args]), HTTP: openHttp, CLI: openCommands };

const token = "a-token-for-tests-0123456789";

async function openHttp(env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Door> {
  const sandbox = openSandbox(env);
  const own = ["--policy", "allow", "--tools", "all", "--ocr", "off", "--journal", "off", ...args];
  const child = spawn(process.execPath, [mainFile, "mcp", "--http", "0", ...own], {
    env: { ...env, XDG_STATE_HOME: sandbox.env["XDG_STATE_HOME"], HANDSIGHT_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const url = await poll(async () => /http:\S+\/mcp/.exec(said)?.[0], { timeoutMs: 20_000, everyMs: 20 });
  if (url === undefined) throw new Error(`the server did not start: ${said}`);
  const client = new Client({ name: "test-client", version: "1.0.0" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    ask: async (tool, given = {}, signal) => {
      const params = { name: tool, arguments: given as Record<string, unknown> };
      return toAnswer(await client.callTool(params, signal ? { signal } : {}));
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      await removeFolder(sandbox.folder);
    },
  };
}

/** Each call is a process of its own, which knows nothing of the ones before. */
function openCommands(env: NodeJS.ProcessEnv, args: readonly string[]): Door {
  const sandbox = openSandbox(env);
  const own = ["--json", "--policy", "allow", "--ocr", "off", "--journal", "off", ...args];
  let calls = 0;
  return {
    async ask(tool, given = {}): Promise<Answer> {
      const file = join(sandbox.folder, `${calls++}.png`);
      const picture = /screenshot|ui_capture/.test(tool) ? ["--out", file] : [];
      const { stdout, stderr } = await sandbox.run(["call", tool, JSON.stringify(given), ...own, ...picture]);
      const line = stdout.trimEnd().split("\n").at(-1) ?? "";
      if (!line.startsWith("{")) throw new Error(`no JSON in ${stdout}${stderr}`);
      const data = JSON.parse(line) as Record<string, unknown>;
      const images = existsSync(file) ? [readFileSync(file)] : [];
      rmSync(file, { force: true });
      return { isError: "error" in data, data, images, text: "" };
    },
    async [Symbol.asyncDispose]() {
      await removeFolder(sandbox.folder);
    },
  };
}
