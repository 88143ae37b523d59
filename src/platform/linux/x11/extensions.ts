import { ToolError } from "../../../base/errors.ts";
import type { Rect } from "../../../base/geometry.ts";
import type { Connection, Extension, RequestOptions } from "./connection.ts";
import { RequestWriter } from "./wire.ts";

/**
 * The extension requests we use. Each function finds its extension itself (requested once per connection, version
 * negotiated) and fails with `not_supported` when the server does not have it.
 */

/** The versions we speak; servers refuse some extensions' requests until a version was negotiated. */
const versions: Readonly<Record<string, readonly [number, number]>> = {
  Composite: [0, 4],
  DAMAGE: [1, 1],
  XFIXES: [5, 0],
  RANDR: [1, 5],
  RENDER: [0, 11],
};

export interface UsableExtension extends Extension {
  readonly major: number;
  readonly minor: number;
}

/** Undefined when the server lacks it. */
export async function findExtension(c: Connection, name: string): Promise<UsableExtension | undefined> {
  const found = await c.extension(name);
  if (!found) return undefined;
  const wanted = versions[name];
  if (!wanted) return { ...found, major: 0, minor: 0 };
  return c.memo(`version ${name}`, async () => {
    const reply = await c.request(
      `${name}.QueryVersion`,
      new RequestWriter(found.opcode, 0).u32(wanted[0]).u32(wanted[1]),
    );
    return { ...found, major: reply.u32(), minor: reply.u32() };
  });
}

export async function needExtension(c: Connection, name: string): Promise<UsableExtension> {
  const found = await findExtension(c, name);
  if (found) return found;
  throw new ToolError("not_supported", `The X server of display ${c.displayName} has no ${name} extension.`, {
    hint: `Start the X server with the ${name} extension enabled.`,
  });
}

// --- XTEST --------------------------------------------------------------------------------------------------

export type FakeInput =
  | { readonly kind: "key"; readonly isDown: boolean; readonly keycode: number }
  | { readonly kind: "button"; readonly isDown: boolean; readonly button: number }
  | { readonly kind: "motion"; readonly x: number; readonly y: number };

/** Sends all of them in one write, in order, and resolves when the server has accepted them. */
export async function fakeInput(c: Connection, inputs: readonly FakeInput[], options?: RequestOptions): Promise<void> {
  const { opcode } = await needExtension(c, "XTEST");
  const last = inputs.at(-1);
  if (!last) return;
  for (const input of inputs.slice(0, -1)) c.send("XTEST.FakeInput", fakeInputWriter(opcode, c.root, input));
  await c.checked("XTEST.FakeInput", fakeInputWriter(opcode, c.root, last), options);
}

/**
 * Sends without waiting, so that a request made in the same turn leaves in the same write; its reply proves that the
 * server has accepted the input.
 */
export async function fakeInputSender(c: Connection): Promise<(input: FakeInput) => void> {
  const { opcode } = await needExtension(c, "XTEST");
  return (input) => c.send("XTEST.FakeInput", fakeInputWriter(opcode, c.root, input));
}

function fakeInputWriter(opcode: number, root: number, input: FakeInput): RequestWriter {
  const [type, detail] =
    input.kind === "motion"
      ? [6, 0]
      : input.kind === "key"
        ? [input.isDown ? 2 : 3, input.keycode]
        : [input.isDown ? 4 : 5, input.button];
  const [x, y] = input.kind === "motion" ? [input.x, input.y] : [0, 0];
  return new RequestWriter(opcode, 2, 36)
    .u8(type)
    .u8(detail)
    .skip(2)
    .u32(0)
    .u32(input.kind === "motion" ? root : 0)
    .skip(8)
    .i16(x)
    .i16(y)
    .skip(8);
}

// --- XInput 2 -----------------------------------------------------------------------------------------------

const genericEvent = 35;

/** Input as the devices report it, whichever window gets it. */
export const rawKinds = { keyPress: 13, keyRelease: 14, buttonPress: 15, buttonRelease: 16, motion: 17 } as const;

