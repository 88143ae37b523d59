import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { compiled, root } from "./paths.ts";

export const revisions = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

export interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number | undefined;
}

export const productEntry = join(root, "dist", "main.js");
export const bareEntry = join(compiled, "bare-server.js");

/** With the short environment the SDK gives servers, as its users' clients do. */
export async function connectStdio(entry: string, args: readonly string[], revision: Revision): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [entry, ...args],
    stderr: "ignore",
  });
  const client = makeClient(revision);
  await client.connect(transport);
  return { client, pid: transport.pid ?? undefined, [Symbol.asyncDispose]: () => client.close() };
}

/** Starts `handsight mcp --http` and connects to it. */
export async function connectHttp(args: readonly string[], revision: Revision): Promise<Connected> {
  const token = "a-token-for-this-bench-run";
  const server = spawn(process.execPath, [productEntry, "mcp", "--http", "0", ...args], {
    env: { ...cleanEnv(), HANDSIGHT_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(server, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    const heard: string[] = [];
    createInterface({ input: server.stderr }).on("line", (line) => {
      heard.push(line);
      const [found] = /http:\S+/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`handsight mcp --http ended: ${heard.at(-1)}`)));
  });
  const client = makeClient(revision);
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return {
    client,
    pid: server.pid,
    async [Symbol.asyncDispose]() {
      await client.close();
      server.kill("SIGTERM");
      await ended;
    },
  };
}

export interface Server {
  /** Throws when the tool answers with an error. */
  readonly ask: (tool: string, args?: Record<string, unknown>) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export interface Answer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly imageBytes: number;
}

/** A server over stdio with an environment of its own. */
export async function startServer(entry: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Server> {
  const client = new Client({ name: "bench", version: "1" });
  const given = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const command = { command: process.execPath, args: [entry, ...args], env: Object.fromEntries(given) };
  await client.connect(new StdioClientTransport({ ...command, stderr: "ignore" }));
  return {
    async ask(tool, arguments_ = {}) {
      const { content, isError, structuredContent } = await client.callTool({ name: tool, arguments: arguments_ });
      const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      if (isError === true) throw new Error(`${tool}: ${text.slice(0, 200)}`);
      return {
        text,
        data: (structuredContent ?? {}) as Record<string, unknown>,
        imageBytes: content.reduce((sum, part) => sum + (part.type === "image" ? part.data.length : 0), 0),
      };
    },
    close: () => client.close(),
  };
}

function makeClient(revision: Revision): Client {
  const mode = revision === "2026-07-28" ? { pin: revision } : "legacy";
  return new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode } });
}

/** Settings of the person who runs the bench must not change what is measured. */
function cleanEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("HANDSIGHT_"));
  return Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
