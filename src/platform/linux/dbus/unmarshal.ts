import { longestArray } from "./marshal.ts";
import { alignmentOf, parseSignature, type BasicCode, type Type } from "./signature.ts";
import { Variant, type Value } from "./value.ts";

/** Bytes that violate the D-Bus specification. The connection they came from is unusable. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

const deepestVariants = 64;

/**
 * Reads values in either byte order; alignment counts from the start of the bytes. Everything returned is a copy, so
 * the bytes may be overwritten as soon as reading is done.
 */
export class Reader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #little: boolean;
  #at: number;
  #variants = 0;

  constructor(bytes: Buffer, little: boolean, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#little = little;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  align(to: number): void {
    this.#at = Math.ceil(this.#at / to) * to;
  }

  u8(): number {
    this.#need(1);
    return this.#view.getUint8(this.#at++);
  }

  u32(): number {
    this.#at = (this.#at + 3) & ~3;
    this.#need(4);
    const value = this.#view.getUint32(this.#at, this.#little);
    this.#at += 4;
    return value;
  }

  string(): string {
    return this.#text(this.u32());
  }

  skipString(): void {
    const length = this.u32();
    this.#need(length + 1);
    this.#at += length + 1;
  }

  signature(): string {
    return this.#text(this.u8());
  }

  values(signature: string): readonly Value[] {
    return parseSignature(signature).map((type) => this.value(type));
  }

  value(type: Type): Value {
    switch (type.kind) {
      case "basic":
        return this.#basic(type.code);
      case "variant":
        return this.#variant();
      case "array":
        return this.#array(type.item);
      case "dict":
        return this.#dict(type.key, type.value);
      case "struct": {
        this.#at = (this.#at + 7) & ~7;
        const fields: Value[] = [];
        for (const field of type.fields) fields.push(this.value(field));
        return fields;
      }
    }
  }

  #basic(code: BasicCode): Value {
    switch (code) {
      case "s":
      case "o":
        return this.string();
      case "g":
        return this.signature();
      case "u":
      case "h":
        return this.u32();
      case "i":
        return this.u32() | 0;
      case "y":
        return this.u8();
      case "b":
        return this.u32() !== 0;
      case "n":
        return this.#read(2, () => this.#view.getInt16(this.#at, this.#little));
      case "q":
        return this.#read(2, () => this.#view.getUint16(this.#at, this.#little));
      case "x":
        return this.#read(8, () => this.#view.getBigInt64(this.#at, this.#little));
      case "t":
        return this.#read(8, () => this.#view.getBigUint64(this.#at, this.#little));
      case "d":
        return this.#read(8, () => this.#view.getFloat64(this.#at, this.#little));
    }
  }

  #read<T>(size: 2 | 8, get: () => T): T {
    this.align(size);
    this.#need(size);
    const value = get();
    this.#at += size;
    return value;
  }

  #variant(): Variant {
    // A variant can contain a variant, so without a limit a few hundred bytes could exhaust the stack.
    if (++this.#variants > deepestVariants) throw new ProtocolError("Variants are nested too deeply.");
    const signature = this.signature();
    const [type, ...rest] = parseSignature(signature);
    if (!type || rest.length > 0) throw new ProtocolError(`A variant holds "${signature}".`);
    const value = this.value(type);
    this.#variants -= 1;
    return new Variant(signature, value);
  }

  #array(item: Type): Value {
    const end = this.#arrayEnd(alignmentOf(item));
    if (item.kind === "basic" && item.code === "y") {
      const bytes = new Uint8Array(this.#bytes.subarray(this.#at, end));
      this.#at = end;
      return bytes;
    }
    const items: Value[] = [];
    while (this.#at < end) items.push(this.value(item));
    this.#closed(end);
    return items;
  }

  #dict(key: BasicCode, valueType: Type): Value {
    const end = this.#arrayEnd(8);
    const entries = new Map<Value, Value>();
    while (this.#at < end) {
      this.align(8);
      const name = this.#basic(key);
      entries.set(name, this.value(valueType));
    }
    this.#closed(end);
    return entries;
  }

  #arrayEnd(alignment: number): number {
    const length = this.u32();
    if (length > longestArray) throw new ProtocolError(`An array claims ${length} bytes.`);
    this.align(alignment);
    this.#need(length);
    return this.#at + length;
  }

  #closed(end: number): void {
    if (this.#at !== end) throw new ProtocolError("An array does not end where it says.");
  }

  #text(length: number): string {
    this.#need(length + 1);
    const text = this.#bytes.toString("utf8", this.#at, this.#at + length);
    this.#at += length + 1;
    return text;
  }

  #need(count: number): void {
    if (this.#at + count > this.#bytes.length) throw new ProtocolError("A message ends in the middle of a value.");
  }
}
