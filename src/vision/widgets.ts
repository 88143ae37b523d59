import type { Pixels } from "../base/frame.ts";
import type { Rect } from "../base/geometry.ts";
import { packed } from "./packed.ts";

/** Something that looks like a control. */
export interface Widget {
  readonly kind: "button" | "icon";
  readonly rect: Rect;
  readonly confidence: number;
}

export interface WidgetOptions {
  /** Pixels per unit of the screen: on a 2× screen everything is twice as large. */
  readonly scale?: number;
}

// Fainter steps are gradients and shadows.
const edgeStep = 14;

/**
 * Controls by their looks alone: outlines of the size and shape of buttons and fields, and compact drawings of the size
 * of icons. Letters are found too; whoever knows the text drops them.
 */
export function findWidgets(pixels: Pixels, { scale = 1 }: WidgetOptions = {}): readonly Widget[] {
  const { width, height } = pixels;
  const components = connect(findRuns(packed(pixels), width, height), height);
  return components
    .flatMap((component): Widget[] => {
      const kind = kindOf(component, scale);
      if (!kind) return [];
      const { left, top, right, bottom } = component;
      // An edge is marked before the step, so the shape begins one pixel after its left and upper edges.
      const rect = { x: left + 1, y: top + 1, width: right - left, height: bottom - top };
      return [{ kind, rect, confidence: kind === "button" ? 0.6 : 0.4 }];
    })
    .toSorted((a, b) => a.rect.y - b.rect.y || a.rect.x - b.rect.x);
}

/** Brightness of a pixel, with the weights of ITU-R BT.601. */
const lumaOf = (pixel: number): number =>
  (29 * (pixel & 0xff) + 150 * ((pixel >> 8) & 0xff) + 77 * ((pixel >> 16) & 0xff)) >> 8;

const isStep = (one: number, other: number): boolean => {
  const difference = lumaOf(one) - lumaOf(other);
  return difference > edgeStep || difference < -edgeStep;
};

interface Runs {
  /** Start and end (inclusive) of each run of edge pixels. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** First run of each row, and one past the last. */
  readonly rows: Int32Array;
}

function findRuns(words: Uint32Array, width: number, height: number): Runs {
  const from: number[] = [];
  const to: number[] = [];
  const rows = new Int32Array(height + 1);
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const isLikeNext = (y: number): boolean => {
    const [at, next, end] = [y * width * 4, (y + 1) * width * 4, (y + 2) * width * 4];
    return bytes.compare(bytes, next, end, at, next) === 0;
  };
  let wasLikeNext = false;
  for (let y = 0; y < height; y++) {
    rows[y] = from.length;
    const isRepeated = y + 1 < height && isLikeNext(y);
    if (isRepeated && wasLikeNext) {
      // Three equal rows: the second has the edges of the first.
      for (let run = rows[y - 1] as number; run < (rows[y] as number); run++) {
        from.push(from[run] as number);
        to.push(to[run] as number);
      }
      continue;
    }
    wasLikeNext = isRepeated;
    let start = -1;
    const row = y * width;
    const below = y + 1 < height ? width : 0;
    for (let x = 0; x < width; x++) {
      const here = words[row + x] as number;
      const beside = x + 1 < width ? (words[row + x + 1] as number) : here;
      const under = words[row + x + below] as number;
      // Most of a screen is flat, and what is equal need not be weighed.
      const isEdge =
        (((here ^ beside) & 0xffffff) !== 0 && isStep(here, beside)) ||
        (((here ^ under) & 0xffffff) !== 0 && isStep(here, under));
      if (isEdge && start < 0) start = x;
      else if (!isEdge && start >= 0) {
        from.push(start);
        to.push(x - 1);
        start = -1;
      }
    }
    if (start >= 0) {
      from.push(start);
      to.push(width - 1);
    }
  }
  rows[height] = from.length;
  return { from: Int32Array.from(from), to: Int32Array.from(to), rows };
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

/** Runs that touch, also across a corner, belong together. */
function connect({ from, to, rows }: Runs, height: number): readonly Component[] {
  const parent = Int32Array.from(from, (_, index) => index);
  const rootOf = (run: number): number => {
    let root = run;
    while (parent[root] !== root) root = parent[root] as number;
    for (let at = run; at !== root;) [at, parent[at]] = [parent[at] as number, root];
    return root;
  };
  for (let y = 1; y < height; y++) {
    let above = rows[y - 1] as number;
    const lastAbove = rows[y] as number;
    for (let run = rows[y] as number; run < (rows[y + 1] as number); run++) {
      while (above < lastAbove && (to[above] as number) < (from[run] as number) - 1) above++;
      for (let other = above; other < lastAbove && (from[other] as number) <= (to[run] as number) + 1; other++) {
        parent[rootOf(run)] = rootOf(other);
      }
    }
  }
  const components = new Map<number, Component>();
  const each = (visit: (component: Component, y: number, left: number, right: number) => void): void => {
    for (let y = 0; y < height; y++) {
      for (let run = rows[y] as number; run < (rows[y + 1] as number); run++) {
        const root = rootOf(run);
        let component = components.get(root);
        if (!component) {
          component = { left: Infinity, top: y, right: -1, bottom: y, pixels: 0, rim: 0 };
          components.set(root, component);
        }
        visit(component, y, from[run] as number, to[run] as number);
      }
    }
  };
  each((component, y, left, right) => {
    component.left = Math.min(component.left, left);
    component.right = Math.max(component.right, right);
    component.bottom = y;
    component.pixels += right - left + 1;
  });
  each((component, y, left, right) => {
    if (y <= component.top + 1 || y >= component.bottom - 1) component.rim += right - left + 1;
    else component.rim += (left <= component.left + 1 ? 1 : 0) + (right >= component.right - 1 ? 1 : 0);
  });
  return [...components.values()];
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
