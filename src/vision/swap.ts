import type { Pixels } from "../base/frame.ts";

/**
 * Packs pixels as three tight channels in RGB order. Each step turns four pixels into three 32-bit words: a byte loop
 * takes more than twice as long on a full screen. Three channels, because the fourth byte of `bgrx` is zero and an
 * encoder would read that as "fully transparent".
 */
export function toRgb(pixels: Pixels): Uint8Array {
  const { width, height, stride, data } = pixels;
  if (pixels.format === "rgb") return stride === width * 3 ? data : packRows(pixels);
  const out = Buffer.allocUnsafeSlow(width * height * 3);
  const aligned = data.byteOffset % 4 === 0 && stride % 4 === 0;
  const source = aligned ? data : new Uint8Array(data);
  const words = new Uint32Array(source.buffer, source.byteOffset, Math.floor(source.byteLength / 4));
  if (width % 4 === 0) swapFast(words, stride / 4, width, height, out);
  else swapSlow(source, stride, width, height, out);
  return out;
}

function swapFast(words: Uint32Array, rowWords: number, width: number, height: number, out: Buffer): void {
  const target = new Uint32Array(out.buffer, out.byteOffset, out.byteLength / 4);
  let to = 0;
  for (let y = 0; y < height; y++) {
    let from = y * rowWords;
    const end = from + width;
    while (from < end) {
      const a = words[from] as number;
      const b = words[from + 1] as number;
      const c = words[from + 2] as number;
      const d = words[from + 3] as number;
      target[to] = ((a >>> 16) & 0xff) | (a & 0xff00) | ((a & 0xff) << 16) | ((b << 8) & 0xff000000);
      target[to + 1] = ((b >>> 8) & 0xff) | ((b & 0xff) << 8) | (c & 0xff0000) | ((c & 0xff00) << 16);
      target[to + 2] = (c & 0xff) | ((d >>> 8) & 0xff00) | ((d & 0xff00) << 8) | ((d & 0xff) << 24);
      from += 4;
      to += 3;
    }
  }
}

function swapSlow(data: Uint8Array, stride: number, width: number, height: number, out: Buffer): void {
  let to = 0;
  for (let y = 0; y < height; y++) {
    let from = y * stride;
    for (let x = 0; x < width; x++) {
      out[to] = data[from + 2] as number;
      out[to + 1] = data[from + 1] as number;
      out[to + 2] = data[from] as number;
      from += 4;
      to += 3;
    }
  }
}

function packRows({ data, width, height, stride }: Pixels): Uint8Array {
  const out = Buffer.allocUnsafeSlow(width * height * 3);
  for (let y = 0; y < height; y++) out.set(data.subarray(y * stride, y * stride + width * 3), y * width * 3);
  return out;
}
