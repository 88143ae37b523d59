import type { Rect } from "../../base/geometry.ts";
import { wordsOf, type SharedPicture } from "./picture.ts";
import type { LoadedNetwork } from "./runtime.ts";

/** How likely each pixel of a rectangle is text, 0…255, in memory the threads share. */
export interface Likelihood {
  readonly memory: SharedArrayBuffer;
  readonly width: number;
  readonly height: number;
}

// The network halves the picture five times.
const block = 32;
/** Of the picture, as the network takes it: red, green, blue. */
const mean = [0.485, 0.456, 0.406] as const;
const deviation = [0.229, 0.224, 0.225] as const;

/** Tiles are this large, so that the network's memory stays the same whatever the size of the photograph. */
const tileSide = 640;
const tileOverlap = 64;

/** Where to look, tile by tile, in pixels of the reduced rectangle. */
export function tilesOf(width: number, height: number): Rect[] {
  const starts = (size: number): number[] => {
    const count = Math.max(1, Math.ceil((size - tileOverlap) / (tileSide - tileOverlap)));
    const own = Math.min(size, tileSide);
    return Array.from({ length: count }, (_, i) => (count === 1 ? 0 : Math.round((i * (size - own)) / (count - 1))));
  };
  return starts(height).flatMap((y) =>
    starts(width).map((x) => ({ x, y, width: Math.min(width, tileSide), height: Math.min(height, tileSide) })),
  );
}

export interface LookOrder {
  readonly picture: SharedPicture;
  /** The textured rectangle, in pixels of the picture. */
  readonly area: Rect;
  readonly factor: number;
  readonly tile: Rect;
  readonly likelihood: Likelihood;
}

/** Runs the network over one tile and enters what it says. Where tiles overlap the higher figure stays. */
export async function look(
  network: LoadedNetwork,
  { picture, area, factor, tile, likelihood }: LookOrder,
): Promise<null> {
  const width = Math.ceil(tile.width / block) * block;
  const height = Math.ceil(tile.height / block) * block;
  const input = new Float32Array(3 * width * height);
  const words = wordsOf(picture);
  for (let y = 0; y < tile.height; y++) {
    for (let x = 0; x < tile.width; x++) {
      const [red, green, blue] = average(
        words,
        picture.width,
        area.x + (tile.x + x) * factor,
        area.y + (tile.y + y) * factor,
        factor,
      );
      const at = y * width + x;
      input[at] = (red / 255 - mean[0]) / deviation[0];
      input[at + width * height] = (green / 255 - mean[1]) / deviation[1];
      input[at + 2 * width * height] = (blue / 255 - mean[2]) / deviation[2];
    }
  }
  const { data } = await network.run(input, [1, 3, height, width]);
  const target = new Uint8Array(likelihood.memory);
  for (let y = 0; y < tile.height; y++) {
    for (let x = 0; x < tile.width; x++) {
      const at = (tile.y + y) * likelihood.width + tile.x + x;
      const value = Math.round(255 * (data[y * width + x] as number));
      if (value > (target[at] as number)) target[at] = value;
    }
  }
  return null;
}

function average(
  words: Uint32Array,
  stride: number,
  x: number,
  y: number,
  factor: number,
): readonly [number, number, number] {
  let red = 0;
  let green = 0;
  let blue = 0;
  for (let row = y; row < y + factor; row++) {
    for (let column = x; column < x + factor; column++) {
      const pixel = words[row * stride + column] as number;
      red += (pixel >> 16) & 0xff;
      green += (pixel >> 8) & 0xff;
      blue += pixel & 0xff;
    }
  }
  const area = factor * factor;
  return [red / area, green / area, blue / area];
}

// As PaddleOCR's own post-processing has them.
const threshold = 0.3 * 255;
const surest = 0.6 * 255;
const unclip = 1.5;
const smallest = 3;

/** The rectangles of lines: islands of likely pixels, which the network draws smaller than the text, grown again. */
export function toBoxes({ memory, width, height }: Likelihood): Rect[] {
  const likely = new Uint8Array(memory);
  const isSeen = new Uint8Array(width * height);
  const boxes: Rect[] = [];
  for (let start = 0; start < likely.length; start++) {
    if ((likely[start] as number) < threshold || isSeen[start] === 1) continue;
    const island = explore(likely, isSeen, width, start);
    const own = { width: island.right - island.left, height: island.bottom - island.top };
    if (Math.min(own.width, own.height) < smallest || island.sum / island.pixels < surest) continue;
    const by = Math.round((own.width * own.height * unclip) / (2 * (own.width + own.height)));
    const x = Math.max(0, island.left - by);
    const y = Math.max(0, island.top - by);
    boxes.push({
      x,
      y,
      width: Math.min(width, island.right + by) - x,
      height: Math.min(height, island.bottom + by) - y,
    });
  }
  return boxes;
}

function explore(likely: Uint8Array, isSeen: Uint8Array, width: number, start: number) {
  const island = { left: Infinity, top: Infinity, right: 0, bottom: 0, pixels: 0, sum: 0 };
  const open = [start];
  isSeen[start] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % width;
    const y = Math.floor(at / width);
    island.left = Math.min(island.left, x);
    island.right = Math.max(island.right, x + 1);
    island.top = Math.min(island.top, y);
    island.bottom = Math.max(island.bottom, y + 1);
    island.pixels += 1;
    island.sum += likely[at] as number;
    for (const next of [at - width, at + width, x > 0 ? at - 1 : -1, x + 1 < width ? at + 1 : -1]) {
      if (next < 0 || next >= likely.length || isSeen[next] === 1 || (likely[next] as number) < threshold) continue;
      isSeen[next] = 1;
      open.push(next);
    }
  }
  return island;
}
