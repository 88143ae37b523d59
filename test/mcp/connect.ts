import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { PolicyMode } from "../../src/policy/decide.ts";
import { serveHttp } from "../../src/mcp/http.ts";
import { openTestSession } from "../support/session.ts";
import { compileEntries } from "./compile.ts";

export type Era = "2025-11-25" | "2026-07-28";
export type Way = "stdio" | "http";

export type Say = "once" | "session" | "deny" | "decline" | "cancel" | "nothing";

export interface ConnectOptions {
  readonly policy?: PolicyMode;
  /** What the person answers, in order. Without it the client cannot ask anyone. */
  readonly say?: Say[];
  /** The name that the client gives. */
  readonly name?: string;
}

export interface Connection extends AsyncDisposable {
  readonly client: Client;
  /** The questions that the person was asked. */
  readonly questions: string[];
}

export async function connect(way: Way, era: Era, options: ConnectOptions = {}): Promise<Connection> {
  const questions: string[] = [];
  const client = makeClient(era, options.say ? { capabilities: { elicitation: { form: {} } } } : {}, options.name);
  if (options.say) {
    const answers = [...options.say];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      const answer = answers.shift();
      if (answer === undefined) throw new Error(`Asked once too often: ${params.message}`);
      if (answer === "decline" || answer === "cancel") return { action: answer };
      return { action: "accept", content: answer === "nothing" ? {} : { answer } };
    });
  }
  const close = way === "stdio" ? await overStdio(client, options) : await overHttp(client, options);
  return { client, questions, [Symbol.asyncDispose]: close };
}

export function makeClient(era: Era, options: ClientOptions = {}, name = "test-client"): Client {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy";
  return new Client({ name, version: "1.2.3" }, { ...options, versionNegotiation: { mode } });
}

async function overHttp(client: Client, { policy = "allow" }: ConnectOptions): Promise<() => Promise<void>> {
  const session = openTestSession({ policy });
  const http = await serveHttp(session, { port: 0 });
  const headers = { authorization: `Bearer ${http.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
  return async () => {
    await client.close();
    await http.close();
  };
}

async function overStdio(client: Client, { policy = "allow" }: ConnectOptions): Promise<() => Promise<void>> {
  const { stdioEntry } = await compileEntries();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [stdioEntry, "--policy", policy],
    stderr: "ignore",
  });
  await client.connect(transport);
  return () => client.close();
}
