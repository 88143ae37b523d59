import { Transform, type TransformCallback } from "node:stream";
import { IdScanner, type MessageId } from "./id-scanner.ts";

export interface DroppedLine {
  readonly bytes: number;
  /** Undefined for a notification, and for anything that is not a message. */
  readonly id: MessageId | undefined;
}

const newline = 0x0a;

/**
 * Passes on whole lines, each as one chunk. A line that is too long is dropped as it comes in, however long it gets,
 * and reported at its end: the SDK would close the connection, and with it the process.
 */
export class StdioLines extends Transform {
  readonly #maxBytes: number;
  readonly #onDropped: (line: DroppedLine) => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #scanner: IdScanner | undefined;

  constructor(maxBytes: number, onDropped: (line: DroppedLine) => void) {
    super();
    this.#maxBytes = maxBytes;
    this.#onDropped = onDropped;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#take(chunk.subarray(from, end + 1));
      this.#endLine();
      from = end + 1;
    }
    this.#take(chunk.subarray(from));
    done();
  }

  #take(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (!this.#scanner && this.#bytes <= this.#maxBytes) {
      this.#parts.push(part);
      return;
    }
    if (!this.#scanner) {
      this.#scanner = new IdScanner();
      for (const kept of this.#parts) this.#scanner.read(kept);
      this.#parts = [];
    }
    this.#scanner.read(part);
  }

  #endLine(): void {
    if (this.#scanner) this.#onDropped({ bytes: this.#bytes, id: this.#scanner.id });
    else this.push(this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts, this.#bytes));
    this.#parts = [];
    this.#bytes = 0;
    this.#scanner = undefined;
  }
}
