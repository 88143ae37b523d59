import type { Painter } from "../screen/picture.ts";
import type { Phone } from "../screen/phone.ts";

export interface Output {
  readonly stdout?: string | Buffer | undefined;
  readonly stderr?: string | undefined;
  /** Written by the command itself, before it prints anything. */
  readonly file?: { readonly path: string; readonly bytes: Buffer } | undefined;
  readonly code?: number | undefined;
}

/** What a display shows: each has its own apps, touch screen and picture. */
export interface Panel {
  readonly phone: Phone;
  readonly painter: Painter;
  /** SurfaceFlinger's name for the panel: more than a double can hold exactly. */
  readonly physical: string;
  readonly name: string;
}

export interface Device extends Pick<Panel, "phone" | "painter"> {
  /** By Android's own numbers, from 0. The first is the device's phone. */
  readonly panels: readonly Panel[];
  readonly properties: Readonly<Record<string, string>>;
}

export type Command = (args: readonly string[], device: Device) => Output | Promise<Output>;

export const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");

/** What a shell command of system_server prints when it throws: BasicShellCommandHandler.exec. */
export const thrown = (what: string, exception: string): Output => ({
  stderr: lines("", `Exception occurred while executing '${what}':`, exception),
  code: 255,
});
