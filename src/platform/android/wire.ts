/**
 * The wire format of the adb server and of a device's shell service (AOSP: adb/protocol.txt, SERVICES.TXT,
 * shell_protocol.h).
 */

/** A request to the server: four hex digits of length, then the service. */
export function encodeRequest(service: string): Buffer {
  const body = Buffer.from(service, "utf8");
  // The length has four digits, so nothing longer can be sent.
  if (body.length > 0xffff) throw new RangeError(`an adb request of ${body.length} bytes`);
  return Buffer.concat([Buffer.from(body.length.toString(16).padStart(4, "0"), "latin1"), body]);
}

/** The length before an answer, or undefined when these are not four hex digits. */
export function decodeLength(bytes: Uint8Array): number | undefined {
  const digits = Buffer.from(bytes).toString("latin1");
  return /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

export const shellStreams = { stdin: 0, stdout: 1, stderr: 2, exit: 3, closeStdin: 4 } as const;

export interface ShellPacket {
  readonly stream: number;
  readonly data: Buffer;
}

const headSize = 5;

/** A packet of the shell protocol, version 2: stream, length (little endian), data. */
export function encodeShell(stream: number, data: Uint8Array): Buffer {
  const packet = Buffer.allocUnsafe(headSize + data.length);
  packet[0] = stream;
  packet.writeUInt32LE(data.length, 1);
  packet.set(data, headSize);
  return packet;
}

/** Splits a byte stream into packets; incomplete parts wait. Data is passed on without being joined. */
export class ShellDecoder {
  #head = Buffer.alloc(0);
  #stream = 0;
  #left = 0;

  *push(chunk: Buffer): Generator<ShellPacket> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) {
        const needed = headSize - this.#head.length;
        this.#head = Buffer.concat([this.#head, chunk.subarray(at, at + needed)]);
        at = Math.min(chunk.length, at + needed);
        if (this.#head.length < headSize) return;
        this.#stream = this.#head[0] ?? 0;
        this.#left = this.#head.readUInt32LE(1);
        this.#head = Buffer.alloc(0);
        continue;
      }
      const data = chunk.subarray(at, at + this.#left);
      this.#left -= data.length;
      at += data.length;
      yield { stream: this.#stream, data };
    }
  }
}
