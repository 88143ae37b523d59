import { randomBytes } from "node:crypto";
import { withDeadline } from "../../base/async.ts";
import { AdbFailure } from "./failure.ts";
import type { Link } from "./link.ts";
import type { AdbServer, RequestOptions } from "./server.ts";
import { encodeShell, ShellDecoder, shellStreams } from "./wire.ts";

export interface ShellResult {
  /** With what it complained about, unless it is binary. */
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Undefined on devices before Android 7, which do not tell it. */
  readonly exit: number | undefined;
}

export interface ShellOptions extends RequestOptions {
  /** How the command is called when it takes too long. */
  readonly what?: string | undefined;
  readonly maxBytes?: number | undefined;
  readonly output?: Output | undefined;
  /** A command that tidies up when the answer has been told. */
  readonly after?: string | undefined;
  /** The same command begun before it is asked for, where a shell stays open: with `whenTold` and `elseEnd` in it. */
  readonly ready?: string | undefined;
}

const untold = 99;
/**
 * First in a further process of the shell: it waits for a line of input. Such a command is begun before it is asked for, so
 * that the process is there by then: making one takes longer than the way to the device and back.
 */
export const whenTold = `IFS= read -r c || exit ${untold}; exec </dev/null 2>&1`;
/** Behind that process: where the input has ended instead, nothing more is done. */
export const elseEnd = `[ $? = ${untold} ] && exit`;
/** Ahead of a program that is the last thing to do: a process that is there for nothing else becomes it. */
export const asLast = "$handsight_last";

/**
 * - `text`: told in one piece when the command has ended, which is the fastest there is for short ones.
 * - `binary`: as it comes, and what it complains about apart from it.
 * - `little`: for what says something only when it fails.
 * - `kept`: of a command that leaves its answer in `r`; told in one piece too, without the further shell that `text` takes.
 */
export type Output = "text" | "binary" | "little" | "kept";

const defaultTimeoutMs = 10_000;
// A raw frame of an 8K display; a device that sends more than that has gone mad.
const largestOutput = 160 * 1024 * 1024;

/** Runs one command on a stream of its own, on devices before Android 7: both outputs come as one, without an exit code. */
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
 * The adb server holds a small packet back until the one before has been acknowledged, and the system acknowledges after
 * 40 ms unless there is something to send. So something is sent: input of no length, which the shell does not see.
 */
const nothing = encodeShell(shellStreams.stdin, Buffer.alloc(0));
// Longer than one packet of any local connection; of these the next one follows by itself.
const smallest = 65_536;

/** A command that can be begun before it is asked for. */
interface Waiting {
  readonly script: (mark: string) => string;
  /** What tells it to go on. */
  readonly line: string;
}

function waitingFor(command: string, { output, after, ready }: ShellOptions): Waiting | undefined {
  if (ready !== undefined) {
    return {
      script: (mark) => `${ready}; print -r -- "$r\n${mark} $?"; r=${after === undefined ? "" : `; ${after}`}\n`,
      line: "\n",
    };
  }
  // It reads one line: the rest of a longer command would be read, and run, by the shell itself.
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
  // Told on both streams: nothing else says which of their packets belong together.
  binary: (command, mark) => `{ ${command}\n} </dev/null; echo "\n${mark} $?"; echo ${mark} >&2`,
};

/** A shell of the device that stays open: a command costs a round trip instead of a connection and a process. */
class KeptShell implements Disposable {
  readonly #link: Link;
  readonly #decoder = new ShellDecoder();
  /** Nobody else knows it, so that no output can look like the end of a command. */
  readonly #token = randomBytes(8).toString("hex");
  #count = 0;
  /** What has been begun in it, and waits. */
  #waiting: { readonly kind: string; readonly mark: string } | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Without its mark, that of every command of the same kind. */
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

/** What came over one stream, up to its end. A frame of ten megabytes is looked at once, not with every packet. */
class Stream {
  readonly #mark: string | undefined;
  readonly #parts: Buffer[] = [];
  #tail = "";
  #endSize = 0;
  size = 0;
  isOver: boolean;
  /** What comes after the mark. */
  status = "";

  /** Without a mark nothing is waited for. */
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
// Elements, a picture and what is in front are read at the same time; more is rare and may cost a connection.
const mostIdle = 3;

/**
 * The open shells of a device. Each runs one command at a time; whoever finds none free gets another one. A command that
 * does not answer in time costs its shell, and nobody else waits for it.
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

  /** One in which a command of this kind waits, or one in which nothing does. */
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

  /** Those that are in use go when they are done. */
  [Symbol.dispose](): void {
    for (const shell of this.#idle.splice(0)) shell[Symbol.dispose]();
  }
}
