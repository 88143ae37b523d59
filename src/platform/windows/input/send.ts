import { ToolError } from "../../../base/errors.ts";
import { win32 } from "../win32.ts";

/** INPUT of winuser.h on 64 bits. */
export const inputSize = 40;
const kinds = { mouse: 0, keyboard: 1 } as const;
const keyFlags = { extended: 1, up: 2, unicode: 4 } as const;

export interface KeyStroke {
  readonly key: number;
  readonly scan?: number;
  readonly isExtended?: boolean;
  readonly isDown: boolean;
}

export function keyInput({ key, scan = 0, isExtended = false, isDown }: KeyStroke): Buffer {
  return keyboardInput(key, scan, (isExtended ? keyFlags.extended : 0) | (isDown ? 0 : keyFlags.up));
}

/** One UTF-16 unit, typed whatever the layout has. */
export const unitInput = (unit: number, isDown: boolean): Buffer =>
  keyboardInput(0, unit, keyFlags.unicode | (isDown ? 0 : keyFlags.up));

function keyboardInput(key: number, scan: number, flags: number): Buffer {
  const bytes = Buffer.alloc(inputSize);
  bytes.writeUInt32LE(kinds.keyboard, 0);
  bytes.writeUInt16LE(key, 8);
  bytes.writeUInt16LE(scan, 10);
  bytes.writeUInt32LE(flags, 12);
  return bytes;
}

export interface MouseStroke {
  readonly x?: number;
  readonly y?: number;
  readonly data?: number;
  readonly flags: number;
}

export function mouseInput({ x = 0, y = 0, data = 0, flags }: MouseStroke): Buffer {
  const bytes = Buffer.alloc(inputSize);
  bytes.writeUInt32LE(kinds.mouse, 0);
  bytes.writeInt32LE(x, 8);
  bytes.writeInt32LE(y, 12);
  bytes.writeInt32LE(data, 16);
  bytes.writeUInt32LE(flags, 20);
  return bytes;
}

/** In one batch: no input of anyone else comes between. */
export function sendInputs(inputs: readonly Buffer[]): void {
  if (inputs.length === 0) return;
  if (win32().sendInput(inputs.length, Buffer.concat(inputs), inputSize) === inputs.length) return;
  throw new ToolError("permission_missing", "Windows refused the input.", {
    hint: "The session is locked, or the window in front belongs to a program that runs as administrator: run handsight as administrator too.",
  });
}