export interface RawEvent {
  /** One of `rawKinds`. */
  readonly kind: number;
  /** Keycode, or the number of a button as the device counts them. */
  readonly detail: number;
  /** Milliseconds of the server's clock. */
  readonly time: number;
  /** A key that is held repeats; the movement of a finger is told as one of the pointer, too. */
  readonly isDerived: boolean;
}

/** Reports these kinds of input, wherever the pointer is, and no others. */
export async function selectRaw(c: Connection, kinds: readonly number[], options?: RequestOptions): Promise<void> {
  const { opcode } = await needExtension(c, "XInputExtension");
  // Before 2.1 nothing is reported while a program has the pointer, as with an open menu.
  await c.memo("version XInput 2", () =>
    c.request("XInput.XIQueryVersion", new RequestWriter(opcode, 47).u16(2).u16(2), options),
  );
  const allMasterDevices = 1;
  const writer = new RequestWriter(opcode, 46).u32(c.root).u16(1).skip(2).u16(allMasterDevices).u16(1);
  const mask = kinds.reduce((bits, kind) => bits | (1 << kind), 0);
  await c.checked("XInput.XISelectEvents", writer.u32(mask), options);
}

/** Reads what `selectRaw` asks for; undefined for any other event. */
export async function rawReader(c: Connection): Promise<(event: { readonly bytes: Buffer }) => RawEvent | undefined> {
  const { opcode } = await needExtension(c, "XInputExtension");
  return ({ bytes }) => {
    if ((bytes.readUInt8(0) & 0x7f) !== genericEvent || bytes.readUInt8(1) !== opcode) return undefined;
    const kind = bytes.readUInt16LE(8);
    if (kind < rawKinds.keyPress || kind > rawKinds.motion) return undefined;
    // XI2proto.h: KeyRepeat and PointerEmulated are the same bit.
    const isDerived = (bytes.readUInt32LE(24) & (1 << 16)) !== 0;
    return { kind, detail: bytes.readUInt32LE(16), time: bytes.readUInt32LE(12), isDerived };
  };
}

// --- Composite ----------------------------------------------------------------------------------------------

/** Also draws every child of `window` off-screen, while the server shows them as before. */
export async function redirectSubwindows(c: Connection, window: number, options?: RequestOptions): Promise<void> {
  const { opcode } = await needExtension(c, "Composite");
  await c.checked("Composite.RedirectSubwindows", new RequestWriter(opcode, 2).u32(window).u8(0).skip(3), options);
}

/** Names the off-screen picture of a redirected window; free it with `freePixmap`. */
export async function nameWindowPixmap(c: Connection, window: number, options?: RequestOptions): Promise<number> {
  const { opcode } = await needExtension(c, "Composite");
  const pixmap = c.newId();
  await c.checked("Composite.NameWindowPixmap", new RequestWriter(opcode, 6).u32(window).u32(pixmap), options);
  return pixmap;
}

/** The same without waiting: sends in the turn in which the returned function is called. */
export async function namePixmap(c: Connection): Promise<(window: number) => number> {
  const { opcode } = await needExtension(c, "Composite");
  return (window) => {
    const pixmap = c.newId();
    c.send("Composite.NameWindowPixmap", new RequestWriter(opcode, 6).u32(window).u32(pixmap));
    return pixmap;
  };
}

// --- DAMAGE -------------------------------------------------------------------------------------------------

/**
 * Reports painting on a drawable: "every" paint, or only the "first", and the next one after a `damageTaker` took it.
 */
export async function createDamage(
  c: Connection,
  drawable: number,
  report: "every" | "first",
  options?: RequestOptions,
): Promise<number> {
  const { opcode } = await needExtension(c, "DAMAGE");
  const damage = c.newId();
  const level = report === "every" ? 0 : 3;
  await c.checked("DAMAGE.Create", new RequestWriter(opcode, 1).u32(damage).u32(drawable).u8(level).skip(3), options);
  return damage;
}

export type DamageTaker = (options?: RequestOptions) => Promise<readonly Rect[]>;

/**
 * Returns what was painted since the last call, from top to bottom. Sends in the turn in which it is called, so that
 * its order relative to other requests is certain.
 */
