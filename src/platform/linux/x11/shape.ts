import type { Rect } from "../../../base/geometry.ts";
import type { Connection } from "./connection.ts";
import { writeRects } from "./drawing.ts";
import { needExtension } from "./extensions.ts";
import { RequestWriter } from "./wire.ts";

/** What of a window is shown, and what of it takes the pointer. */
const kinds = { bounding: 0, input: 2 } as const;

/** The returned function cuts a window to these rectangles; it sends in the turn in which it is called. */
export async function windowShaper(
  c: Connection,
): Promise<(window: number, kind: keyof typeof kinds, rects: readonly Rect[]) => void> {
  const { opcode } = await needExtension(c, "SHAPE");
  const set = 0;
  const unsorted = 0;
  return (window, kind, rects) => {
    const writer = new RequestWriter(opcode, 1, 16 + rects.length * 8);
    writer.u8(set).u8(kinds[kind]).u8(unsorted).skip(1).u32(window).i16(0).i16(0);
    c.send("SHAPE.Rectangles", writeRects(writer, rects));
  };
}
