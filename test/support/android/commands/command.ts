import type { Painter } from "../screen/picture.ts";
import type { Phone } from "../screen/phone.ts";

export interface Output {
  readonly stdout?: string | Buffer | undefined;
  readonly stderr?: string | undefined;
  /** Written by the command itself, before it says anything. */
  readonly file?: { readonly path: string; readonly bytes: Buffer } | undefined;
  readonly code?: number | undefined;
}

export interface Device {
  readonly phone: Phone;
  readonly painter: Painter;
  readonly properties: Readonly<Record<string, string>>;
}

export type Command = (args: readonly string[], device: Device) => Output | Promise<Output>;

export const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");

/** What a shell command of system_server leaves when it throws: BasicShellCommandHandler.exec. */
export const thrown = (what: string, exception: string): Output => ({
  stderr: lines("", `Exception occurred while executing '${what}':`, exception),
  code: 255,
});