export async function damageTaker(c: Connection, damage: number): Promise<DamageTaker> {
  const [{ opcode }, fixes] = await Promise.all([needExtension(c, "DAMAGE"), needExtension(c, "XFIXES")]);
  const region = c.newId();
  await c.checked("XFIXES.CreateRegion", new RequestWriter(fixes.opcode, 5).u32(region));
  return async (options) => {
    c.send("DAMAGE.Subtract", new RequestWriter(opcode, 3).u32(damage).u32(0).u32(region));
    const reply = await c.request("XFIXES.FetchRegion", new RequestWriter(fixes.opcode, 19).u32(region), options);
    // xfixesproto: the rectangles come after the extents of the region and 16 unused bytes.
    reply.skip(24);
    return Array.from({ length: (reply.bytes.length - reply.offset) / 8 }, () => {
      return { x: reply.i16(), y: reply.i16(), width: reply.u16(), height: reply.u16() };
    });
  };
}

export async function destroyDamage(c: Connection, damage: number): Promise<void> {
  const { opcode } = await needExtension(c, "DAMAGE");
  c.send("DAMAGE.Destroy", new RequestWriter(opcode, 2).u32(damage));
}

// --- XFIXES -------------------------------------------------------------------------------------------------

/** The pointer's image; `x` and `y` are the position of its hot spot on the root window. */
export interface CursorImage {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly hotX: number;
  readonly hotY: number;
  /** ARGB words with premultiplied alpha, as bytes: B, G, R, A. */
  readonly pixels: Buffer;
}

export async function getCursorImage(c: Connection, options?: RequestOptions): Promise<CursorImage> {
  const { opcode } = await needExtension(c, "XFIXES");
  const reply = await c.request("XFIXES.GetCursorImage", new RequestWriter(opcode, 4), options);
  const [x, y, width, height] = [reply.i16(), reply.i16(), reply.u16(), reply.u16()];
  const [hotX, hotY] = [reply.u16(), reply.u16()];
  return { x, y, width, height, hotX, hotY, pixels: reply.skip(12).take(width * height * 4) };
}

/** Sends `XfixesSelectionNotify` to the window whenever somebody takes over the selection, or gives it up. */
export async function selectSelectionOwnerChanges(c: Connection, window: number, selection: number): Promise<void> {
  const { opcode } = await needExtension(c, "XFIXES");
  // xfixesproto: 1 is SetSelectionOwner. A window that is destroyed and a program that ends are not asked for.
  await c.checked("XFIXES.SelectSelectionInput", new RequestWriter(opcode, 2).u32(window).u32(selection).u32(1));
}

// --- RANDR --------------------------------------------------------------------------------------------------

export interface Monitor extends Rect {
  readonly name: number;
  readonly isPrimary: boolean;
  readonly outputs: readonly number[];
  /** What it measures in millimetres; zeros if nobody knows. */
  readonly size: { readonly width: number; readonly height: number };
}

export async function getMonitors(c: Connection, options?: RequestOptions): Promise<readonly Monitor[]> {
  const { opcode } = await needExtension(c, "RANDR");
  const reply = await c.request("RANDR.GetMonitors", new RequestWriter(opcode, 42).u32(c.root).u8(1).skip(3), options);
  const count = reply.skip(4).u32();
  reply.skip(16);
  return Array.from({ length: count }, () => {
    const name = reply.u32();
    const isPrimary = reply.u8() === 1;
    const outputCount = reply.skip(1).u16();
    const [x, y, width, height] = [reply.i16(), reply.i16(), reply.u16(), reply.u16()];
    const size = { width: reply.u32(), height: reply.u32() };
    return { name, isPrimary, x, y, width, height, size, outputs: reply.u32s(outputCount) };
  });
}

/** Adds a logical monitor, or replaces the one with the same name. */
export async function setMonitor(c: Connection, monitor: Monitor, options?: RequestOptions): Promise<void> {
  const { opcode } = await needExtension(c, "RANDR");
  const writer = new RequestWriter(opcode, 43, 40 + monitor.outputs.length * 4)
    .u32(c.root)
    .u32(monitor.name)
    .u8(monitor.isPrimary ? 1 : 0)
    .u8(0)
    .u16(monitor.outputs.length)
    .i16(monitor.x)
    .i16(monitor.y)
    .u16(monitor.width)
    .u16(monitor.height)
    .u32(monitor.size.width)
    .u32(monitor.size.height);
  for (const output of monitor.outputs) writer.u32(output);
  await c.checked("RANDR.SetMonitor", writer, options);
}

