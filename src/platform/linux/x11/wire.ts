/** Little-endian encoding of X11 requests and decoding of what the server sends. */

export const padded = (length: number): number => (length + 3) & ~3;

/** Builds one request. The length field is filled in by `finish`. */
export class RequestWriter {
  #bytes: Buffer;
  #at = 4;

  /** `data` is the second byte: a core request's extra argument, or an extension's minor opcode. */
  constructor(opcode: number, data = 0, sizeHint = 32) {
    this.#bytes = Buffer.alloc(Math.max(sizeHint, 4));
    this.#bytes[0] = opcode;
    this.#bytes[1] = data;
  }

  u8(value: number): this {
    this.#room(1);
    this.#bytes[this.#at] = value & 0xff;
    this.#at += 1;
    return this;
  }

  u16(value: number): this {
    this.#room(2);
    this.#bytes.writeUInt16LE(value & 0xffff, this.#at);
    this.#at += 2;
    return this;
  }

  u32(value: number): this {
    this.#room(4);
    this.#bytes.writeUInt32LE(value >>> 0, this.#at);
    this.#at += 4;
    return this;
  }

  /** Negative numbers wrap as two's complement, as the protocol's INT16 and INT32 require. */
  i16(value: number): this {
    return this.u16(value);
  }

  i32(value: number): this {
    return this.u32(value);
  }

  skip(count: number): this {
    this.#room(count);
    this.#at += count;
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#room(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  pad(): this {
    return this.skip(padded(this.#at) - this.#at);
  }

  /** The finished request; requests longer than 262 140 bytes take the BIG-REQUESTS form. */
  finish(): Buffer {
    this.pad();
    const words = this.#at / 4;
    if (words <= 0xffff) {
      this.#bytes.writeUInt16LE(words, 2);
      return this.#bytes.subarray(0, this.#at);
    }
    const long = Buffer.alloc(this.#at + 4);
    this.#bytes.copy(long, 0, 0, 4);
    long.writeUInt16LE(0, 2);
    long.writeUInt32LE(words + 1, 4);
    this.#bytes.copy(long, 8, 4, this.#at);
    return long;
  }

  #room(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

/** Reads fields one after the other; reading past the end throws a RangeError. */
export class Reader {
  readonly bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, offset = 0) {
    this.bytes = bytes;
    this.#at = offset;
  }

  get offset(): number {
    return this.#at;
  }

  u8(): number {
    return this.bytes.readUInt8(this.#advance(1));
  }

  i8(): number {
    return this.bytes.readInt8(this.#advance(1));
  }

  u16(): number {
    return this.bytes.readUInt16LE(this.#advance(2));
  }

  i16(): number {
    return this.bytes.readInt16LE(this.#advance(2));
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.#advance(4));
  }

  i32(): number {
    return this.bytes.readInt32LE(this.#advance(4));
  }

  u32s(count: number): number[] {
    return Array.from({ length: count }, () => this.u32());
  }

  skip(count: number): this {
    this.#at += count;
    return this;
  }

  take(count: number): Buffer {
    const from = this.#advance(count);
    if (this.#at > this.bytes.length) throw new RangeError(`${count} bytes wanted, ${this.bytes.length - from} left`);
    return this.bytes.subarray(from, this.#at);
  }

  text(count: number): string {
    return this.take(count).toString("utf8");
  }

  #advance(count: number): number {
    const from = this.#at;
    this.#at += count;
    return from;
  }
}

/** A reply: `data` is its second byte; the reader starts after the eight header bytes. */
export class Reply extends Reader {
  get data(): number {
    return this.bytes.readUInt8(1);
  }

  constructor(bytes: Buffer) {
    super(bytes, 8);
  }
}
