import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { errorKey } from "../../src/mcp/result.ts";
import { removeFolder } from "./remove-folder.ts";

export const mainFile = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export interface Answer {
  readonly isError: boolean;
  readonly data: Record<string, unknown>;
  readonly images: readonly Buffer[];
  /** What a model reads, without the marks around it. */
  readonly text: string;
}

export interface Handsight extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  readonly runsDir: string;
  /** Calls a tool as an MCP client does; returns any result. */
  readonly ask: (tool: string, args?: unknown, signal?: AbortSignal) => Promise<Answer>;
  /** Calls a tool and returns its data; throws the content of the error if it fails. */
  readonly call: (tool: string, args?: unknown) => Promise<Record<string, unknown>>;
}

export function toAnswer(result: CallToolResult): Answer {
  const images = result.content.flatMap((part) => (part.type === "image" ? [Buffer.from(part.data, "base64")] : []));
  const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return {
    isError: result.isError === true,
    data: dataOf(result),
    images,
    text: withoutMarks(texts.join("\n")),
  };
}

/** The structured content; of an error, what a program gets instead. */
export const dataOf = ({ structuredContent, _meta: meta }: Pick<CallToolResult, "structuredContent" | "_meta">) =>
  (structuredContent ?? meta?.[errorKey] ?? {}) as Record<string, unknown>;

export const withoutMarks = (text: string): string =>
  text.replace(/^<screen-(?:data|content) [0-9a-f]+> ?/, "").replace(/\s?<\/(?:screen-content )?[0-9a-f]+>$/, "");

/**
 * The product as a client starts it: `handsight mcp` over stdio, on the desktop that the environment names.
 * Screenshots come without their text unless the arguments say `--ocr on`: hundreds of them are taken, and few tests
 * are about it.
 */
export async function startHandsight(
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
  cwd = process.cwd(),
  onStderr?: (text: string) => void,
): Promise<Handsight> {
  const runsDir = await mkdtemp(join(tmpdir(), "handsight-runs-"));
  const browserDir = `${runsDir}-browsers`;
  const folders = ["--runs-dir", runsDir, "--browser-dir", browserDir];
  const started = await connectHandsight(
    {
      command: process.execPath,
      args: [mainFile, "mcp", "--policy", "allow", ...folders, "--ocr", "off", ...args],
      env,
      cwd,
    },
    runsDir,
    onStderr,
  );
  return {
    ...started,
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await removeFolder(browserDir);
    },
  };
}

export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Starts a server by its command line and connects a client to its standard input and output. */
export async function connectHandsight(
  { env, ...server }: ServerCommand,
  runsDir: string,
  onStderr?: (text: string) => void,
): Promise<Handsight> {
  const client = new Client({ name: "test-client", version: "1.0.0" });
  const transport = new StdioClientTransport({
    ...server,
    env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    stderr: onStderr ? "pipe" : "inherit",
  });
  transport.stderr?.on("data", (chunk: Buffer) => onStderr?.(chunk.toString("utf8")));
  await client.connect(transport);
  const ask: Handsight["ask"] = async (tool, args = {}, signal) => {
    const params = { name: tool, arguments: args as Record<string, unknown> };
    const result = await client.callTool(params, signal ? { signal } : {});
    return toAnswer(result);
  };
  return {
    client,
    pid: transport.pid ?? 0,
    runsDir,
    ask,
    async call(tool, args) {
      const { isError, data } = await ask(tool, args);
      if (isError) throw data["error"];
      return data;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await removeFolder(runsDir);
    },
  };
}
