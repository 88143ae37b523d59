import { alignmentOf, parseSignature, type BasicCode, type Type } from "./signature.ts";
import { Variant, type Value } from "./value.ts";

/** A value does not fit the type it is sent as. A mistake by the caller. */
export class MarshalError extends Error {
  override readonly name = "MarshalError";
}

export const longestArray = 64 * 1024 * 1024;
export const longestMessage = 128 * 1024 * 1024;

const integers: Readonly<Record<string, readonly [number, number]>> = {
  y: [0, 0xff],
  n: [-0x8000, 0x7fff],
  q: [0, 0xffff],
  i: [-0x8000_0000, 0x7fff_ffff],
  u: [0, 0xffff_ffff],
  h: [0, 0xffff_ffff],
};

/** Writes values in little-endian order; alignment counts from the start of the message. */
export class Writer {
  #bytes: Buffer;
  #length = 0;
  #start = 0;

  constructor(capacity = 256) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Messages follow each other without a gap; returns where this one starts. */
  startMessage(): number {
    this.#start = this.#length;
    return this.#start;
  }

  /** Discards a message that could not be written completely. */
  backTo(length: number): void {
    this.#length = length;
  }

  /** Everything written, as a copy; the writer starts over. */
  take(): Buffer {
    const bytes = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    this.#start = 0;
    return bytes;
  }

  align(to: number): void {
    let missing = (to - ((this.#length - this.#start) & (to - 1))) & (to - 1);
    if (missing === 0) return;
    this.#room(missing);
    for (; missing > 0; missing--) this.#bytes[this.#length++] = 0;
  }

  u8(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  u32(value: number): void {
    this.align(4);
    this.#room(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
  }

  setU32(at: number, value: number): void {
    this.#bytes.writeUInt32LE(value, at);
  }

  string(text: string): void {
    this.align(4);
    // A UTF-16 unit needs at most three bytes; plus one byte for the final zero and four for the length.
    this.#room(text.length * 3 + 5);
    const length = this.#bytes.write(text, this.#length + 4, "utf8");
    this.#bytes.writeUInt32LE(length, this.#length);
    this.#length += 4 + length;
    this.#bytes[this.#length++] = 0;
  }

  signature(text: string): void {
    this.#room(text.length + 2);
    this.#bytes[this.#length++] = text.length;
    this.#length += this.#bytes.write(text, this.#length, "latin1");
    this.#bytes[this.#length++] = 0;
  }

  bytes(data: Uint8Array): void {
    this.#room(data.length);
    this.#bytes.set(data, this.#length);
    this.#length += data.length;
  }

  values(signature: string, values: readonly Value[]): void {
    const types = parseSignature(signature);
    if (types.length !== values.length) {
      throw new MarshalError(`"${signature}" takes ${types.length} values, not ${values.length}.`);
    }
    types.forEach((type, index) => this.value(type, values[index] as Value));
  }

  value(type: Type, value: Value): void {
    switch (type.kind) {
      case "basic":
        return this.#basic(type.code, value);
      case "variant":
        return this.#variant(value);
      case "array":
        return this.#array(type.item, value);
      case "dict":
        return this.#dict(type.key, type.value, value);
      case "struct":
        return this.#struct(type.fields, value);
    }
  }

  #basic(code: BasicCode, value: Value): void {
    switch (code) {
      case "s":
      case "o":
        return this.string(textOf(code, value));
      case "g": {
        const text = textOf(code, value);
        parseSignature(text);
        return this.signature(text);
      }
      case "b":
        if (typeof value !== "boolean") throw mismatch("a boolean", value);
        return this.u32(value ? 1 : 0);
      case "d":
        if (typeof value !== "number") throw mismatch("a number", value);
        this.align(8);
        this.#room(8);
        this.#length = this.#bytes.writeDoubleLE(value, this.#length);
        return;
      case "x":
      case "t":
        return this.#long(code, value);
      default:
        return this.#integer(code, value);
    }
  }

  #integer(code: BasicCode, value: Value): void {
    const [least, most] = integers[code] ?? [0, 0];
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
      throw mismatch(`a whole number from ${least} to ${most}`, value);
    }
    if (code === "y") return this.u8(value);
    if (code === "n" || code === "q") {
      this.align(2);
      this.#room(2);
      this.#length = this.#bytes.writeUInt16LE(value & 0xffff, this.#length);
      return;
    }
    this.u32(value >>> 0);
  }

  #long(code: "x" | "t", value: Value): void {
    if (typeof value !== "bigint" && !Number.isSafeInteger(value)) throw mismatch("a 64-bit whole number", value);
    const whole = BigInt(value as bigint | number);
    const fitting = code === "x" ? BigInt.asIntN(64, whole) : BigInt.asUintN(64, whole);
    if (fitting !== whole) throw mismatch("a 64-bit whole number", value);
    this.align(8);
    this.#room(8);
    this.#length = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, whole), this.#length);
  }

  #variant(value: Value): void {
    if (!(value instanceof Variant)) throw mismatch("a Variant", value);
    const [type, ...rest] = parseSignature(value.signature);
    if (!type || rest.length > 0) throw new MarshalError(`A variant cannot hold "${value.signature}".`);
    this.signature(value.signature);
    this.value(type, value.value);
  }

  #array(item: Type, value: Value): void {
    if (value instanceof Uint8Array && item.kind === "basic" && item.code === "y") {
      this.u32(value.length);
      return this.bytes(value);
    }
    if (!Array.isArray(value)) throw mismatch("an array", value);
    const items: readonly Value[] = value;
    this.#collection(alignmentOf(item), () => {
      for (const each of items) this.value(item, each);
    });
  }

  #dict(key: BasicCode, valueType: Type, value: Value): void {
    if (!(value instanceof Map)) throw mismatch("a Map", value);
    const entries: ReadonlyMap<Value, Value> = value;
    this.#collection(8, () => {
      for (const [name, each] of entries) {
        this.align(8);
        this.#basic(key, name);
        this.value(valueType, each);
      }
    });
  }

  #struct(fields: readonly Type[], value: Value): void {
    if (!Array.isArray(value) || value.length !== fields.length) throw mismatch(`${fields.length} fields`, value);
    this.align(8);
    fields.forEach((field, index) => this.value(field, value[index] as Value));
  }

  /** The length of an array does not include the padding before its first item. */
  #collection(alignment: number, writeItems: () => void): void {
    this.u32(0);
    const lengthAt = this.#length - 4;
    this.align(alignment);
    const start = this.#length;
    writeItems();
    const length = this.#length - start;
    if (length > longestArray) throw new MarshalError(`A D-Bus array of ${length} bytes is longer than 64 MiB.`);
    this.setU32(lengthAt, length);
  }

  #room(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    if (needed > longestMessage) throw new MarshalError("A D-Bus message is longer than 128 MiB.");
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function textOf(code: BasicCode, value: Value): string {
  if (typeof value !== "string") throw mismatch("a string", value);
  // The daemon closes the connection of a client that sends such a string, and every other call would be lost with
  // it.
  if (value.includes("\0")) throw new MarshalError("A D-Bus string cannot hold a zero character.");
  if (code === "o" && !/^\/(?:[A-Za-z0-9_]+(?:\/[A-Za-z0-9_]+)*)?$/.test(value)) {
    throw mismatch("an object path", value);
  }
  return value;
}

const mismatch = (wanted: string, value: Value): MarshalError =>
  new MarshalError(`D-Bus wants ${wanted}, not ${typeof value === "object" ? value.constructor.name : String(value)}.`);
