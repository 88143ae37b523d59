import { headLength, messageLength } from "./message.ts";

/**
 * Splits the byte stream into messages. A message that arrived complete is passed on without a copy: replies are
 * small and come in thousands, and copying each would cost more than reading it.
 */
export class MessageStream {
  #rest: Buffer = Buffer.alloc(0);
  #long: { readonly bytes: Buffer; filled: number } | undefined;

  /** Calls `take` for every message completed by this chunk; the bytes are valid only during that call. */
  add(chunk: Buffer, take: (message: Buffer) => void): void {
    let data = chunk;
    if (this.#long) {
      const { bytes, filled } = this.#long;
      const count = Math.min(bytes.length - filled, data.length);
      data.copy(bytes, filled, 0, count);
      this.#long.filled += count;
      if (this.#long.filled < bytes.length) return;
      this.#long = undefined;
      take(bytes);
      data = data.subarray(count);
    } else if (this.#rest.length > 0) {
      data = Buffer.concat([this.#rest, data]);
      this.#rest = Buffer.alloc(0);
    }
    let at = 0;
    while (data.length - at >= headLength) {
      const length = messageLength(data, at);
      if (data.length - at < length) {
        const bytes = Buffer.allocUnsafeSlow(length);
        data.copy(bytes, 0, at);
        this.#long = { bytes, filled: data.length - at };
        return;
      }
      // Alignment counts from the start of a message, so each gets its own view.
      take(data.subarray(at, at + length));
      at += length;
    }
    this.#rest = Buffer.from(data.subarray(at));
  }
}
