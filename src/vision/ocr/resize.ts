import type { Gray } from "./picture.ts";

export interface FittedLine {
  /** Three equal planes, −1…1, as the network takes them. */
  readonly data: Float32Array;
  readonly width: number;
  /** Columns of the result per column of the source. */
  readonly scale: number;
}

const widthStep = 8;
const narrowest = 32;

/** Scales a line to `height`, with `pad` pixels of its background added on every side. */
export function fitHeight(line: Gray, height: number, pad: number): FittedLine {
  const source = shrink(line, Math.max(1, Math.floor((line.height + 2 * pad) / height)));
  const ratio = source.width / line.width;
  const scale = height / (source.height + 2 * pad * ratio);
  const width = Math.max(narrowest, Math.ceil(((source.width + 2 * pad * ratio) * scale) / widthStep) * widthStep);
  const columns = samples(width, source.width, scale, pad * ratio);
  const rows = samples(height, source.height, scale, pad * ratio);
  const framed = frame(source);
  const stride = source.width + 2 * border;
  const data = new Float32Array(3 * height * width);
  for (let y = 0, to = 0; y < height; y++) {
    const upper = (rows.first[y] as number) * stride;
    const down = rows.part[y] as number;
    for (let x = 0; x < width; x++) {
      const at = upper + (columns.first[x] as number);
      const right = columns.part[x] as number;
      const above = (framed[at] as number) * (1 - right) + (framed[at + 1] as number) * right;
      const below = (framed[at + stride] as number) * (1 - right) + (framed[at + stride + 1] as number) * right;
      data[to++] = (above * (1 - down) + below * down) / 127.5 - 1;
    }
  }
  const plane = height * width;
  data.copyWithin(plane, 0, plane);
  data.copyWithin(2 * plane, 0, plane);
  return { data, width, scale: scale * ratio };
}

// How far a pixel of the result can be outside the source.
const border = 3;

/** The line surrounded by its background. */
function frame(line: Gray): Uint8Array {
  const stride = line.width + 2 * border;
  const framed = new Uint8Array(stride * (line.height + 2 * border)).fill(backgroundOf(line));
  for (let y = 0; y < line.height; y++)
    framed.set(line.data.subarray(y * line.width, (y + 1) * line.width), (y + border) * stride + border);
  return framed;
}

/** The pixels of the framed source between which each pixel of the result lies, and its distance to the first. */
function samples(
  count: number,
  size: number,
  scale: number,
  pad: number,
): { readonly first: Int32Array; readonly part: Float32Array } {
  const first = new Int32Array(count);
  const part = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const place = Math.fround(Math.min(size + 1, Math.max(-2, (i + 0.5) / scale - 0.5 - pad)));
    first[i] = Math.floor(place) + border;
    part[i] = place - Math.floor(place);
  }
  return { first, part };
}

/** Averages squares of pixels, so that strokes of very large text are not missed between samples. */
function shrink(line: Gray, by: number): Gray {
  if (by <= 1) return line;
  const width = Math.max(1, Math.floor(line.width / by));
  const height = Math.max(1, Math.floor(line.height / by));
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let row = 0; row < by; row++) {
        for (let column = 0; column < by; column++) {
          sum += line.data[(y * by + row) * line.width + x * by + column] as number;
        }
      }
      data[y * width + x] = sum / (by * by);
    }
  }
  return { data, width, height };
}

/** The most common brightness on the border of the box. */
export function backgroundOf({ data, width, height }: Gray): number {
  const counts = new Uint32Array(256);
  for (let x = 0; x < width; x++) {
    counts[data[x] as number] = (counts[data[x] as number] as number) + 1;
    const last = data[(height - 1) * width + x] as number;
    counts[last] = (counts[last] as number) + 1;
  }
  for (let y = 0; y < height; y++) {
    const first = data[y * width] as number;
    counts[first] = (counts[first] as number) + 1;
    const last = data[y * width + width - 1] as number;
    counts[last] = (counts[last] as number) + 1;
  }
  let best = 0;
  for (let value = 1; value < 256; value++) if ((counts[value] as number) > (counts[best] as number)) best = value;
  return best;
}
