import { appendOwnFile } from "./own-file.ts";

const levels = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof levels)[number];
export const logLevels: readonly LogLevel[] = levels;

export interface Log {
  error(message: string, detail?: unknown): void;
  warn(message: string, detail?: unknown): void;
  info(message: string, detail?: unknown): void;
  debug(message: string, detail?: unknown): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Append here instead of writing to stderr. stdout belongs to the protocol. */
  readonly file?: string | undefined;
  /** Removes what must not be written down from a line. */
  readonly scrub?: (line: string) => string;
}

// How much memory an unread stderr may take.
const mostWaiting = 1024 * 1024;

export function openLog({ level, file, scrub = (line) => line }: LogOptions): Log {
  const enabled = levels.indexOf(level);
  const write = (line: string) => {
    try {
      if (file !== undefined) appendOwnFile(file, line);
      else if (process.stderr.writableLength < mostWaiting) process.stderr.write(line);
    } catch {
      // A full disk or a closed stderr must not take the server down.
    }
  };
  const at =
    (own: LogLevel) =>
    (message: string, detail?: unknown): void => {
      if (levels.indexOf(own) > enabled) return;
      const text = `${message}${detail === undefined ? "" : ` ${describe(detail)}`}`;
      write(`${new Date().toISOString()} ${own} ${scrub(text)}\n`);
    };
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

function describe(detail: unknown): string {
  if (detail instanceof Error) {
    const cause = detail.cause === undefined ? "" : `\n  caused by ${describe(detail.cause)}`;
    return `${detail.stack ?? detail.message}${cause}`;
  }
  try {
    return typeof detail === "string" ? detail : JSON.stringify(detail);
  } catch {
    return String(detail);
  }
}