// --- X-Resource ---------------------------------------------------------------------------------------------

const localClientPid = 2;

/** The process that made a window or other resource; undefined when the server cannot tell, as for one on another machine. */
export async function findClientPid(
  c: Connection,
  resource: number,
  options?: RequestOptions,
): Promise<number | undefined> {
  const found = await findExtension(c, "X-Resource");
  if (!found) return undefined;
  // resproto 1.2: one pair of client and mask in; in each answer the same pair, then the size of the value in bytes.
  const writer = new RequestWriter(found.opcode, 4).u32(1).u32(resource).u32(localClientPid);
  const reply = await c.request("X-Resource.QueryClientIds", writer, options);
  if (reply.u32() === 0) return undefined;
  const size = reply.skip(20).skip(8).u32();
  return size === 4 ? reply.u32() || undefined : undefined;
}

// --- MIT-SHM ------------------------------------------------------------------------------------------------

export interface ShmVersion {
  readonly major: number;
  readonly minor: number;
}

export function getShmVersion(c: Connection): Promise<ShmVersion> {
  return c.memo("version MIT-SHM", async () => {
    const { opcode } = await needExtension(c, "MIT-SHM");
    const reply = await c.request("MIT-SHM.QueryVersion", new RequestWriter(opcode, 0));
    return { major: reply.u16(), minor: reply.u16() };
  });
}

export async function shmAttach(c: Connection, shmid: number): Promise<number> {
  const { opcode } = await needExtension(c, "MIT-SHM");
  const segment = c.newId();
  await c.checked("MIT-SHM.Attach", new RequestWriter(opcode, 1).u32(segment).u32(shmid).u8(0).skip(3));
  return segment;
}

/** `transmit` must send the bytes together with the descriptor of the memory. */
export async function shmAttachFd(c: Connection, transmit: (socketFd: number, bytes: Buffer) => void): Promise<number> {
  const { opcode } = await needExtension(c, "MIT-SHM");
  const segment = c.newId();
  const writer = new RequestWriter(opcode, 6).u32(segment).u8(0).skip(3);
  await c.checkedOutOfBand("MIT-SHM.AttachFd", writer, transmit);
  return segment;
}

export async function shmDetach(c: Connection, segment: number): Promise<void> {
  const { opcode } = await needExtension(c, "MIT-SHM");
  c.send("MIT-SHM.Detach", new RequestWriter(opcode, 2).u32(segment));
}

export interface ShmImage {
  readonly depth: number;
  readonly visual: number;
  readonly size: number;
}

/** Where the server writes: the segment, and the offset in it. */
export interface ShmPlace {
  readonly segment: number;
  readonly offset: number;
}

export type ShmFetcher = (drawable: number, rect: Rect, place: ShmPlace, options?: RequestOptions) => Promise<ShmImage>;

/** Sends in the turn in which it is called, as `damageTaker` does. */
export async function shmFetcher(c: Connection): Promise<ShmFetcher> {
  const { opcode } = await needExtension(c, "MIT-SHM");
  return async (drawable, rect, { segment, offset }, options) => {
    const writer = new RequestWriter(opcode, 4, 32)
      .u32(drawable)
      .i16(rect.x)
      .i16(rect.y)
      .u16(rect.width)
      .u16(rect.height)
      .u32(0xffffffff)
      .u8(2)
      .skip(3)
      .u32(segment)
      .u32(offset);
    const reply = await c.request("MIT-SHM.GetImage", writer, options);
    return { depth: reply.data, visual: reply.u32(), size: reply.u32() };
  };
}

export async function shmGetImage(
  c: Connection,
  drawable: number,
  rect: Rect,
  segment: number,
  options?: RequestOptions,
): Promise<ShmImage> {
  const fetch = await shmFetcher(c);
  return fetch(drawable, rect, { segment, offset: 0 }, options);
}
