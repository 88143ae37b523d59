import { ToolError } from "../../../base/errors.ts";
import type { Size } from "../../../base/geometry.ts";
import { win32, type Handle } from "../win32.ts";

/** Pixels in memory that Windows can draw into. */
export interface Canvas extends Size, Disposable {
  readonly dc: Handle;
  /** Blue, green, red, nothing; rows from the top without gaps. */
  readonly data: Uint8Array;
}

/** Kept for the next capture of the same size: making one clears megabytes. */
const spare: Canvas[] = [];
const keptSpares = 2;

/** To be disposed of when its pixels were used. */
export function takeCanvas({ width, height }: Size): Canvas {
  const at = spare.findIndex((each) => each.width === width && each.height === height);
  const [canvas = makeCanvas({ width, height })] = at < 0 ? [] : spare.splice(at, 1);
  let isDone = false;
  return {
    dc: canvas.dc,
    data: canvas.data,
    width,
    height,
    [Symbol.dispose]() {
      if (isDone) return;
      isDone = true;
      spare.push(canvas);
      while (spare.length > keptSpares) spare.shift()?.[Symbol.dispose]();
    },
  };
}

function makeCanvas({ width, height }: Size): Canvas {
  const api = win32();
  const header = Buffer.alloc(44);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(width, 4);
  // Negative: the first row is the topmost.
  header.writeInt32LE(-height, 8);
  header.writeUInt16LE(1, 12);
  header.writeUInt16LE(32, 14);
  const dc = api.compatibleDc(0);
  const bits: unknown[] = [null];
  const bitmap = dc === 0 ? 0 : api.createDib(dc, header, 0, bits, 0, 0);
  if (bitmap === 0 || bits[0] === null) {
    if (dc !== 0) api.deleteDc(dc);
    throw new ToolError("not_connected", `Windows gave no memory for a picture of ${width}×${height} pixels.`, {
      hint: "The session may be locked or ending; try again.",
    });
  }
  const before = api.select(dc, bitmap);
  return {
    dc,
    width,
    height,
    data: api.view(bits[0], width * height * 4),
    [Symbol.dispose]() {
      api.select(dc, before);
      api.deleteObject(bitmap);
      api.deleteDc(dc);
    },
  };
}
