import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serveHttp } from "../../src/mcp/http.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { makeClient, type Era } from "../mcp/connect.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";
import { openFakeSession } from "../support/fake-session.ts";
import { openTestWindow } from "../support/windows.ts";
import { removeFolderNow } from "../support/remove-folder.ts";
import { dataOf } from "../support/handsight.ts";

export interface Reply {
  /** The error code; "ok" when there is none. */
  readonly code: string;
  readonly data: Record<string, unknown>;
}

/** One entrance, with a person behind it who gives these answers in order, or with nobody to ask. */
export interface Front extends AsyncDisposable {
  call(tool: string, args?: Record<string, unknown>): Promise<Reply>;
  /** How many questions were asked so far. */
  asked(): number;
  /** What `handsight log` prints about it. */
  log(): Promise<readonly string[]>;
}

export interface FrontOptions {
  readonly rules?: object;
  readonly say?: readonly ("session" | "tool" | "once" | "deny")[];
}

export const windows = [
  { id: 1, title: "Editor", bounds: { x: 20, y: 20, width: 300, height: 200 } },
  { id: 2, title: "My passwords", bounds: { x: 360, y: 20, width: 200, height: 150 } },
  { id: 3, title: "Online Banking - Browser", bounds: { x: 360, y: 250, width: 200, height: 150 } },
];

const toReply = (data: Record<string, unknown>): Reply => ({
  code: (data["error"] as { code: string } | undefined)?.code ?? "ok",
  data,
});

function places(rules: object) {
  const folder = mkdtempSync(join(tmpdir(), "handsight-front-"));
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify(rules));
  return { folder, file, runs: join(folder, "runs") };
}

async function readLog(runs: string): Promise<readonly string[]> {
  using sandbox = openSandbox();
  const { stdout } = await sandbox.run(["log", "--runs-dir", runs]);
  return stdout.split("\n").filter((line) => line.startsWith("[UI]"));
}

/** A real client over HTTP, a real server, a desktop in memory. */
export async function openMcp(era: Era, { rules = {}, say }: FrontOptions): Promise<Front> {
  const { folder, file, runs } = places(rules);
  const flags = { policy: "ask", tools: "all", rules: file, journal: "on", runsDir: runs };
  const { session } = openFakeSession({ windows }, flags);
  const http = await serveHttp(session, { port: 0 });
  const client = makeClient(era, say ? { capabilities: { elicitation: { form: {} } } } : {});
  let asked = 0;
  if (say) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const answer = say[asked++];
      if (answer === undefined) throw new Error(`asked once too often: ${params.message}`);
      return { action: "accept", content: { answer } };
    });
  }
  const headers = { authorization: `Bearer ${http.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
  return {
    async call(name, args = {}) {
      return toReply(dataOf(await client.callTool({ name, arguments: args })));
    },
    asked: () => asked,
    log: () => readLog(runs),
    async [Symbol.asyncDispose]() {
      await client.close();
      await http.close();
      await session[Symbol.asyncDispose]();
      removeFolderNow(folder);
    },
  };
}

export interface CommandLine extends AsyncDisposable {
  /** Each call is a separate process, on one desktop. */
  open(options: FrontOptions): Promise<Front>;
}

export async function openCommandLine(): Promise<CommandLine> {
  const desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  const c = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
  for (const { title, bounds } of windows) await openTestWindow(c, { ...bounds, title });
  const sandbox = openSandbox(desktop.env);
  return {
    open: async (options) => openCli(sandbox, options),
    async [Symbol.asyncDispose]() {
      sandbox[Symbol.dispose]();
      c.close();
      await desktop[Symbol.asyncDispose]();
    },
  };
}

// A process that makes one call needs only two kinds of yes.
const keys = { session: "s\n", tool: "s\n", once: "y\n", deny: "n\n" } as const;

function openCli(sandbox: Sandbox, { rules = {}, say }: FrontOptions): Front {
  const { folder, file, runs } = places(rules);
  let asked = 0;
  return {
    async call(tool, args = {}) {
      const words = ["call", tool, JSON.stringify(args), "--json", "--rules", file, "--runs-dir", runs];
      const answer = say?.[asked];
      const { stdout, stderr } = await (answer === undefined
        ? sandbox.run([...words, "--ocr", "off"])
        : sandbox.runInTerminal([...words, "--ocr", "off"], keys[answer]));
      if (stdout.includes("[n] no:")) asked++;
      // In a terminal, progress output precedes it on the same line.
      const json = /\{"[^\n]*\}(?=\r?\n?$)/.exec(stdout.trimEnd())?.[0];
      if (json === undefined || /Warning:/.test(stdout + stderr))
        throw new Error(`no plain JSON in ${stdout}${stderr}`);
      return toReply(JSON.parse(json) as Record<string, unknown>);
    },
    asked: () => asked,
    log: () => readLog(runs),
    async [Symbol.asyncDispose]() {
      removeFolderNow(folder);
    },
  };
}
