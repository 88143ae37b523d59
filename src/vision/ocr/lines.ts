import { contains, type ImageRect } from "../../base/geometry.ts";
import { chain, heightOf, mergeChains, tallest, widthOf, type Chain } from "./chains.ts";
import { addLoose, addSpecks, addStems } from "./attach.ts";
import { findColumns } from "./columns.ts";
import { findComponents, type Component } from "./components.ts";
import type { Edges } from "./edges.ts";
import { findEqualSigns } from "./equal-signs.ts";
import { withoutRules } from "./rules.ts";
import { splitTall } from "./split.ts";
import { findTextures } from "./textures.ts";

export interface Layout {
  readonly lines: readonly ImageRect[];
  /** Where text may run up or down. */
  readonly columns: readonly ImageRect[];
  /** Rectangles with so many edges that letters cannot be distinguished in them: pictures, textures. */
  readonly textures: readonly ImageRect[];
}

const smallest = 5;
const flattest = 8;
// A longer run of edges is a rule or the side of a frame.
const longestStroke = 64;

/** Finds rows of text by shape alone. Sizes are those of the edge map. */
export function findLines(map: Edges): Layout {
  const { components, owners } = findComponents(map.runs);
  const kinds = components.map(kindOf);
  const ofKind = (kind: Kind) => components.filter((_, i) => kinds[i] === kind);
  const frameless = withoutRules(map.runs, (run, length) => {
    const owner = owners[run] as number;
    return kinds[owner] === "frame" && !isRule(length, components[owner] as Component);
  });
  const loose = findComponents(frameless).components;
  const chains = mergeChains(chain(ofKind("letter")));
  addLoose(chains, mergeChains(chain(loose.filter((part) => kindOf(part) === "letter"))));
  addStems(chains, [...ofKind("outline"), ...ofKind("bar")]);
  const specks = [...ofKind("speck"), ...loose.filter((part) => kindOf(part) === "speck")];
  const columns = findColumns(chains, specks);
  // With its hyphens and dots, a line reaches letters that were too far away before.
  const rows = mergeChains(addSpecks(chains, specks)).flatMap((line) => splitTall(line, map));
  const texts = rows.filter(isText);
  const lines = [...texts, ...findEqualSigns(specks, texts)].map(toRect);
  const textures = findTextures(map);
  const isPlain = (rect: ImageRect): boolean => !textures.some((texture) => contains(texture, middleOf(rect)));
  return {
    lines: inReadingOrder(lines.filter(isPlain)),
    columns: columns.filter(isPlain),
    textures,
  };
}

const middleOf = ({ x, y, width, height }: ImageRect) => ({ x: x + width / 2, y: y + height / 2 });

function toRect({ left, top, right, bottom, parts }: Chain): ImageRect {
  const [width, height] = [right - left, bottom - top];
  // Enlarged to the height of a letter, a lone "=" would not look like one.
  const air = isStrokes({ left, top, right, bottom, parts }) ? Math.round(0.4 * width) : 0;
  return { x: left, y: top - air, width, height: height + 2 * air };
}

/** A few flat strokes, such as those of an equals sign: every row has one run of ink. */
const isStrokes = (line: Chain): boolean =>
  heightOf(line) <= flattest &&
  widthOf(line) > heightOf(line) &&
  line.parts.every((part) => part.runs <= heightOf(part) + 1);

type Kind = "letter" | "speck" | "outline" | "bar" | "frame" | "nothing";

function kindOf(component: Component): Kind {
  const height = heightOf(component);
  const width = widthOf(component);
  if (height <= 3) return width <= 30 && height > 0 ? "speck" : "nothing";
  // The border between two areas has one edge, a stroke has two.
  if (width === 0) return "nothing";
  if (height > tallest) return "frame";
  if (width <= 3 && height > 36) return "nothing";
  if (width <= 2 && height >= 14) return "bar";
  const density = component.pixels / ((width + 1) * (height + 1));
  const runsPerRow = component.runs / (height + 1);
  if (height >= 8 && width >= 1.6 * height && component.longest >= longestStroke) return "frame";
  // A button's frame: in most rows just its two sides.
  if (height >= 12 && width >= 1.6 * height && runsPerRow <= 2.6 && density < 0.45) return "frame";
  if (density < 0.24 && runsPerRow <= 3.4 && height >= 12 && width >= 8) {
    return height >= 20 && width <= 1.4 * height ? "outline" : "frame";
  }
  return "letter";
}

const isRule = (length: number, frame: Component): boolean => length >= Math.min(longestStroke, 0.8 * widthOf(frame));

function isText(line: Chain): boolean {
  const height = heightOf(line);
  const width = widthOf(line);
  if ((height < smallest && !isStrokes(line)) || width < 1) return false;
  return !(line.parts.length === 1 && height > 16 && height > 6 * width);
}

/** Top to bottom, and left to right within a row; two lines are in one row when their centres are level. */
export function inReadingOrder<T extends ImageRect>(lines: readonly T[]): T[] {
  const middle = ({ y, height }: ImageRect) => y + height / 2;
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
