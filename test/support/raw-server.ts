import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { mainFile } from "./handsight.ts";
import { removeFolderNow } from "./remove-folder.ts";

export interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
    readonly content?: readonly { readonly text?: string }[];
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

export interface RawServerOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** What happens to the server's stderr; by default it is ignored. */
  readonly stderr?: "ignore" | "unread" | "closed" | "kept";
}

const patienceMs = 20_000;

/** `handsight mcp` over stdio with a client that may send anything. */
export class RawServer implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable | null>;
  readonly #runs = mkdtempSync(join(tmpdir(), "handsight-raw-"));
  readonly #waiting = new Map<unknown, (answer: RpcAnswer) => void>();
  #count = 0;
  #rest = "";
  /** Answers to ids that nobody waits for. */
  readonly strays: RpcAnswer[] = [];
  hasEnded = false;
  /** The content of stderr, if it is kept. */
  said = "";

  private constructor({ env, args = [], cwd, stderr = "ignore" }: RawServerOptions) {
    const own = ["mcp", "--policy", "allow", "--ocr", "off", "--runs-dir", this.#runs];
    this.#child = spawn(process.execPath, [mainFile, ...own, ...args], {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ["pipe", "pipe", stderr === "ignore" ? "ignore" : "pipe"],
    }) as ChildProcessByStdio<Writable, Readable, Readable | null>;
    this.#child.stdin.on("error", () => {});
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => this.#take(text));
    this.#child.once("exit", () => {
      this.hasEnded = true;
      for (const tell of this.#waiting.values()) tell({ error: { code: 0, message: "the server has ended" } });
    });
    if (stderr === "kept") this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.said += text));
    if (stderr === "closed") this.#child.stderr?.destroy();
  }

  static async start(options: RawServerOptions): Promise<RawServer> {
    const server = new RawServer(options);
    await server.ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "attacker", version: "1" },
    });
    await server.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when the server's pipe has accepted it. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#child.stdin.write(bytes, () => resolve()));
  }

  nextId(): number {
    return ++this.#count;
  }

  /** Waits for the answer to a request that was, or will be, written by hand. */
  answerTo(id: unknown): Promise<RpcAnswer> {
    return new Promise((resolve, reject) => {
      if (this.hasEnded) return reject(new Error("the server has ended"));
      const timer = setTimeout(() => reject(new Error(`no answer to ${String(id)} in ${patienceMs} ms`)), patienceMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (this.hasEnded) reject(new Error("the server has ended"));
        else resolve(answer);
      });
    });
  }

  async ask(method: string, params: unknown): Promise<RpcAnswer> {
    const id = this.nextId();
    const answer = this.answerTo(id);
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answer;
  }

  call(name: string, args: unknown = {}): Promise<RpcAnswer> {
    return this.ask("tools/call", { name, arguments: args });
  }

  /** The number of open files and child processes. */
  handles(): { readonly files: number; readonly children: number } {
    const tasks = readdirSync(`/proc/${this.pid}/task`);
    const children = tasks.flatMap((task) =>
      readFileSync(`/proc/${this.pid}/task/${task}/children`, "utf8")
        .split(" ")
        .filter((pid) => pid !== ""),
    );
    return { files: readdirSync(`/proc/${this.pid}/fd`).length, children: children.length };
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const answer = JSON.parse(line) as RpcAnswer;
      const tell = this.#waiting.get(answer.id);
      if (tell) tell(answer);
      else this.strays.push(answer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.hasEnded ? undefined : once(this.#child, "exit");
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 3_000);
    await ended;
    clearTimeout(timer);
    removeFolderNow(this.#runs);
  }
}
