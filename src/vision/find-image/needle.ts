import { ToolError } from "../../base/errors.ts";

/** A decoded picture: four bytes per pixel, red first, no padding. */
export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** What to look for. */
export interface Needle {
  readonly picture: Rgba;
  /** One byte per pixel, in the same size: from 128 on the pixel counts. */
  readonly mask?: Uint8Array | undefined;
}

/** Turns brightness into a mask: white counts, black and transparent are ignored. */
export function toMask({ width, height, data }: Rgba): Uint8Array {
  const mask = new Uint8Array(width * height);
  for (let index = 0; index < mask.length; index++) {
    const at = index * 4;
    const grey = (data[at] as number) * 77 + (data[at + 1] as number) * 150 + (data[at + 2] as number) * 29;
    mask[index] = (grey * (data[at + 3] as number)) / (255 * 256);
  }
  return mask;
}

/**
 * How the kernel compares: every pixel, only those inside the mask, or all, with the background showing through
 * transparent ones.
 */
export type Comparison = "all" | "masked" | "see-through";

export interface Traits {
  readonly comparison: Comparison;
  /** Weights of red, green and blue, out of 256, in the brightness that is compared. */
  readonly weights: readonly [number, number, number];
  /** The fraction of the pixels that counts, 0 to 1. */
  readonly share: number;
}

const smallestSide = 6;
const fewestPixels = 64;
const largestPixels = 4_000_000;
/** 255 × 0.97, as in the kernel: a more transparent pixel takes its colour from the background. */
const opaque = 248;
/** Deviations (out of 255) below this are just noise. */
const leastDeviation = 4;
/** Inside its outline, a single-colour icon has less than this; only the outline distinguishes it. */
const leastInside = 20;
const luma: Traits["weights"] = [77, 150, 29];
/** Looking at more pixels than this would not change the decision. */
const sampled = 60_000;

/** Decides how to compare a picture; refuses one that would be found everywhere or nowhere. */
export function examine({ picture, mask }: Needle): Traits {
  const { width, height } = picture;
  if (width < smallestSide || height < smallestSide || width * height < fewestPixels) {
    throw new ToolError("invalid_argument", `The template is only ${width}×${height} pixels: it would fit anywhere.`, {
      hint: `Cut out more of its surroundings, at least ${smallestSide} pixels wide and high and ${fewestPixels} pixels in all.`,
    });
  }
  if (width * height > largestPixels) {
    throw new ToolError("invalid_argument", `The template is ${width}×${height}, more than 4 million pixels.`, {
      hint: "Cut out a smaller part, or load it with max_width.",
    });
  }
  const whole = new Tally();
  const inside = new Tally();
  let seen = 0;
  const step = Math.max(1, Math.floor((width * height) / sampled));
  for (let index = 0; index < width * height; index += step) {
    seen += 1;
    if (mask && (mask[index] as number) < 128) continue;
    whole.add(picture.data, index);
    if ((picture.data[index * 4 + 3] as number) >= opaque) inside.add(picture.data, index);
  }
  const insideShare = inside.count / seen;
  if (mask && whole.count * step < fewestPixels) {
    throw new ToolError("invalid_argument", "The mask leaves almost nothing of the template.", {
      hint: "White pixels of the mask count, black ones are ignored.",
    });
  }
  const hasHoles = mask !== undefined || inside.count < seen;
  const deviations = inside.deviations();
  const isPlainInside = deviations.luma < leastInside || inside.count * step < fewestPixels || insideShare < 0.08;
  if (hasHoles && mask === undefined && isPlainInside) {
    if (whole.alphaDeviation() < 12) throw flat(width, height);
    return { comparison: "see-through", weights: luma, share: 1 };
  }
  const best = Math.max(deviations.luma, ...deviations.channels);
  if (best < leastDeviation) throw flat(width, height);
  const channel = deviations.channels.indexOf(Math.max(...deviations.channels));
  const isGreyFlat = deviations.luma < leastDeviation * 2 && best > deviations.luma * 2;
  const single = [0, 1, 2].map((each) => (each === channel ? 256 : 0)) as [number, number, number];
  return {
    comparison: hasHoles ? "masked" : "all",
    weights: isGreyFlat ? single : luma,
    share: hasHoles ? insideShare : 1,
  };
}

const flat = (width: number, height: number): ToolError =>
  new ToolError(
    "invalid_argument",
    `The template (${width}×${height}) is a single colour: every plain area would match.`,
    { hint: "Cut out an area with an edge, a letter or a symbol in it." },
  );

class Tally {
  count = 0;
  readonly #sums = [0, 0, 0, 0, 0];
  readonly #squares = [0, 0, 0, 0, 0];

  add(data: Uint8Array, index: number): void {
    const [red, green, blue, alpha] = [0, 1, 2, 3].map((each) => data[index * 4 + each] as number) as [
      number,
      number,
      number,
      number,
    ];
    const grey = (red * luma[0] + green * luma[1] + blue * luma[2]) / 256;
    this.count += 1;
    for (const [at, value] of [red, green, blue, alpha, grey].entries()) {
      this.#sums[at] = (this.#sums[at] as number) + value;
      this.#squares[at] = (this.#squares[at] as number) + value * value;
    }
  }

  deviations(): { readonly luma: number; readonly channels: readonly number[] } {
    return { luma: this.#deviation(4), channels: [0, 1, 2].map((each) => this.#deviation(each)) };
  }

  alphaDeviation(): number {
    return this.#deviation(3);
  }

  #deviation(at: number): number {
    if (this.count === 0) return 0;
    const mean = (this.#sums[at] as number) / this.count;
    return Math.sqrt(Math.max(0, (this.#squares[at] as number) / this.count - mean * mean));
  }
}
