import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { serveHttp } from "../../src/mcp/http.ts";
import { openTestSession } from "../support/session.ts";
import { compileEntries } from "./compile.ts";
import { connect } from "./connect.ts";

const mcporter = fileURLToPath(new URL("../clients/node_modules/mcporter/dist/cli.js", import.meta.url));

/** A client that we did not write and cannot look into. */
describe("mcporter", () => {
  test("lists and calls over stdio", async () => {
    const { stdioEntry } = await compileEntries();
    const server = ["--stdio", `${process.execPath} ${stdioEntry}`, "--name", "handsight"];
    const list = JSON.parse(await run("list", ...server, "--json")) as { tools: { name: string }[] };
    expect(list.tools.map(({ name }) => name)).toEqual(openTestSession().tools.map(({ name }) => name));
    const result = await run("call", ...server, "echo", "text=hello there", "--output", "json");
    expect(JSON.parse(result)).toEqual({ text: "hello there", length: 11 });
  });

  test("lists and calls over HTTP with a token", async () => {
    const http = await serveHttp(openTestSession(), { port: 0 });
    const folder = await mkdtemp(join(tmpdir(), "handsight-mcporter-"));
    try {
      const config = join(folder, "mcporter.json");
      const headers = { Authorization: `Bearer ${http.token}` };
      await writeFile(config, JSON.stringify({ mcpServers: { handsight: { baseUrl: http.url, headers } } }));
      const list = JSON.parse(await run("--config", config, "list", "handsight", "--json")) as { status: string };
      expect(list.status).toBe("ok");
      const result = await run("--config", config, "call", "handsight.echo", "text=hello", "--output", "json");
      expect(JSON.parse(result)).toEqual({ text: "hello", length: 5 });
    } finally {
      await http.close();
      await rm(folder, { recursive: true });
    }
  });
});

interface OldClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<unknown>;
  callTool(call: object): Promise<{ isError?: boolean; content: { text?: string }[] }>;
  close(): Promise<void>;
}

/** Most clients in use are built on the 1.x SDK, which mcporter includes. */
describe("the client of the 1.x SDK", () => {
  test("gets an error of ours as that error, although it checks results against the output schema", async () => {
    const { stdioEntry } = await compileEntries();
    const { Client } = await sdk<{ Client: new (info: object) => OldClient }>("client/index.js");
    const { StdioClientTransport } = await sdk<{ StdioClientTransport: new (server: object) => object }>(
      "client/stdio.js",
    );
    const client = new Client({ name: "old", version: "1" });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [stdioEntry], stderr: "ignore" }));
    try {
      await client.listTools();
      const { isError, content } = await client.callTool({ name: "fail", arguments: { how: "foreseen" } });
      expect(isError).toBe(true);
      expect(content[0]?.text).toMatch(/^not_found: /);
    } finally {
      await client.close();
    }
  });
});

describe("a client that shows its model nothing but structured content, as older versions of Claude Code", () => {
  test.each(["stdio", "http"] as const)("gets pictures and text over %s, and no structure is promised", async (way) => {
    await using connection = await connect(way, "2025-11-25", { name: "claude-code" });
    const { tools } = await connection.client.listTools();
    expect(tools.filter((tool) => tool.outputSchema !== undefined)).toEqual([]);
    const result = await connection.client.callTool({ name: "picture", arguments: {} });
    expect(result.structuredContent).toBeUndefined();
    expect(result.content.map(({ type }) => type).slice(0, 2)).toEqual(["image", "text"]);
  });

  test("its newer versions get both", async () => {
    await using connection = await connect("stdio", "2026-07-28", { name: "claude-code" });
    const result = await connection.client.callTool({ name: "picture", arguments: {} });
    expect(result.structuredContent).toBeDefined();
  });
});

async function sdk<Module>(path: string): Promise<Module> {
  const file = createRequire(mcporter).resolve(`@modelcontextprotocol/sdk/${path}`);
  return (await import(file.replace("/cjs/", "/esm/"))) as Module;
}

async function run(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [mcporter, ...args], { timeout: 30_000 });
  return stdout;
}
