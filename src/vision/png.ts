import { constants, crc32, createDeflate } from "node:zlib";
import type { Pixels } from "../base/frame.ts";

// The default number of libuv threads.
const stripeCount = 4;
/** Below this, starting a compressor costs more than it saves. */
const smallestStripe = 100_000;

/** A piece of a zlib stream that can be concatenated with others. */
export interface Deflated {
  /** Deflate blocks that end on a byte boundary, refer to nothing before them and are not final (Z_FULL_FLUSH). */
  readonly blocks: Uint8Array;
  /** RFC 1950: checksum of the uncompressed bytes. */
  readonly adler: number;
}

export type Deflate = (bytes: Uint8Array) => Promise<Deflated>;

/**
 * PNG directly from captured `bgrx` pixels, without swapping channels. The picture is cut into stripes that are
 * deflated in parallel on worker threads. Rows are filtered, which halves the size of photographs.
 */
export async function encodePng(pixels: Pixels, deflate: Deflate = deflateWithZlib): Promise<Uint8Array> {
  const { width, height } = pixels;
  const words = toWords(pixels);
  const rowsPerStripe = Math.max(Math.ceil(height / stripeCount), Math.ceil(smallestStripe / (width * 3)));
  const stripes: Promise<Stripe>[] = [];
  // Each stripe is being compressed before the next one is filtered.
  for (let row = 0; row < height; row += rowsPerStripe) {
    const rows = { from: row, to: Math.min(height, row + rowsPerStripe) };
    const filtered = filterRows(words, pixels, rows);
    stripes.push(deflate(filtered).then((deflated) => ({ ...deflated, length: filtered.length })));
  }
  return assemble(pixels, await Promise.all(stripes));
}

function toWords({ data }: Pixels): Int32Array {
  const aligned = data.byteOffset % 4 === 0 ? data : new Uint8Array(data);
  return new Int32Array(aligned.buffer, aligned.byteOffset, Math.floor(aligned.byteLength / 4));
}

// PNG specification, 9.2: type 1 stores each byte as its difference from the same channel of the pixel to the left.
const filterSub = 1;
const topBits = 0x80808080 | 0;
const otherBits = 0x7f7f7f7f;

function filterRows(
  words: Int32Array,
  { width, stride }: Pixels,
  { from, to }: { readonly from: number; readonly to: number },
): Uint8Array {
  const rowBytes = 1 + width * 3;
  // One spare byte at the end: a pixel is written as four bytes, and its neighbour overwrites the last one.
  const out = Buffer.allocUnsafeSlow(rowBytes * (to - from) + 1);
  const view = new DataView(out.buffer);
  let at = 0;
  for (let row = from; row < to; row++) {
    out[at] = filterSub;
    at += 1;
    const start = (row * stride) / 4;
    let left = 0;
    for (let index = start; index < start + width; index++) {
      const pixel = words[index] as number;
      // Subtracts all bytes at once: the top bit of each is kept out of the borrow and restored.
      const difference = ((pixel | topBits) - (left & otherBits)) ^ ((pixel ^ ~left) & topBits);
      left = pixel;
      // Big-endian, with the meaningless byte shifted out: red, green, blue.
      view.setInt32(at, difference << 8);
      at += 3;
    }
  }
  return out.subarray(0, at);
}

interface Stripe extends Deflated {
  /** Uncompressed. */
  readonly length: number;
}

const zlibHeader = Buffer.from([0x78, 0x01]);
/** RFC 1951: an empty final block. */
const lastBlock = Buffer.from([0x03, 0x00]);
const adlerBytes = 4;

function deflateWithZlib(bytes: Uint8Array): Promise<Deflated> {
  return new Promise((resolve, reject) => {
    // One chunk that is certain to hold everything: each additional one would be another trip to the thread and back.
    const compressor = createDeflate({ level: 1, memLevel: 9, chunkSize: bytes.length + 1024 });
    const chunks: Buffer[] = [];
    compressor.on("data", (chunk: Buffer) => chunks.push(chunk));
    compressor.on("error", reject);
    compressor.on("end", () => {
      const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      const end = all.length - adlerBytes;
      const blocks = all.subarray(zlibHeader.length, end - lastBlock.length);
      resolve({ blocks, adler: all.readUInt32BE(end) });
    });
    compressor.write(bytes);
    compressor.flush(constants.Z_FULL_FLUSH, () => compressor.end());
  });
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function assemble({ width, height }: Pixels, stripes: readonly Stripe[]): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, RGB, deflate, the standard filters, not interlaced.
  header.set([8, 2, 0, 0, 0], 8);
  const checksum = Buffer.alloc(adlerBytes);
  checksum.writeUInt32BE(stripes.reduce(joinAdler, { adler: 1, length: 0 }).adler);
  return Buffer.concat([
    signature,
    ...chunk("IHDR", header),
    ...chunk("IDAT", zlibHeader),
    ...stripes.flatMap(({ blocks }) => chunk("IDAT", blocks)),
    ...chunk("IDAT", Buffer.concat([lastBlock, checksum])),
    ...chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array[] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, "latin1");
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(data, crc32(head.subarray(4))), 0);
  return [head, data, tail];
}

const adlerBase = 65_521;

/** The checksum of two pieces from their separate checksums, like zlib's adler32_combine. */
function joinAdler(
  first: Omit<Stripe, "blocks">,
  second: Omit<Stripe, "blocks">,
): { readonly adler: number; readonly length: number } {
  const low = (sum: number) => sum & 0xffff;
  const high = (sum: number) => sum >>> 16;
  const a = (low(first.adler) + low(second.adler) - 1 + adlerBase) % adlerBase;
  const shift = ((second.length % adlerBase) * (low(first.adler) - 1 + adlerBase)) % adlerBase;
  const b = (high(first.adler) + high(second.adler) + shift) % adlerBase;
  return { adler: ((b << 16) | a) >>> 0, length: first.length + second.length };
}
