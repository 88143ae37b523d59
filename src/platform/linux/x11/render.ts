import type { Connection } from "./connection.ts";
import { needExtension } from "./extensions.ts";
import { RequestWriter } from "./wire.ts";

/** RENDER, and the regions of XFIXES that clip it. Everything but opening it sends without waiting. */
export interface Renderer {
  /** How the pixels of a drawable with this visual are read; undefined for a visual that RENDER does not know. */
  formatOf(visual: number): number | undefined;
  createPicture(drawable: number, format: number): number;
  freePicture(picture: number): void;
  /** Paints only inside the region, which is in coordinates of the picture. */
  clip(picture: number, region: number): void;
  composite(how: "replace" | "over", from: number, to: number, place: Place): void;
  createRegion(): number;
  /** What a window shows of itself, measured from its corner. */
  shapeOf(window: number): number;
  move(region: number, by: { readonly x: number; readonly y: number }): void;
  union(region: number, other: number): void;
  /** The common part of both, as a new region. */
  common(a: number, b: number): number;
  freeRegion(region: number): void;
}

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Made once per connection. */
export function openRenderer(c: Connection): Promise<Renderer> {
  return c.memo("renderer", async () => {
    const [render, fixes, formats] = await Promise.all([
      needExtension(c, "RENDER"),
      needExtension(c, "XFIXES"),
      readFormats(c),
    ]);
    const ask = (minor: number) => new RequestWriter(render.opcode, minor);
    const fix = (minor: number) => new RequestWriter(fixes.opcode, minor);
    const makeRegion = (): number => {
      const id = c.newId();
      c.send("XFIXES.CreateRegion", fix(5).u32(id));
      return id;
    };
    return {
      formatOf: (visual) => formats.get(visual),
      createPicture(drawable, format) {
        const id = c.newId();
        c.send("RENDER.CreatePicture", ask(4).u32(id).u32(drawable).u32(format).u32(0));
        return id;
      },
      freePicture: (picture) => c.send("RENDER.FreePicture", ask(7).u32(picture)),
      clip: (picture, region) => c.send("XFIXES.SetPictureClipRegion", fix(22).u32(picture).u32(region).skip(4)),
      composite(how, from, to, { x, y, width, height }) {
        const writer = ask(8)
          .u8(how === "over" ? 3 : 1)
          .skip(3)
          .u32(from)
          .u32(0)
          .u32(to);
        c.send("RENDER.Composite", writer.skip(8).i16(x).i16(y).u16(width).u16(height));
      },
      createRegion: makeRegion,
      shapeOf(window) {
        const id = c.newId();
        const bounding = 0;
        c.send("XFIXES.CreateRegionFromWindow", fix(7).u32(id).u32(window).u8(bounding).skip(3));
        return id;
      },
      move: (region, { x, y }) => c.send("XFIXES.TranslateRegion", fix(17).u32(region).i16(x).i16(y)),
      union: (region, other) => c.send("XFIXES.UnionRegion", fix(13).u32(region).u32(other).u32(region)),
      common(a, b) {
        const id = makeRegion();
        c.send("XFIXES.IntersectRegion", fix(14).u32(a).u32(b).u32(id));
        return id;
      },
      freeRegion: (region) => c.send("XFIXES.DestroyRegion", fix(10).u32(region)),
    };
  });
}

/** renderproto: formats of 28 bytes, then screens with their depths and visuals. */
async function readFormats(c: Connection): Promise<ReadonlyMap<number, number>> {
  const { opcode } = await needExtension(c, "RENDER");
  const reply = await c.request("RENDER.QueryPictFormats", new RequestWriter(opcode, 1));
  const [formatCount, screenCount] = [reply.u32(), reply.u32()];
  reply.skip(16 + formatCount * 28);
  const formats = new Map<number, number>();
  for (let screen = 0; screen < screenCount; screen++) {
    const depths = reply.u32();
    reply.skip(4);
    for (let depth = 0; depth < depths; depth++) {
      const visuals = reply.skip(2).u16();
      reply.skip(4);
      for (let visual = 0; visual < visuals; visual++) formats.set(reply.u32(), reply.u32());
    }
  }
  return formats;
}
