import { randomBytes } from "node:crypto";
import { withDeadline } from "../../base/async.ts";
import { AdbFailure } from "./failure.ts";
import type { Link } from "./link.ts";
import type { AdbServer, RequestOptions } from "./server.ts";
import { encodeShell, ShellDecoder, shellStreams } from "./wire.ts";

export interface ShellResult {
  /** Includes the error output, unless it is binary. */
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Undefined on devices before Android 7, which do not report it. */
  readonly exit: number | undefined;
}

export interface ShellOptions extends RequestOptions {
  /** What to call the command when it takes too long. */
  readonly what?: string | undefined;
  readonly maxBytes?: number | undefined;
  readonly output?: Output | undefined;
  /** A clean-up command that runs after the answer was sent. */
  readonly after?: string | undefined;
  /** The same command, to be started in advance in a shell that stays open; it contains `whenTold` and `elseEnd`. */
  readonly ready?: string | undefined;
}

const untold = 99;
/**
 * Goes first in a subshell: it waits for a line of input. Such a command is started in advance, so that its process
 * already exists when it is needed: creating one takes longer than the round trip to the device.
 */
export const whenTold = `IFS= read -r c || exit ${untold}; exec </dev/null 2>&1`;
/** Goes after that subshell: if the input has ended instead, do nothing more. */
export const elseEnd = `[ $? = ${untold} ] && exit`;
/** Goes before a program that is the last thing to do: a process that has nothing else to do is replaced by it. */
export const asLast = "$handsight_last";

/**
 * - `text`: sent in one piece when the command has ended, the fastest way for short output.
 * - `binary`: sent as it comes, with errors kept apart.
 * - `little`: for commands that only print something when they fail.
 * - `kept`: for a command that leaves its answer in `r`; also sent in one piece, without the extra subshell that
 *   `text` needs.
 */
export type Output = "text" | "binary" | "little" | "kept";

const defaultTimeoutMs = 10_000;
// A raw frame of an 8K display; no sane device sends more than that.
const largestOutput = 160 * 1024 * 1024;

/** Runs one command on its own stream, on devices before Android 7: both outputs are merged, without an exit code. */
export async function runCommand(
  server: AdbServer,
  serial: string,
  command: string,
  {
    signal,
    timeoutMs = defaultTimeoutMs,
    what = "The command",
    maxBytes = largestOutput,
    output,
    after,
  }: ShellOptions = {},
): Promise<ShellResult> {
  const told = output === "kept" ? `${command}; print -r -- "$r"` : command;
  const whole = after === undefined ? told : `${told}; ${after}`;
  return withDeadline({ ms: timeoutMs, what: `${what} on ${serial}`, signal }, async (inner) => {
    using link = await server.openOn(serial, `exec:${whole}`, inner);
    const out: Buffer[] = [];
    let size = 0;
    for (let chunk = await link.some(); chunk !== undefined; chunk = await link.some()) {
      size += chunk.length;
      if (size > maxBytes) throw new AdbFailure(`an answer of more than ${maxBytes} bytes`);
      out.push(chunk);
    }
    return { stdout: Buffer.concat(out, size), stderr: "", exit: undefined };
  });
}

/**
 * The adb server holds a small packet back until the previous one is acknowledged, and the system acknowledges only
 * after 40 ms unless there is something to send. So this sends something: empty input, which the shell does not see.
 */
const nothing = encodeShell(shellStreams.stdin, Buffer.alloc(0));
// Longer than one packet of any local connection; after packets this long the next one follows by itself.
const smallest = 65_536;

/** A command that can be started in advance. */
interface Waiting {
  readonly script: (mark: string) => string;
  /** The line that makes it continue. */
  readonly line: string;
}

function waitingFor(command: string, { output, after, ready }: ShellOptions): Waiting | undefined {
  if (ready !== undefined) {
    return {
      script: (mark) => `${ready}; print -r -- "$r\n${mark} $?"; r=${after === undefined ? "" : `; ${after}`}\n`,
      line: "\n",
    };
  }
  // It reads one line: the shell itself would read, and run, the rest of a longer command.
  if (output !== "little" || after !== undefined || /[\r\n\0]/.test(command)) return undefined;
  return {
    script: (mark) => `(${whenTold}; handsight_last=exec; eval "$c"); echo "\n${mark} $?"\n`,
    line: `${command}\n`,
  };
}

const scripts: Readonly<Record<Output, (command: string, mark: string) => string>> = {
  text: (command, mark) => `r=$({ ${command}\n} </dev/null 2>&1); print -r -- "$r\n${mark} $?"; r=`,
  little: (command, mark) => `{ ${command}\n} </dev/null 2>&1; echo "\n${mark} $?"`,
  kept: (command, mark) => `{ ${command}\n} </dev/null 2>&1; print -r -- "$r\n${mark} $?"; r=`,
  // The mark is sent on both streams: nothing else shows which of their packets belong together.
  binary: (command, mark) => `{ ${command}\n} </dev/null; echo "\n${mark} $?"; echo ${mark} >&2`,
};

