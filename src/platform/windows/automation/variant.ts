import { needKoffi, type Address } from "./com.ts";

/** oaidl.h: the type in the first two bytes, the value from the ninth on. */
export const variantSize = 24;

const type = { empty: 0, null: 1, i2: 2, i4: 3, r4: 4, r8: 5, bstr: 8, dispatch: 9, bool: 11, unknown: 13 } as const;
const wide = { i1: 16, ui1: 17, ui2: 18, ui4: 19, i8: 20, int: 22, uint: 23 } as const;
const array = 0x2000;

/** Memory that crosses an interface belongs to OLE: it is made and freed by its functions. */
export interface OleMemory {
  /** Frees whatever the variant holds. */
  clear(variant: Buffer): void;
  makeString(text: string): Address;
  freeString(address: Address): void;
}

/** An object that a variant holds; the variant owns the reference. */
export class Held {
  readonly address: Address;
  readonly isDispatch: boolean;

  constructor(address: Address, isDispatch: boolean) {
    this.address = address;
    this.isDispatch = isDispatch;
  }
}

export type VariantValue = undefined | boolean | number | string | readonly number[] | Held;

export function emptyVariant(): Buffer {
  return Buffer.alloc(variantSize);
}

export function intVariant(value: number): Buffer {
  const variant = emptyVariant();
  variant.writeUInt16LE(type.i4, 0);
  variant.writeInt32LE(value, 8);
  return variant;
}

/** What the variant holds; undefined for nothing, and for types that no caller needs. */
export function readVariant(variant: Buffer): VariantValue {
  const kind = variant.readUInt16LE(0);
  switch (kind) {
    case type.i2:
      return variant.readInt16LE(8);
    case type.i4:
    case wide.int:
      return variant.readInt32LE(8);
    case wide.i1:
      return variant.readInt8(8);
    case wide.ui1:
      return variant.readUInt8(8);
    case wide.ui2:
      return variant.readUInt16LE(8);
    case wide.ui4:
    case wide.uint:
      return variant.readUInt32LE(8);
    case wide.i8:
      return Number(variant.readBigInt64LE(8));
    case type.r4:
      return variant.readFloatLE(8);
    case type.r8:
      return variant.readDoubleLE(8);
    case type.bool:
      return variant.readInt16LE(8) !== 0;
    case type.bstr:
      return readString(variant.readBigUInt64LE(8));
    case type.dispatch:
    case type.unknown: {
      const address = variant.readBigUInt64LE(8);
      return address === 0n ? undefined : new Held(address, kind === type.dispatch);
    }
    case array | type.i4:
    case array | type.r8:
      return readArray(variant.readBigUInt64LE(8), kind === (array | type.i4) ? "int32" : "double");
    default:
      return undefined;
  }
}

/** Reads the value and frees it. Objects are lost with it: `take` them first. */
export function takeVariant(variant: Buffer, memory: OleMemory): Exclude<VariantValue, Held> {
  const value = readVariant(variant);
  memory.clear(variant);
  return value instanceof Held ? undefined : value;
}

/** A BSTR: its length in bytes stands before it, and it may contain zeros. */
function readString(address: Address): string {
  if (address === 0n) return "";
  const ffi = needKoffi();
  const bytes = ffi.decode(address - 4n, "uint32") as number;
  return bytes === 0 ? "" : ffi.decode.string16(address, bytes / 2);
}

/** Reads a string that a call has returned, and frees it. */
export function takeString(address: Address | null, memory: OleMemory): string | undefined {
  if (address === null) return undefined;
  const text = readString(address);
  memory.freeString(address);
  return text;
}

/** A SAFEARRAY with one dimension: oaidl.h. */
function readArray(address: Address, element: "int32" | "double"): readonly number[] | undefined {
  if (address === 0n) return undefined;
  const ffi = needKoffi();
  const dimensions = ffi.decode(address, "uint16") as number;
  const data = ffi.decode(address, 16, "void *") as Address | null;
  const count = ffi.decode(address, 24, "uint32") as number;
  if (dimensions !== 1 || data === null) return undefined;
  return Array.from(ffi.decode(data, element, count) as ArrayLike<number>);
}
