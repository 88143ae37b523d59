import type { ImageRect } from "../../base/geometry.ts";
import type { Layout } from "./lines.ts";
import { grow, keyOf, within, type Picture } from "./picture.ts";

/** A line that was found: the box of its ink with a narrow margin, and a key that identifies those pixels. */
export interface FoundLine {
  readonly box: ImageRect;
  readonly key: string;
  /** The box already has space around the letters. */
  readonly isRoomy?: boolean;
  /** Its letters may lie on their side. */
  readonly isColumn?: boolean;
}

export interface Found {
  readonly lines: readonly FoundLine[];
  readonly columns: readonly FoundLine[];
  /** Textured rectangles in pixels of the picture, with the keys of their pixels. */
  readonly textures: readonly FoundLine[];
}

/** Converts what was found at the search resolution to pixels of the picture. */
export function toFound({ lines, columns, textures }: Layout, picture: Picture, factor: number): Found {
  const named = (box: ImageRect, margin: number): FoundLine => {
    const own = within(picture, grow(enlarge(box, factor), margin));
    return { box: own, key: keyOf(picture, own) };
  };
  return {
    // The fringe of a letter is too faint to be an edge.
    lines: lines.map((line) => named(line, factor)),
    columns: columns.map((column) => {
      const { box, key } = named(column, factor);
      return { box, key: `column ${key}`, isColumn: true };
    }),
    textures: textures.map((texture) => named(texture, 0)),
  };
}

/** Lines that a network found in a textured rectangle of the picture. */
export function toRoomy(lines: readonly ImageRect[], picture: Picture, area: ImageRect, factor: number): FoundLine[] {
  return lines.map((line) => {
    const { x, y, width, height } = enlarge(line, factor);
    const box = within(picture, { x: area.x + x, y: area.y + y, width, height });
    return { box, key: `roomy ${keyOf(picture, box)}`, isRoomy: true };
  });
}

export const moved = ({ box, ...line }: FoundLine, x: number, y: number): FoundLine => {
  return { ...line, box: { ...box, x: box.x + x, y: box.y + y } };
};

const enlarge = ({ x, y, width, height }: ImageRect, factor: number): ImageRect => {
  return { x: x * factor, y: y * factor, width: width * factor, height: height * factor };
};
