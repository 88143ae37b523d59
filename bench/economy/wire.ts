import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { now } from "../measure.ts";
import { tokensOfPicture } from "./picture-tokens.ts";

/** What a job has cost so far, in characters where it is text. */
export interface Bill {
  calls: number;
  /** What the model reads: text blocks. */
  read: number;
  /** What the model writes: names of tools and their arguments. */
  written: number;
  pictures: number;
  pictureTokens: number;
  /** Inside calls alone. */
  ms: number;
}

export const emptyBill = (): Bill => ({ calls: 0, read: 0, written: 0, pictures: 0, pictureTokens: 0, ms: 0 });

/** A server as a model meets it: definitions once, then text for every call. */
export interface Wire extends AsyncDisposable {
  /** Characters that a client shows the model before anything happens. */
  readonly definitions: number;
  readonly tools: readonly string[];
  /** Whether the tool has this argument, as its definition says. */
  takes(tool: string, argument: string): boolean;
  readonly bill: Bill;
  /** Every call and its answer, as a model writes and reads them. */
  readonly transcript: string[];
  /** Never throws for an error of the tool: a model reads it like any other answer. */
  call(tool: string, args?: Record<string, unknown>): Promise<string>;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

const defined = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** A call that takes longer than this has failed. */
const longestMs = 60_000;

export async function openWire({ command, args, env, folder }: ServerCommand): Promise<Wire> {
  const client = new Client({ name: "bench", version: "1" });
  const transport = { command, args: [...args], env: defined(env), cwd: folder, stderr: "ignore" as const };
  await client.connect(new StdioClientTransport(transport));
  const { tools } = await client.listTools();
  // Clients hand name, text and input schema to the model, and the server's instructions.
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const bill = emptyBill();
  const transcript: string[] = [];
  return {
    definitions: JSON.stringify(shown).length + (client.getInstructions()?.length ?? 0),
    tools: tools.map(({ name }) => name),
    takes: (tool, argument) =>
      tools.some(({ name, inputSchema }) => name === tool && argument in (inputSchema.properties ?? {})),
    bill,
    transcript,
    async call(tool, given = {}) {
      const started = now();
      const { content } = await client
        .callTool({ name: tool, arguments: given }, { timeout: longestMs })
        .finally(() => (bill.ms += now() - started));
      bill.calls += 1;
      bill.written += tool.length + JSON.stringify(given).length;
      const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
      bill.read += texts.reduce((sum, text) => sum + text.length, 0);
      for (const part of content) {
        if (part.type !== "image") continue;
        bill.pictures += 1;
        bill.pictureTokens += await tokensOfPicture(Buffer.from(part.data, "base64"));
      }
      transcript.push(`> ${tool} ${JSON.stringify(given)}`, ...texts);
      return texts.join("\n");
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const run = promisify(execFile);

/** A command line as an agent with a shell meets it: its guide once, then what each command prints. */
export function openCommandLine({ command, env, folder }: Omit<ServerCommand, "args">, guide: string): Wire {
  const bill = emptyBill();
  const transcript: string[] = [];
  return {
    definitions: guide.length,
    tools: [],
    takes: () => false,
    bill,
    transcript,
    async call(line, given = {}) {
      const started = now();
      const words = (given["words"] ?? []) as readonly string[];
      const { stdout, stderr } = await run(command, [...words], { env: defined(env), cwd: folder, timeout: longestMs })
        .catch((error: { stdout?: string; stderr?: string }) => ({
          stdout: error.stdout ?? "",
          stderr: error.stderr ?? "",
        }))
        .finally(() => (bill.ms += now() - started));
      bill.calls += 1;
      bill.written += line.length + 1 + words.join(" ").length;
      const text = `${stdout}${stderr}`.trimEnd();
      bill.read += text.length;
      transcript.push(`> ${line} ${words.join(" ")}`, text);
      return text;
    },
    async [Symbol.asyncDispose]() {},
  };
}
