import type { Rect } from "../../base/geometry.ts";
import { addOutlines, addSpecks, chain, heightOf, mergeChains, tallest, widthOf, type Chain } from "./chains.ts";
import { findComponents, type Component } from "./components.ts";
import type { EdgeMap } from "./edges.ts";
import { withoutRules } from "./rules.ts";
import { splitTall } from "./split.ts";

export interface Layout {
  readonly lines: readonly Rect[];
  /** Rectangles so full of edges that letters cannot be told apart in them: pictures, textures. */
  readonly textures: readonly Rect[];
}

const smallest = 5;
// A longer run of edges is a rule or the side of a frame.
const longestStroke = 64;

/** Finds rows of text by their shape alone. Sizes are those of the edge map. */
export function findLines(map: EdgeMap): Layout {
  const letters: Component[] = [];
  const specks: Component[] = [];
  const outlines: Component[] = [];
  const dense: Component[] = [];
  const { components, owners } = findComponents(map.runs);
  const kinds = components.map(kindOf);
  components.forEach((component, i) => {
    const kind = kinds[i];
    if (kind === "letter") letters.push(component);
    else if (kind === "speck") specks.push(component);
    else if (kind === "outline") outlines.push(component);
    else if (kind === "texture") dense.push(component);
  });
  const tangled = withoutRules(map.runs, (run, length) => {
    const owner = owners[run] as number;
    return kinds[owner] === "frame" && !isRule(length, components[owner] as Component);
  });
  for (const component of findComponents(tangled).components) {
    const kind = kindOf(component);
    if (kind === "letter" && !isBar(component)) letters.push(component);
    else if (kind === "speck") specks.push(component);
  }
  const chains = mergeChains(chain(letters));
  addOutlines(chains, outlines);
  addSpecks(chains, specks);
  const lines = chains
    .flatMap((line) => splitTall(line, map))
    .filter(isText)
    .map(({ left, top, right, bottom }) => ({ x: left, y: top, width: right - left, height: bottom - top }));
  return { lines: inReadingOrder(lines), textures: dense.map(toRect) };
}

const toRect = ({ left, top, right, bottom }: Component): Rect => {
  return { x: left, y: top, width: right - left, height: bottom - top };
};

function kindOf(component: Component): "letter" | "speck" | "outline" | "frame" | "texture" | "nothing" {
  const height = heightOf(component);
  const width = widthOf(component);
  if (height <= 3) return width <= 30 && height > 0 ? "speck" : "nothing";
  const density = component.pixels / ((width + 1) * (height + 1));
  const runsPerRow = component.runs / (height + 1);
  if (height > tallest) return density > 0.16 && width > 48 && runsPerRow > 6 ? "texture" : "frame";
  if (width <= 3 && height > 36) return "nothing";
  if (height >= 8 && width >= 1.6 * height && component.longest >= longestStroke) return "frame";
  // A button's frame: nothing but its two sides in most rows.
  if (height >= 12 && width >= 1.6 * height && runsPerRow <= 2.6 && density < 0.45) return "frame";
  if (density < 0.24 && runsPerRow <= 3.4 && height >= 12 && width >= 8) {
    return height >= 20 && width <= 1.4 * height ? "outline" : "frame";
  }
  return "letter";
}

const isRule = (length: number, frame: Component): boolean => length >= Math.min(longestStroke, 0.8 * widthOf(frame));

/** What is left of a frame when its long sides are gone. */
const isBar = (component: Component): boolean => widthOf(component) <= 3 && heightOf(component) >= 11;

function isText(line: Chain): boolean {
  const height = heightOf(line);
  const width = widthOf(line);
  if (height < smallest || width < 1) return false;
  return !(line.parts.length === 1 && height > 16 && height > 6 * width);
}

/** Top to bottom, and left to right within a row; two lines are in one row when their middles are level. */
export function inReadingOrder<T extends Rect>(lines: readonly T[]): T[] {
  const middle = ({ y, height }: Rect) => y + height / 2;
  const sorted = lines.toSorted((a, b) => middle(a) - middle(b) || a.x - b.x);
  const rows: T[][] = [];
  for (const line of sorted) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row && first && middle(line) - middle(first) <= 0.4 * Math.min(first.height, line.height)) row.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => row.toSorted((a, b) => a.x - b.x));
}
