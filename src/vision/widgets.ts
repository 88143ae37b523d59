import type { Pixels } from "../base/frame.ts";
import type { ImageRect } from "../base/geometry.ts";
import { packed } from "./packed.ts";
import { openPixelKernel, strideOf } from "./pixel-kernel.ts";

/** Something that looks like a control. */
export interface Widget {
  readonly kind: "button" | "icon";
  readonly rect: ImageRect;
  readonly confidence: number;
}

export interface WidgetOptions {
  /** Pixels per screen unit: on a 2× screen everything is twice as large. */
  readonly scale?: number;
}

// Smaller steps are gradients and shadows.
const edgeStep = 14;

/**
 * Finds controls by their looks alone: outlines with the size and shape of buttons and fields, and compact drawings
 * with the size of icons. Also finds letters; callers that know the text drop them.
 */
export function findWidgets(pixels: Pixels, { scale = 1 }: WidgetOptions = {}): readonly Widget[] {
  const { width, height } = pixels;
  const components = connect(findRuns(packed(pixels), width, height), height);
  return components
    .flatMap((component): Widget[] => {
      const kind = kindOf(component, scale);
      if (!kind) return [];
      const { left, top, right, bottom } = component;
      // An edge is marked before the step, so the shape begins one pixel after its left and top edges.
      const rect = { x: left + 1, y: top + 1, width: right - left, height: bottom - top };
      return [{ kind, rect, confidence: kind === "button" ? 0.6 : 0.4 }];
    })
    .toSorted((a, b) => a.rect.y - b.rect.y || a.rect.x - b.rect.x);
}

interface Runs {
  /** Start and end (inclusive) of each run of edge pixels, one after the other. */
  readonly ends: Uint16Array;
  /** The first run of each row, and one past the last. */
  readonly rows: Int32Array;
}

function findRuns(words: Uint32Array, width: number, height: number): Runs {
  const stride = strideOf(width);
  // Brightness of two rows, flat pixels (not used here), the runs found in a row, and a row of pixels.
  const [flats, found, source] = [2 * stride, 3 * stride, 5 * stride];
  const { kernel, buffer } = openPixelKernel(9 * stride);
  const pixels = new Uint32Array(buffer, source, width);
  const turns = new Uint16Array(buffer, found, stride);
  const shade = (y: number) => {
    pixels.set(words.subarray(y * width, (y + 1) * width));
    kernel.shade(source, width, (y % 2) * stride);
  };
  let ends = new Uint16Array(1 << 16);
  const rows = new Int32Array(height + 1);
  let count = 0;
  shade(0);
  for (let y = 0; y < height; y++) {
    rows[y] = count / 2;
    const row = (y % 2) * stride;
    const isLast = y + 1 === height;
    if (!isLast) shade(y + 1);
    const own = kernel.edges(row, isLast ? row : stride - row, width, edgeStep, 0, flats, found);
    if (count + own > ends.length) {
      const longer = new Uint16Array(2 * ends.length + own);
      longer.set(ends);
      ends = longer;
    }
    ends.set(turns.subarray(0, own), count);
    count += own;
  }
  rows[height] = count / 2;
  return { ends: ends.subarray(0, count), rows };
}

interface Component {
  left: number;
  top: number;
  right: number;
  bottom: number;
  pixels: number;
  /** Edge pixels on or next to the four sides. */
  rim: number;
}

/** Runs that touch, including diagonally, belong together. */
function connect({ ends, rows }: Runs, height: number): readonly Component[] {
  const parent = Int32Array.from({ length: ends.length / 2 }, (_, run) => run);
  const rootOf = (run: number): number => {
    let root = run;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root] as number] as number;
      root = parent[root] as number;
    }
    return root;
  };
  for (let y = 1; y < height; y++) {
    let above = rows[y - 1] as number;
    const lastAbove = rows[y] as number;
    for (let run = rows[y] as number; run < (rows[y + 1] as number); run++) {
      const [from, to] = [ends[2 * run] as number, ends[2 * run + 1] as number];
      while (above < lastAbove && (ends[2 * above + 1] as number) < from - 1) above++;
      for (let other = above; other < lastAbove && (ends[2 * other] as number) <= to + 1; other++) {
        const [a, b] = [rootOf(run), rootOf(other)];
        parent[Math.max(a, b)] = Math.min(a, b);
      }
    }
  }
  return measure({ ends, rows }, height, parent);
}

/** The root of a component is its first run, so it comes before the others. */
function measure({ ends, rows }: Runs, height: number, parent: Int32Array): readonly Component[] {
  const components: Component[] = [];
  const owners = new Int32Array(parent.length);
  for (let y = 0; y < height; y++) {
    for (let run = rows[y] as number; run < (rows[y + 1] as number); run++) {
      const [left, right] = [ends[2 * run] as number, ends[2 * run + 1] as number];
      if (parent[run] === run) {
        owners[run] = components.length;
        components.push({ left, top: y, right, bottom: y, pixels: right - left + 1, rim: 0 });
        continue;
      }
      const owner = owners[parent[run] as number] as number;
      owners[run] = owner;
      const component = components[owner] as Component;
      component.left = Math.min(component.left, left);
      component.right = Math.max(component.right, right);
      component.bottom = y;
      component.pixels += right - left + 1;
    }
  }
  for (let y = 0; y < height; y++) {
    for (let run = rows[y] as number; run < (rows[y + 1] as number); run++) {
      const [left, right] = [ends[2 * run] as number, ends[2 * run + 1] as number];
      const component = components[owners[run] as number] as Component;
      if (y <= component.top + 1 || y >= component.bottom - 1) component.rim += right - left + 1;
      else component.rim += (left <= component.left + 1 ? 1 : 0) + (right >= component.right - 1 ? 1 : 0);
    }
  }
  return components;
}

function kindOf({ left, top, right, bottom, pixels, rim }: Component, scale: number): Widget["kind"] | undefined {
  const width = (right - left) / scale;
  const height = (bottom - top) / scale;
  const perimeter = 2 * (right - left + bottom - top);
  const isOutline = rim > 0.75 * perimeter && pixels < 0.5 * (right - left + 1) * (bottom - top + 1);
  if (isOutline && width >= 26 && height >= 14 && width <= 700 && height <= 120) return "button";
  const isCompact =
    width >= 10 && height >= 10 && width <= 64 && height <= 64 && width < 2.5 * height && height < 2.5 * width;
  return isCompact && pixels > 24 * scale ? "icon" : undefined;
}
