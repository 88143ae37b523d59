import type { Socket } from "node:net";

/** One terminal stream of a client. */
export interface StreamInfo {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
}

/** A command line for the session to run. */
export interface CommandMessage {
  readonly build: string;
  readonly argv: readonly string[];
  readonly pid: number;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: StreamInfo;
  readonly err: StreamInfo;
  readonly canAsk: boolean;
}

export interface SessionStatus {
  readonly name: string;
  readonly pid: number;
  readonly version: string;
  readonly desktop: string;
  readonly started_at: string;
  readonly commands: number;
  readonly running: number;
  readonly idle_seconds: number;
}

/** What a client says, one JSON value per line. */
export type FromClient =
  | { readonly command: CommandMessage }
  | { readonly signal: NodeJS.Signals }
  | { readonly answer: string }
  | { readonly stdin: string }
  | { readonly ask: "status" | "end" };

/** What the session says. */
export type FromSession =
  /** It has the command and works on it. */
  | { readonly taken: true }
  | { readonly out: string }
  | { readonly err: string }
  | { readonly question: { readonly text: string; readonly offers: readonly string[] } }
  /** The question needs no answer any more. */
  | { readonly unasked: true }
  | { readonly wants: "stdin" }
  | { readonly exit: number }
  /** It is no command for a session: run it yourself. */
  | { readonly notMine: true }
  /** The session ends and has done nothing; start a new one, and say why. */
  | { readonly over: string }
  | { readonly status: SessionStatus };

/** Whoever connects may say anything. */
export function isCommand(value: unknown): value is CommandMessage {
  const { argv, pid, folder, env, out, err } = (value ?? {}) as Partial<CommandMessage>;
  const isObject = (part: unknown): boolean => typeof part === "object" && part !== null;
  const areWords = Array.isArray(argv) && argv.every((word) => typeof word === "string");
  return areWords && typeof folder === "string" && Number.isInteger(pid) && [env, out, err].every(isObject);
}

/** Longer than any command line of the system. */
const longestLine = 8 * 1024 * 1024;

export function say(socket: Socket, message: FromClient | FromSession): void {
  if (!socket.destroyed && socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls back with every line that is a JSON object; ends a connection that sends anything else. */
export function onMessage(socket: Socket, listen: (message: object) => void): void {
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    rest += text;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > longestLine) return void socket.destroy();
    for (const line of lines) {
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        return void socket.destroy();
      }
      if (typeof message !== "object" || message === null) return void socket.destroy();
      listen(message);
    }
  });
}
