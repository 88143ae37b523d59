import { constants } from "./bindings/constants.ts";
import type { Native, Pointer } from "./bindings/native.ts";

/** The caller releases it. */
export function newString(native: Native, text: string): bigint {
  const units = Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return made(native.CFStringCreateWithCharacters(null, units, units.length), "a string");
}

/** The caller releases it. */
export function newNumber(native: Native, value: number): bigint {
  const isWhole = Number.isSafeInteger(value);
  const bytes = isWhole ? BigInt64Array.of(BigInt(value)) : Float64Array.of(value);
  const type = isWhole ? constants.kCFNumberSInt64Type : constants.kCFNumberFloat64Type;
  return made(native.CFNumberCreate(null, type, bytes), "a number");
}

/** The array retains its items. The caller releases it. */
export function newArray(native: Native, items: readonly bigint[]): bigint {
  const callbacks = native.address("CoreFoundation", "kCFTypeArrayCallBacks");
  return made(native.CFArrayCreate(null, BigUint64Array.from(items), items.length, callbacks), "an array");
}

/** The first `most` characters of a string. */
export function textOf(native: Native, string: Pointer, most = Number.POSITIVE_INFINITY): string {
  if (string === null) return "";
  const length = Math.min(native.CFStringGetLength(string), most);
  if (length === 0) return "";
  const units = new Uint16Array(length);
  native.CFStringGetCharacters(string, { location: 0, length }, units);
  return new TextDecoder("utf-16le").decode(units);
}

export function numberOf(native: Native, number: Pointer): number | undefined {
  if (number === null) return undefined;
  const value = new Float64Array(1);
  native.CFNumberGetValue(number, constants.kCFNumberFloat64Type, value);
  return value[0];
}

/** Borrowed from the array: never released. */
export function itemsOf(native: Native, array: Pointer): readonly Pointer[] {
  if (array === null) return [];
  return Array.from({ length: native.CFArrayGetCount(array) }, (_, index) =>
    native.CFArrayGetValueAtIndex(array, index),
  );
}

/** Strings, numbers, booleans, addresses and styled text as plain values; undefined for anything else. */
export function plainOf(native: Native, value: Pointer): string | number | boolean | undefined {
  if (value === null) return undefined;
  switch (native.CFGetTypeID(value)) {
    case native.CFStringGetTypeID():
      return textOf(native, value);
    case native.CFNumberGetTypeID():
      return numberOf(native, value);
    case native.CFBooleanGetTypeID():
      return native.CFBooleanGetValue(value) !== 0;
    case native.CFURLGetTypeID():
      return textOf(native, native.CFURLGetString(value));
    case native.CFAttributedStringGetTypeID():
      return textOf(native, native.CFAttributedStringGetString(value));
    default:
      return undefined;
  }
}

function made(pointer: Pointer, what: string): bigint {
  if (pointer === null) throw new Error(`CoreFoundation could not make ${what}`);
  return pointer;
}
