import type { ImageRect, Size } from "../../base/geometry.ts";
import { explore } from "./islands.ts";
import { wordsOf, type Picture } from "./picture.ts";
import type { LoadedNetwork } from "./runtime.ts";

/** How likely each pixel of a rectangle is text, 0…255. */
export interface Likelihood {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

// The network halves the picture five times.
const block = 32;
/** Mean and deviation of the network's input: red, green, blue. */
const mean = [0.485, 0.456, 0.406] as const;
const deviation = [0.229, 0.224, 0.225] as const;

/** The size of tiles, so that the network's memory stays the same whatever the size of the photograph. */
const tileSide = 512;
const tileOverlap = 64;

/** Where to look, tile by tile, in pixels of the reduced rectangle. */
export function tilesOf(width: number, height: number): ImageRect[] {
  const starts = (size: number): number[] => {
    const count = Math.max(1, Math.ceil((size - tileOverlap) / (tileSide - tileOverlap)));
    const own = Math.min(size, tileSide);
    return Array.from({ length: count }, (_, i) => (count === 1 ? 0 : Math.round((i * (size - own)) / (count - 1))));
  };
  return starts(height).flatMap((y) =>
    starts(width).map((x) => ({ x, y, width: Math.min(width, tileSide), height: Math.min(height, tileSide) })),
  );
}

/** Part of a picture, with red, green and blue for each pixel. */
export interface Tile extends Size {
  readonly data: Uint8Array;
}

/** Cuts a tile out of a rectangle of the picture, averaging `factor` × `factor` pixels into one. */
export function tileOf(picture: Picture, area: ImageRect, tile: ImageRect, factor: number): Tile {
  const words = wordsOf(picture);
  const data = new Uint8Array(3 * tile.width * tile.height);
  let to = 0;
  for (let y = 0; y < tile.height; y++) {
    for (let x = 0; x < tile.width; x++) {
      const from = (area.y + (tile.y + y) * factor) * picture.width + area.x + (tile.x + x) * factor;
      for (const shift of [16, 8, 0]) {
        let sum = 0;
        for (let row = 0; row < factor; row++) {
          for (let column = 0; column < factor; column++) {
            sum += ((words[from + row * picture.width + column] as number) >> shift) & 0xff;
          }
        }
        data[to++] = sum / (factor * factor);
      }
    }
  }
  return { data, width: tile.width, height: tile.height };
}

/** Runs the network over one tile. */
export function look(network: LoadedNetwork, tile: Tile): Uint8Array {
  const width = Math.ceil(tile.width / block) * block;
  const height = Math.ceil(tile.height / block) * block;
  const input = new Float32Array(3 * width * height);
  for (let y = 0; y < tile.height; y++) {
    for (let x = 0; x < tile.width; x++) {
      for (let plane = 0; plane < 3; plane++) {
        const value = tile.data[3 * (y * tile.width + x) + plane] as number;
        input[plane * width * height + y * width + x] =
          (value / 255 - (mean[plane] as number)) / (deviation[plane] as number);
      }
    }
  }
  const { data } = network.run(input, [1, 3, height, width]);
  const likely = new Uint8Array(tile.width * tile.height);
  for (let y = 0; y < tile.height; y++) {
    for (let x = 0; x < tile.width; x++) likely[y * tile.width + x] = Math.round(255 * (data[y * width + x] as number));
  }
  return likely;
}

/** Adds the result of a tile. Where tiles overlap, the higher value wins. */
export function enter({ data, width }: Likelihood, tile: ImageRect, likely: Uint8Array): void {
  for (let y = 0; y < tile.height; y++) {
    for (let x = 0; x < tile.width; x++) {
      const at = (tile.y + y) * width + tile.x + x;
      const value = likely[y * tile.width + x] as number;
      if (value > (data[at] as number)) data[at] = value;
    }
  }
}

// As in PaddleOCR's own post-processing.
const threshold = 0.3 * 255;
const surest = 0.6 * 255;
const unclip = 1.5;
const smallest = 3;

/**
 * The rectangles of lines: islands of likely pixels, enlarged because the network draws them smaller than the text.
 */
export function toBoxes({ data: likely, width, height }: Likelihood): ImageRect[] {
  const isSeen = new Uint8Array(width * height);
  const boxes: ImageRect[] = [];
  for (let start = 0; start < likely.length; start++) {
    if ((likely[start] as number) < threshold || isSeen[start] === 1) continue;
    let sum = 0;
    const island = explore(start, width, likely.length, (at) => {
      const value = likely[at] as number;
      if (value < threshold || isSeen[at] === 1) return false;
      isSeen[at] = 1;
      sum += value;
      return true;
    });
    const own = { width: island.right - island.left, height: island.bottom - island.top };
    if (Math.min(own.width, own.height) < smallest || sum / island.squares < surest) continue;
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
