/**
 * Splits the byte stream into X11 messages. A long message is collected into one buffer of its final size, so an 8 MB
 * picture that arrives in 200 pieces is copied once, not 200 times.
 */
export class Incoming {
  /** Fewer bytes than a message header, or nothing. */
  #rest: Buffer = Buffer.alloc(0);
  #long: { readonly bytes: Buffer; filled: number } | undefined;
  readonly #headLength: number;
  readonly #lengthOf: (head: Buffer) => number;

  constructor(headLength: number, lengthOf: (head: Buffer) => number) {
    this.#headLength = headLength;
    this.#lengthOf = lengthOf;
  }

  /** Every message completed by this chunk. The chunk may be overwritten afterwards: nothing refers to it. */
  *add(chunk: Buffer): Generator<Buffer> {
    let at = 0;
    while (at < chunk.length) {
      if (!this.#long) {
        const missing = this.#headLength - this.#rest.length;
        const head = Buffer.concat([this.#rest, chunk.subarray(at, at + missing)]);
        at += head.length - this.#rest.length;
        if (head.length < this.#headLength) {
          this.#rest = head;
          return;
        }
        this.#rest = Buffer.alloc(0);
        const length = this.#lengthOf(head);
        if (length === head.length) {
          yield head;
          continue;
        }
        const bytes = Buffer.allocUnsafeSlow(length);
        head.copy(bytes);
        this.#long = { bytes, filled: head.length };
      }
      const { bytes } = this.#long;
      const count = Math.min(bytes.length - this.#long.filled, chunk.length - at);
      chunk.copy(bytes, this.#long.filled, at, at + count);
      at += count;
      this.#long.filled += count;
      if (this.#long.filled === bytes.length) {
        this.#long = undefined;
        yield bytes;
      }
    }
  }
}

/** Replies and generic events (35) say how much follows their 32 bytes; errors and other events never do. */
export function messageLength(head: Buffer): number {
  const code = head.readUInt8(0) & 0x7f;
  return code === 1 || code === 35 ? 32 + head.readUInt32LE(4) * 4 : 32;
}
