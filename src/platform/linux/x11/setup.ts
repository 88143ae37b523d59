import { ToolError } from "../../../base/errors.ts";
import { padded, Reader } from "./wire.ts";
import type { Credentials } from "./auth.ts";

export interface Visual {
  readonly id: number;
  readonly depth: number;
  /** 4 is TrueColor, 5 DirectColor. */
  readonly visualClass: number;
  readonly redMask: number;
  readonly greenMask: number;
  readonly blueMask: number;
}

export interface RootScreen {
  readonly root: number;
  readonly width: number;
  readonly height: number;
  readonly rootVisual: number;
  readonly rootDepth: number;
  readonly whitePixel: number;
  readonly blackPixel: number;
}

/** What the server reports about itself when a client connects. */
export interface Setup extends RootScreen {
  /** Which of the display's screens this is, as in ":0.1". */
  readonly screenNumber: number;
  readonly vendor: string;
  readonly release: number;
  readonly idBase: number;
  readonly idMask: number;
  readonly minKeycode: number;
  readonly maxKeycode: number;
  /** Whether images have their low byte first. */
  readonly hasLittleEndianImages: boolean;
  /** Bits per pixel by depth. */
  readonly bitsPerPixel: ReadonlyMap<number, number>;
  readonly visuals: readonly Visual[];
}

export function setupRequest({ name, data }: Credentials): Buffer {
  const bytes = Buffer.alloc(12 + padded(name.length) + padded(data.length));
  bytes.write("l", 0);
  bytes.writeUInt16LE(11, 2);
  bytes.writeUInt16LE(name.length, 6);
  bytes.writeUInt16LE(data.length, 8);
  bytes.write(name, 12, "latin1");
  bytes.set(data, 12 + padded(name.length));
  return bytes;
}

/** The total length of the setup answer that starts with these eight bytes. */
export const setupLength = (head: Buffer): number => 8 + head.readUInt16LE(6) * 4;

export function parseSetup(bytes: Buffer, displayName: string, screenNumber: number): Setup {
  const status = bytes.readUInt8(0);
  if (status !== 1) {
    const reason = bytes
      .subarray(8, status === 0 ? 8 + bytes.readUInt8(1) : undefined)
      .toString("latin1")
      .replace(/[\0\s]+$/, "");
    throw new ToolError("not_connected", `The X server of display ${displayName} refused the connection: ${reason}.`, {
      hint: "Run as the user who owns the display, or set XAUTHORITY to the cookie file of that session.",
    });
  }
  const read = new Reader(bytes, 8);
  const release = read.u32();
  const idBase = read.u32();
  const idMask = read.u32();
  read.skip(4);
  const vendorLength = read.u16();
  read.skip(2);
  const screenCount = read.u8();
  const formatCount = read.u8();
  const hasLittleEndianImages = read.u8() === 0;
  read.skip(3);
  const minKeycode = read.u8();
  const maxKeycode = read.u8();
  read.skip(4);
  const vendor = read.text(vendorLength);
  read.skip(padded(vendorLength) - vendorLength);
  const bitsPerPixel = new Map<number, number>();
  for (let index = 0; index < formatCount; index++) {
    bitsPerPixel.set(read.u8(), read.u8());
    read.skip(6);
  }
  const screens = Array.from({ length: screenCount }, () => readScreen(read));
  const own = screens[screenNumber];
  if (!own) {
    throw new ToolError(
      "not_connected",
      `Display ${displayName} has ${screenCount} screen(s), so there is no screen ${screenNumber}.`,
      { hint: 'Remove the part after the dot from DISPLAY, as in ":0".' },
    );
  }
  return {
    ...own,
    screenNumber,
    vendor,
    release,
    idBase,
    idMask,
    minKeycode,
    maxKeycode,
    hasLittleEndianImages,
    bitsPerPixel,
  };
}

function readScreen(read: Reader): RootScreen & { readonly visuals: readonly Visual[] } {
  const root = read.u32();
  read.skip(4);
  const [whitePixel, blackPixel] = [read.u32(), read.u32()];
  read.skip(4);
  const [width, height] = [read.u16(), read.u16()];
  read.skip(8);
  const rootVisual = read.u32();
  read.skip(2);
  const rootDepth = read.u8();
  const depthCount = read.u8();
  const visuals: Visual[] = [];
  for (let index = 0; index < depthCount; index++) {
    const depth = read.u8();
    read.skip(1);
    const count = read.u16();
    read.skip(4);
    for (let visual = 0; visual < count; visual++) visuals.push(readVisual(read, depth));
  }
  return { root, width, height, rootVisual, rootDepth, whitePixel, blackPixel, visuals };
}

function readVisual(read: Reader, depth: number): Visual {
  const id = read.u32();
  const visualClass = read.u8();
  read.skip(3);
  const [redMask, greenMask, blueMask] = [read.u32(), read.u32(), read.u32()];
  read.skip(4);
  return { id, depth, visualClass, redMask, greenMask, blueMask };
}