/** A shell on the device that stays open: a command costs one round trip instead of a connection and a process. */
class KeptShell implements Disposable {
  readonly #link: Link;
  readonly #decoder = new ShellDecoder();
  /** Random, so that no output can look like the end of a command. */
  readonly #token = randomBytes(8).toString("hex");
  #count = 0;
  /** The command that was started in advance and waits. */
  #waiting: { readonly kind: string; readonly mark: string } | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** The kind of the waiting command: its script without the mark. */
  get kind(): string | undefined {
    return this.#waiting?.kind;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  /** The command must be complete: an open quote would swallow what follows. */
  async run(command: string, options: ShellOptions): Promise<ShellResult> {
    const { output = "text", maxBytes = largestOutput } = options;
    const { script, mark } = this.#next(command, options);
    this.#link.send(encodeShell(shellStreams.stdin, Buffer.from(script, "utf8")));
    const out = new Stream(`\n${mark} `);
    const errors = new Stream(output === "binary" ? mark : undefined);
    while (!out.isOver || !errors.isOver) {
      const chunk = await this.#link.some();
      if (!chunk) throw new AdbFailure("closed");
      for (const { stream, data } of this.#decoder.push(chunk)) {
        if (stream === shellStreams.stdout) out.add(data);
        else if (stream === shellStreams.stderr) errors.add(data);
        else if (stream === shellStreams.exit) throw new AdbFailure("closed");
      }
      if (out.size + errors.size > maxBytes) throw new AdbFailure(`an answer of more than ${maxBytes} bytes`);
      if (chunk.length < smallest && (!out.isOver || !errors.isOver)) this.#link.send(nothing);
    }
    return { stdout: out.bytes(), stderr: errors.bytes().toString("utf8"), exit: Number(out.status) };
  }

  #next(command: string, options: ShellOptions): { readonly script: string; readonly mark: string } {
    const newMark = (): string => `${this.#token}${++this.#count}`;
    const waiting = waitingFor(command, options);
    if (!waiting) {
      const { output = "text", after } = options;
      const mark = newMark();
      return { script: `${scripts[output](command, mark)}${after === undefined ? "" : `; ${after}`}\n`, mark };
    }
    const begun = this.#waiting;
    const mark = begun?.mark ?? newMark();
    const begin = begun ? "" : waiting.script(mark);
    this.#waiting = { kind: waiting.script(""), mark: newMark() };
    return { script: `${begin}${waiting.line}${waiting.script(this.#waiting.mark)}`, mark };
  }

  [Symbol.dispose](): void {
    this.#link[Symbol.dispose]();
  }
}

/** What arrived on one stream, up to its end. Searches a frame of ten megabytes once, not again with every packet. */
class Stream {
  readonly #mark: string | undefined;
  readonly #parts: Buffer[] = [];
  #tail = "";
  #endSize = 0;
  size = 0;
  isOver: boolean;
  /** What comes after the mark. */
  status = "";

  /** Without a mark nothing is awaited. */
  constructor(mark: string | undefined) {
    this.#mark = mark;
    this.isOver = mark === undefined;
  }

  add(data: Buffer): void {
    this.#parts.push(data);
    this.size += data.length;
    if (this.#mark === undefined) return;
    this.#tail = (this.#tail + data.subarray(-longestEnd).toString("latin1")).slice(-longestEnd);
    const at = this.#tail.endsWith("\n") ? this.#tail.lastIndexOf(this.#mark) : -1;
    if (at < 0) return;
    this.isOver = true;
    this.#endSize = this.#tail.length - at;
    this.status = this.#tail.slice(at + this.#mark.length, -1);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts, this.size).subarray(0, this.size - this.#endSize);
  }
}

// A line break, the token, the number of the command, the exit code.
const longestEnd = 40;
// Elements, a picture and the app in front are read at the same time; more is rare and may cost a connection.
const mostIdle = 3;

/**
 * The open shells of a device. Each runs one command at a time; if none is free, another one is opened. A command
 * that does not answer in time costs its shell, and no other command waits for it.
 */
export class Shells implements Disposable {
  readonly #server: AdbServer;
  readonly #serial: string;
  readonly #idle: KeptShell[] = [];

  constructor(server: AdbServer, serial: string) {
    this.#server = server;
    this.#serial = serial;
  }

  async run(command: string, options: ShellOptions = {}): Promise<ShellResult> {
    const { signal, timeoutMs = defaultTimeoutMs, what = "The command" } = options;
    return withDeadline({ ms: timeoutMs, what: `${what} on ${this.#serial}`, signal }, async (inner) => {
      const shell = this.#take(waitingFor(command, options)?.script("")) ?? (await this.#open(inner));
      const stop = () => shell[Symbol.dispose]();
      inner.addEventListener("abort", stop, { once: true });
      try {
        const result = await shell.run(command, options);
        this.#give(shell);
        return result;
      } catch (error) {
        stop();
        throw error;
      } finally {
        inner.removeEventListener("abort", stop);
      }
    });
  }

  /** A shell in which a command of this kind waits, or one in which none does. */
  #take(kind: string | undefined): KeptShell | undefined {
    for (;;) {
      const same = this.#idle.findLastIndex((each) => each.kind === kind);
      const at = same >= 0 ? same : this.#idle.findLastIndex((each) => each.kind === undefined);
      const [shell] = at < 0 ? [] : this.#idle.splice(at, 1);
      if (!shell || shell.isOpen) return shell;
      shell[Symbol.dispose]();
    }
  }

  #give(shell: KeptShell): void {
    const alike = this.#idle.filter(({ kind }) => kind === shell.kind).length;
    if (alike < (shell.kind === undefined ? mostIdle : 1)) this.#idle.push(shell);
    else shell[Symbol.dispose]();
  }

  async #open(signal: AbortSignal): Promise<KeptShell> {
    const link = await this.#server.openOn(this.#serial, "shell,v2,raw:exec sh", signal);
    link.keep();
    return new KeptShell(link);
  }

  /** Shells in use are closed when they are done. */
  [Symbol.dispose](): void {
    for (const shell of this.#idle.splice(0)) shell[Symbol.dispose]();
  }
}
