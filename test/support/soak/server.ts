import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, ProtocolError, SdkError, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { poll } from "../../../src/base/async.ts";
import { placeVariable } from "../../../src/base/runtime.ts";
import { markerName, readProcess } from "../../../src/platform/virtual/processes.ts";
import { checkout } from "../checkout.ts";
import { Ledger, type Outcome } from "./ledger.ts";
import { removeFolder } from "../remove-folder.ts";
import { dataOf } from "../handsight.ts";

export interface Folders {
  readonly base: string;
  /** TMPDIR of the server, which its tools may read and write. */
  readonly tmp: string;
  /** XDG_RUNTIME_DIR. */
  readonly run: string;
  /** Where processes of the user agree on turns and the emergency stop, separate from those of whoever runs this. */
  readonly place: string;
  readonly home: string;
  readonly runs: string;
  readonly browsers: string;
}

/** Slower calls are printed at once, so that whoever watches a run knows what it is waiting for. */
const slowMs = 5_000;

export interface AskOptions {
  /** Milliseconds after which the client cancels. */
  readonly cancelAfterMs?: number;
}

export interface SoakServer extends AsyncDisposable {
  readonly pid: number;
  readonly folders: Folders;
  /** In the environment of every process that the server starts, however far it forks away. */
  readonly marker: string;
  readonly ledger: Ledger;
  readonly client: Client;
  /** The last part of what the server wrote to stderr. */
  readonly said: () => string;
  readonly isUp: () => boolean;
  /** Calls a tool and records how that ended; never throws. */
  readonly ask: (tool: string, args?: unknown, options?: AskOptions) => Promise<Outcome>;
  /** Closes stdin and returns the milliseconds until the process had ended. */
  readonly end: () => Promise<number>;
}

// Longer than every deadline of the product: a browser may take 20 s to start, a hanging page or device 10 s.
const deadlineMs = 60_000;
// By default V8 lets garbage pile up for as long as there is memory, which looks like a leak.
const smallHeap = "--max-semi-space-size=2 --max-old-space-size=256";

/** `handsight mcp` with its own desktop and folders, and nothing of the user's. */
export async function startSoakServer(env: NodeJS.ProcessEnv, tell: (what: string) => void): Promise<SoakServer> {
  const folders = await makeFolders();
  const marker = `soak-${process.pid}-${folders.base.slice(-6)}`;
  const rules = join(folders.base, "policy.json");
  await writeFile(rules, JSON.stringify({ urls: { allow: ["http://*", "about:blank", "chrome://crash"] } }));
  const flags = {
    policy: "allow",
    desktop: "virtual",
    size: "1280x900",
    tools: "all",
    rules,
    ocr: "off",
    "settle-ms": "100",
    "max-side": "640",
    "runs-dir": folders.runs,
    "browser-dir": folders.browsers,
    "log-level": "error",
  };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      join(checkout, "dist", "main.js"),
      "mcp",
      ...Object.entries(flags).flatMap(([key, value]) => [`--${key}`, value]),
    ],
    env: definite({
      ...withoutOwn(env),
      NODE_OPTIONS: smallHeap,
      HOME: folders.home,
      TMPDIR: folders.tmp,
      XDG_RUNTIME_DIR: folders.run,
      [markerName]: marker,
      [placeVariable]: folders.place,
    }),
    cwd: folders.tmp,
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-20_000);
  });
  const client = new Client({ name: "soak", version: "1" });
  await client.connect(transport);
  const pid = transport.pid ?? 0;
  const ledger = new Ledger();
  const isUp = (): boolean => readProcess(pid) !== undefined;
  const ask: SoakServer["ask"] = async (tool, args = {}, { cancelAfterMs } = {}) => {
    const controller = new AbortController();
    const timer = cancelAfterMs === undefined ? undefined : setTimeout(() => controller.abort(), cancelAfterMs);
    const started = performance.now();
    ledger.begin();
    const outcome = await client
      .callTool(
        { name: tool, arguments: args as Record<string, unknown> },
        { signal: controller.signal, timeout: deadlineMs },
      )
      .then(toOutcome, (error: unknown): Outcome => {
        if (controller.signal.aborted) return { kind: "cancelled" };
        // The server's own error, in place of a result.
        if (error instanceof ProtocolError) return { kind: "failed", code: String(error.code), message: error.message };
        const code = error instanceof SdkError ? `${error.code}: ` : "";
        return { kind: "unanswered", message: `${code}${String(error)}` };
      });
    clearTimeout(timer);
    const ms = performance.now() - started;
    ledger.end({ tool, ms, outcome });
    if (ms > slowMs)
      tell(
        `${Math.round(ms)} ms: ${tool} ${JSON.stringify(args).slice(0, 200)} → ${JSON.stringify(outcome).slice(0, 200)}`,
      );
    return outcome;
  };
  const end = async (): Promise<number> => {
    const started = performance.now();
    const closing = client.close();
    await poll(async () => (isUp() ? undefined : true), { timeoutMs: 10_000, everyMs: 5 });
    const ms = performance.now() - started;
    await closing;
    return ms;
  };
  return {
    pid,
    folders,
    marker,
    ledger,
    client,
    said: () => said,
    isUp,
    ask,
    end,
    async [Symbol.asyncDispose]() {
      await client.close();
      await removeFolder(folders.base);
    },
  };
}

function toOutcome(result: CallToolResult): Outcome {
  if (result.isError !== true)
    return { kind: "done", data: (result.structuredContent ?? {}) as Readonly<Record<string, unknown>> };
  const { error } = dataOf(result) as { error?: { readonly code: string; readonly message: string } };
  const { code, message } = error ?? { code: "no envelope", message: JSON.stringify(result.content) };
  return { kind: "failed", code, message };
}

async function makeFolders(): Promise<Folders> {
  const base = await mkdtemp(join(tmpdir(), "handsight-soak-"));
  const folder = async (name: string): Promise<string> => {
    const path = join(base, name);
    await mkdir(path, { mode: 0o700 });
    return path;
  };
  return {
    base,
    tmp: await folder("tmp"),
    run: await folder("run"),
    place: await folder("place"),
    home: await folder("home"),
    runs: await folder("runs"),
    browsers: await folder("browsers"),
  };
}

/** Settings of the person who runs this must not change what is measured. */
const withoutOwn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(HANDSIGHT_|XDG_|DISPLAY$|WAYLAND_)/.test(name)));

const definite = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
