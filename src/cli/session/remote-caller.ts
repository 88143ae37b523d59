import type { Socket } from "node:net";
import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { envOf, flagOf } from "../../config/options.ts";
import type { Answer } from "../../tools/call.ts";
import type { Caller, Output } from "../caller.ts";
import { cancelOn, type Interrupt } from "../interrupt.ts";
import { say, type CommandMessage, type FromClient, type StreamInfo } from "./wire.ts";

const longestPiece = 500_000;

/** The terminal of a client, as the session sees it. */
export class RemoteCaller implements Caller {
  readonly out: Output;
  readonly err: Output;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly canAsk: boolean;
  readonly #argv: readonly string[];
  readonly #socket: Socket;
  #listening: ((name: NodeJS.Signals) => void) | undefined;
  #answered: ((answer: Answer) => void) | undefined;
  #read: { readonly resolve: (text: string) => void; readonly reject: (why: Error) => void } | undefined;
  #gone: NodeJS.Signals | undefined;

  constructor({ argv, folder, env, canAsk, out, err }: CommandMessage, socket: Socket) {
    this.#argv = argv;
    this.#socket = socket;
    this.folder = folder;
    this.env = env;
    this.canAsk = canAsk;
    this.out = this.#stream("out", out);
    this.err = this.#stream("err", err);
  }

  #stream(name: "out" | "err", { isTTY, columns }: StreamInfo): Output {
    // A message has a limit, and a text has none.
    const write = (text: string): void => {
      for (let at = 0; at < text.length; at += longestPiece) {
        const piece = text.slice(at, at + longestPiece);
        say(this.#socket, name === "out" ? { out: piece } : { err: piece });
      }
    };
    return { write, isTTY, ...(columns === undefined ? {} : { columns }) };
  }

  /** Whether the command names this setting itself, by a flag or a variable. */
  gives(setting: string): boolean {
    const flag = flagOf(setting);
    const end = this.#argv.indexOf("--");
    const words = end < 0 ? this.#argv : this.#argv.slice(0, end);
    return words.some((word) => word.split("=")[0]?.replaceAll("_", "-") === flag) || Boolean(this.env[envOf(setting)]);
  }

  hear(message: FromClient): void {
    if ("signal" in message) this.#interrupted(message.signal);
    if ("answer" in message) this.#answered?.(message.answer as Answer);
    if ("stdin" in message) this.#read?.resolve(message.stdin);
  }

  /** The client has ended, whatever it was told: its command is cancelled, and its question has no answer. */
  leave(): void {
    this.#answered?.("deny");
    this.#interrupted("SIGHUP");
  }

  #interrupted(name: NodeJS.Signals): void {
    this.#gone = name;
    this.#read?.reject(new ToolError("cancelled", `The call was cancelled by ${name}.`));
    this.#listening?.(name);
  }

  interrupt(doing?: string): Interrupt {
    const { signal, cancel } = cancelOn(doing, this.err);
    this.#listening = cancel;
    // Ctrl-C may have come before the command listened for it.
    if (this.#gone !== undefined) cancel(this.#gone);
    return {
      signal,
      [Symbol.dispose]: () => {
        this.#listening = undefined;
      },
    };
  }

  async ask({ text, offers }: Parameters<Caller["ask"]>[0], signal: AbortSignal): Promise<Answer> {
    let onAbort = (): void => {};
    try {
      return await new Promise<Answer>((resolve, reject) => {
        onAbort = () => {
          say(this.#socket, { unasked: true });
          reject(cancelled(signal));
        };
        signal.addEventListener("abort", onAbort, { once: true });
        this.#answered = resolve;
        if (signal.aborted) onAbort();
        else say(this.#socket, { question: { text, offers } });
      });
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#answered = undefined;
    }
  }

  readStdin(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#read = { resolve, reject };
      say(this.#socket, { wants: "stdin" });
    });
  }
}
