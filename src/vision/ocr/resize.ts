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
  const padded = source.height + 2 * pad * ratio;
  const scale = height / padded;
  const background = backgroundOf(source);
  const width = Math.max(narrowest, Math.ceil(((source.width + 2 * pad * ratio) * scale) / widthStep) * widthStep);
  const data = new Float32Array(3 * height * width);
  const columns = samples(width, source.width, scale, pad * ratio);
  const rows = samples(height, source.height, scale, pad * ratio);
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= source.width || y >= source.height
      ? background
      : (source.data[y * source.width + x] as number);
  for (let y = 0; y < height; y++) {
    const top = Math.floor(rows[y] as number);
    const down = (rows[y] as number) - top;
    for (let x = 0; x < width; x++) {
      const left = Math.floor(columns[x] as number);
      const right = (columns[x] as number) - left;
      const upper = at(left, top) * (1 - right) + at(left + 1, top) * right;
      const lower = at(left, top + 1) * (1 - right) + at(left + 1, top + 1) * right;
      data[y * width + x] = (upper * (1 - down) + lower * down) / 127.5 - 1;
    }
  }
  const plane = height * width;
  data.copyWithin(plane, 0, plane);
  data.copyWithin(2 * plane, 0, plane);
  return { data, width, scale: scale * ratio };
}

/** Where in the source each pixel of the result lies; outside of it is padding. */
function samples(count: number, size: number, scale: number, pad: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) =>
    Math.min(size + 1, Math.max(-2, (i + 0.5) / scale - 0.5 - pad)),
  );
}

/** Averages squares of pixels, so that very large text does not fall between the samples. */
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

/** The commonest brightness on the border of the box. */
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
