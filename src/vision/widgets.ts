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
  const runs = findRuns(packed(pixels), width, height);
  const { components, owners } = connect(runs, height);
  const lines = linesIn(components, owners, runs, height);
  return components
    .flatMap((component) => cellsOf(component, lines.get(component)))
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

interface Connected {
  readonly components: readonly Component[];
  /** The index of the component that each run belongs to. */
  readonly owners: Int32Array;
}

/** Runs that touch, including diagonally, belong together. */
function connect({ ends, rows }: Runs, height: number): Connected {
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
function measure({ ends, rows }: Runs, height: number, parent: Int32Array): Connected {
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
  return { components, owners };
}

interface Lines {
  /** How many edge pixels each column and each row of a component has. */
  readonly columns: Uint16Array;
  readonly rows: Uint16Array;
}

const perimeterOf = ({ left, top, right, bottom }: Component): number => 2 * (right - left + bottom - top);

/** Boxes side by side share their edges. Only what has a frame around it can be such a row or grid. */
const mayHaveCells = (component: Component): boolean =>
  component.rim > 0.75 * perimeterOf(component) &&
  component.bottom - component.top >= smallestCell &&
  component.right - component.left >= 2 * smallestCell;

function linesIn(
  components: readonly Component[],
  owners: Int32Array,
  { ends, rows }: Runs,
  height: number,
): ReadonlyMap<Component, Lines> {
  const lines = new Map<Component, Lines>();
  for (const component of components) {
    if (!mayHaveCells(component)) continue;
    const { left, top, right, bottom } = component;
    lines.set(component, { columns: new Uint16Array(right - left + 1), rows: new Uint16Array(bottom - top + 1) });
  }
  if (lines.size === 0) return lines;
  for (let y = 0; y < height; y++) {
    for (let run = rows[y] as number; run < (rows[y + 1] as number); run++) {
      const component = components[owners[run] as number] as Component;
      const counted = lines.get(component);
      if (!counted) continue;
      const [from, to] = [ends[2 * run] as number, ends[2 * run + 1] as number];
      counted.rows[y - component.top] = (counted.rows[y - component.top] as number) + to - from + 1;
      for (let x = from; x <= to; x++) {
        counted.columns[x - component.left] = (counted.columns[x - component.left] as number) + 1;
      }
    }
  }
  return lines;
}

// Nobody makes a button narrower than this, but text in it has strokes that stand closer.
const smallestCell = 14;
// A line through the whole component; a rounded corner or a gap in it does not matter.
const lineShare = 0.9;

/** The boxes of a row or grid, each as if it stood alone; the component itself where there is none. */
function cellsOf(component: Component, lines: Lines | undefined): readonly Component[] {
  if (!lines) return [component];
  const { left, top, right, bottom } = component;
  const across = cuts(lines.columns, lineShare * (bottom - top));
  const down = cuts(lines.rows, lineShare * (right - left));
  const isGrid =
    across.length + down.length > 4 && [...gaps(across), ...gaps(down)].every((gap) => gap >= smallestCell);
  if (!isGrid) return [component];
  return gaps(down).flatMap((height, row) =>
    gaps(across).map((width, column) => {
      const [x, y] = [left + (across[column] ?? 0), top + (down[row] ?? 0)];
      const rim = 2 * (width + height);
      return { left: x, top: y, right: x + width, bottom: y + height, pixels: rim, rim };
    }),
  );
}

/** Where lines are; two that touch are the two sides of one. */
function cuts(counts: Uint16Array, least: number): readonly number[] {
  const found: number[] = [];
  for (const [at, count] of counts.entries()) {
    if (count >= least && at - (found.at(-1) ?? -3) > 2) found.push(at);
  }
  return found;
}

const gaps = (places: readonly number[]): readonly number[] =>
  places.slice(1).map((place, index) => place - (places[index] as number));

function kindOf({ left, top, right, bottom, pixels, rim }: Component, scale: number): Widget["kind"] | undefined {
  const width = (right - left) / scale;
  const height = (bottom - top) / scale;
  const isOutline =
    rim > 0.75 * 2 * (right - left + bottom - top) && pixels < 0.5 * (right - left + 1) * (bottom - top + 1);
  if (isOutline && width >= 26 && height >= 14 && width <= 700 && height <= 120) return "button";
  const isCompact =
    width >= 10 && height >= 10 && width <= 64 && height <= 64 && width < 2.5 * height && height < 2.5 * width;
  return isCompact && pixels > 24 * scale ? "icon" : undefined;
}
