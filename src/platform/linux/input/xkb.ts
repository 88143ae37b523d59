import { ToolError } from "../../../base/errors.ts";
import type { KeyRow } from "./keymap.ts";
import type { Keysym } from "./keysyms.ts";
import type { Connection, Extension, RequestOptions } from "../x11/connection.ts";
import type { XEvent } from "../x11/events.ts";
import { RequestWriter, type Reply } from "../x11/wire.ts";

/**
 * The few requests of the XKEYBOARD extension that typing needs (The X Keyboard Extension: Protocol Specification,
 * §16 and appendix D). The core request ChangeKeyboardMapping is not enough: it can only rewrite a contiguous range,
 * and in the core form the keys in between lose or gain groups.
 */
const coreKeyboard = 0x100;
const keySymsPart = 1 << 1;
const modifierMapPart = 1 << 2;
const twoLevelType = 1;
const keypadType = 3;

/** Bits of a modifier mask. */
export const modifierBits = {
  shift: 1,
  lock: 2,
  control: 4,
  mod1: 8,
  mod2: 16,
  mod3: 32,
  mod4: 64,
  mod5: 128,
} as const;

export function useXkb(c: Connection): Promise<Extension> {
  return c.memo("use XKEYBOARD", async () => {
    const extension = await c.extension("XKEYBOARD");
    const reply =
      extension && (await c.request("Xkb.UseExtension", new RequestWriter(extension.opcode, 0).u16(1).u16(0)));
    if (!extension || reply?.data !== 1) {
      throw new ToolError("not_supported", `The X server of display ${c.displayName} has no XKEYBOARD extension.`, {
        hint: "Typing needs it; every current X server has it unless it was switched off.",
      });
    }
    const [newKeyboard, map] = [1 << 0, 1 << 1];
    const writer = new RequestWriter(extension.opcode, 1).u16(coreKeyboard).u16(newKeyboard | map);
    c.send(
      "Xkb.SelectEvents",
      writer
        .u16(0)
        .u16(newKeyboard | map)
        .u16(0xff)
        .u16(0xff),
    );
    return extension;
  });
}

/** True for an event after which keys may type something else. */
export function isMappingChange(event: XEvent, xkb: Extension): boolean {
  if (event.type === "MappingNotify") return event.request !== "pointer";
  return event.type === "Other" && event.code === xkb.firstEvent && event.bytes.readUInt8(1) <= 1;
}

/** The keymap of the server: `rows` for reading, `raw` for writing a range back unchanged. */
export interface KeyboardMap {
  readonly rows: readonly KeyRow[];
  readonly raw: ReadonlyMap<number, Buffer>;
  /** Keycodes that set modifier bits: keycode → bits. */
  readonly modifiers: ReadonlyMap<number, number>;
}

export async function getMap(c: Connection, options?: RequestOptions): Promise<KeyboardMap> {
  const { opcode } = await useXkb(c);
  const writer = new RequestWriter(opcode, 8)
    .u16(coreKeyboard)
    .u16(keySymsPart | modifierMapPart)
    .skip(20);
  const reply = await c.request("Xkb.GetMap", writer, options);
  const first = reply.skip(9).u8();
  reply.skip(2);
  const count = reply.u8();
  reply.skip(12);
  const modifierCount = reply.u8();
  reply.skip(6);
  const keys = Array.from({ length: count }, (_, index) => readKey(reply, first + index));
  const modifiers = new Map(Array.from({ length: modifierCount }, () => [reply.u8(), reply.u8()] as const));
  return {
    rows: keys.map(({ row }) => ({ ...row, isModifier: modifiers.has(row.keycode) })),
    raw: new Map(keys.map(({ row, raw }) => [row.keycode, raw])),
    modifiers,
  };
}

function readKey(reply: Reply, keycode: number): { row: Omit<KeyRow, "isModifier">; raw: Buffer } {
  const from = reply.offset;
  const type = reply.u8();
  const groups = reply.skip(3).u8() & 0x0f;
  const width = reply.u8();
  const keysyms = reply.u32s(reply.u16());
  const byGroup = Array.from({ length: groups }, (_, group) => keysyms.slice(group * width, (group + 1) * width));
  const [levels = [], ...otherGroups] = byGroup;
  const raw = Buffer.from(reply.bytes.subarray(from, reply.offset));
  return { row: { keycode, levels, otherGroups, isShiftable: type !== keypadType }, raw };
}

/** A key that types `keysym` with and without Shift; 0 for an empty key. */
export function keyGiving(keysym: Keysym): Buffer {
  if (keysym === 0) return Buffer.alloc(8);
  const key = Buffer.alloc(16);
  key.set([twoLevelType, 0, 0, 0, 1, 2]);
  key.writeUInt16LE(2, 6);
  key.writeUInt32LE(keysym, 8);
  key.writeUInt32LE(keysym, 12);
  return key;
}

/** Sets some keys in one request, rewriting those in between exactly as they are in `map`. */
export async function setKeys(c: Connection, map: KeyboardMap, keys: ReadonlyMap<number, Keysym>): Promise<void> {
  if (keys.size === 0) return;
  const { opcode } = await useXkb(c);
  const first = Math.min(...keys.keys());
  const count = Math.max(...keys.keys()) - first + 1;
  const all = Buffer.concat(
    Array.from({ length: count }, (_, index) => {
      const keysym = keys.get(first + index);
      return keysym === undefined ? (map.raw.get(first + index) ?? Buffer.alloc(8)) : keyGiving(keysym);
    }),
  );
  const { minKeycode, maxKeycode } = c.setup;
  const writer = new RequestWriter(opcode, 9, 64 + all.length)
    .u16(coreKeyboard)
    .u16(keySymsPart)
    .u16(0)
    .u8(minKeycode)
    .u8(maxKeycode)
    .skip(2)
    .u8(first)
    .u8(count)
    .u16((all.length - count * 8) / 4)
    .skip(18)
    .bytes(all);
  await c.checked("Xkb.SetMap", writer);
}

export interface KeyboardState {
  /** Modifiers of keys that are down. */
  readonly baseModifiers: number;
  readonly lockedModifiers: number;
  readonly lockedGroup: number;
}

export async function getState(c: Connection, options?: RequestOptions): Promise<KeyboardState> {
  const { opcode } = await useXkb(c);
  const reply = await c.request("Xkb.GetState", new RequestWriter(opcode, 4).u16(coreKeyboard).skip(2), options);
  const baseModifiers = reply.skip(1).u8();
  return { baseModifiers, lockedModifiers: reply.skip(1).u8(), lockedGroup: reply.skip(1).u8() };
}

/** Locks or unlocks the modifiers in `affected`, and the group. */
export async function lockState(
  c: Connection,
  state: { readonly affected: number; readonly locked: number; readonly group: number },
): Promise<void> {
  const { opcode } = await useXkb(c);
  const writer = new RequestWriter(opcode, 5).u16(coreKeyboard).u8(state.affected).u8(state.locked);
  c.send("Xkb.LatchLockState", writer.u8(1).u8(state.group).skip(6));
}
