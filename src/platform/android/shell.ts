import { randomBytes } from "node:crypto";
import { Lock, withDeadline } from "../../base/async.ts";
import { AdbFailure } from "./failure.ts";
import type { Link } from "./link.ts";
import type { AdbServer, RequestOptions } from "./server.ts";
import { encodeShell, ShellDecoder, shellStreams } from "./wire.ts";

export interface ShellResult {
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Undefined on devices before Android 7, which do not tell it. */
  readonly exit: number | undefined;
}

export interface ShellOptions extends RequestOptions {
  /** How the command is called when it takes too long. */
  readonly what?: string | undefined;
  readonly maxBytes?: number | undefined;
}

const defaultTimeoutMs = 10_000;
// A raw frame of an 8K display; a device that sends more than that has gone mad.
const largestOutput = 160 * 1024 * 1024;

/**
 * Runs one command on a stream of its own. Version 2 of the shell service keeps stderr apart and tells the exit code;
 * `exec:` puts both into one, so that a warning lands in front of a picture.
 */
export async function runCommand(
  server: AdbServer,
  serial: string,
  { command, hasVersion2 }: { readonly command: string; readonly hasVersion2: boolean },
  { signal, timeoutMs = defaultTimeoutMs, what = "The command", maxBytes = largestOutput }: ShellOptions = {},
): Promise<ShellResult> {
  return withDeadline({ ms: timeoutMs, what: `${what} on ${serial}`, signal }, async (inner) => {
    using link = await server.openOn(serial, `${hasVersion2 ? "shell,v2,raw:" : "exec:"}${command}`, inner);
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    const decoder = new ShellDecoder();
    let size = 0;
    let exit: number | undefined;
    for (let chunk = await link.some(); chunk !== undefined && exit === undefined; chunk = await link.some()) {
      size += chunk.length;
      if (size > maxBytes) throw new AdbFailure(`${what} answers with more than ${maxBytes} bytes`);
      if (!hasVersion2) {
        out.push(chunk);
        continue;
      }
      for (const { stream, data } of decoder.push(chunk)) {
        if (stream === shellStreams.stdout) out.push(data);
        else if (stream === shellStreams.stderr) errors.push(data);
        else if (stream === shellStreams.exit) exit = data[0] ?? 0;
      }
      if (exit !== undefined) break;
    }
    // The device went away in the middle; half of an answer is none.
    if (hasVersion2 && exit === undefined) throw new AdbFailure("closed");
    return { stdout: Buffer.concat(out), stderr: Buffer.concat(errors).toString("utf8"), exit };
  });
}

/**
 * One shell that stays open for short readings: a command costs a round trip instead of a connection and a process. A
 * command that does not answer in time costs its shell; the next one opens another.
 */
export class ReadingShell implements Disposable {
  readonly #server: AdbServer;
  readonly #serial: string;
  readonly #lock = new Lock();
  #link: Link | undefined;
  #decoder = new ShellDecoder();

  constructor(server: AdbServer, serial: string) {
    this.#server = server;
    this.#serial = serial;
  }

  /** What it prints, errors included. The command must be complete: an open quote would swallow the next one. */
  async run(command: string, options: ShellOptions = {}): Promise<string> {
    return this.#lock.run("exclusive", options.signal, () => this.#run(command, options));
  }

  async #run(
    command: string,
    { signal, timeoutMs = defaultTimeoutMs, what = "The command" }: ShellOptions,
  ): Promise<string> {
    try {
      return await withDeadline({ ms: timeoutMs, what: `${what} on ${this.#serial}`, signal }, async (inner) => {
        const link = (this.#link ??= await this.#open(inner));
        const mark = randomBytes(8).toString("hex");
        const script = `{ ${command}\n} </dev/null 2>&1; echo; echo ${mark}\n`;
        link.send(encodeShell(shellStreams.stdin, Buffer.from(script, "utf8")));
        return await this.#until(link, mark);
      });
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  async #open(signal: AbortSignal): Promise<Link> {
    const link = await this.#server.openOn(this.#serial, "shell,v2,raw:exec sh", signal);
    link.keep();
    this.#decoder = new ShellDecoder();
    return link;
  }

  async #until(link: Link, mark: string): Promise<string> {
    const end = Buffer.from(`\n${mark}\n`, "latin1");
    let text = Buffer.alloc(0);
    for (;;) {
      const chunk = await link.some();
      if (!chunk) throw new AdbFailure("closed");
      const parts = [...this.#decoder.push(chunk)].filter(({ stream }) => stream === shellStreams.stdout);
      text = Buffer.concat([text, ...parts.map(({ data }) => data)]);
      const at = text.indexOf(end);
      if (at >= 0) return text.subarray(0, at).toString("utf8");
      if (text.length > largestOutput) throw new AdbFailure("a reading without an end");
    }
  }

  [Symbol.dispose](): void {
    this.#link?.[Symbol.dispose]();
    this.#link = undefined;
  }
}
