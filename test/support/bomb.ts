import { crc32, deflateSync } from "node:zlib";

/** A PNG that claims to be this large and contains almost nothing. */
export function bomb(width: number, height: number): Uint8Array {
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(body.length, 0);
    frame.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const body = deflateSync(Buffer.alloc(1000));
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", body), chunk("IEND", Buffer.alloc(0))]);
}
