import { openConnection } from "../src/platform/linux/x11/open.ts";
import { createPixmap, freePixmap } from "../src/platform/linux/x11/requests.ts";
import { RequestWriter } from "../src/platform/linux/x11/wire.ts";

/** Paints the root window with something that compresses like a photograph: soft shapes, no flat colour, fine grain. */
export async function paintWallpaper(env: NodeJS.ProcessEnv): Promise<void> {
  const c = await openConnection(env["DISPLAY"], { env });
  try {
    const { width, height, rootDepth } = c.setup;
    const pixmap = createPixmap(c, { depth: rootDepth, width, height });
    const context = c.newId();
    c.send("CreateGC", new RequestWriter(55).u32(context).u32(pixmap).u32(0));
    const zPixmap = 2;
    const image = new RequestWriter(72, zPixmap, 24 + width * height * 4)
      .u32(pixmap)
      .u32(context)
      .u16(width)
      .u16(height)
      .i16(0)
      .i16(0)
      .u8(0)
      .u8(rootDepth)
      .skip(2)
      .bytes(photograph(width, height));
    c.send("PutImage", image);
    const backgroundPixmap = 1;
    c.send("ChangeWindowAttributes", new RequestWriter(2).u32(c.root).u32(backgroundPixmap).u32(pixmap));
    await c.checked("ClearArea", new RequestWriter(61).u32(c.root).skip(8));
    freePixmap(c, pixmap);
    await c.sync();
  } finally {
    c.close();
  }
}

function photograph(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(width * height * 4);
  let grain = 1;
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      grain = (Math.imul(grain, 1_103_515_245) + 12_345) >>> 0;
      const noise = (grain >>> 28) - 8;
      const hills = 40 * Math.sin(x / 190 + Math.sin(y / 90)) + 25 * Math.sin((x + 2 * y) / 47);
      bytes[at] = shade(190 - (y * 120) / height + hills * 0.4 + noise);
      bytes[at + 1] = shade(110 + (y * 60) / height + hills * 0.8 + noise);
      bytes[at + 2] = shade(70 + (x * 80) / width + hills + noise);
      at += 4;
    }
  }
  return bytes;
}

const shade = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));
