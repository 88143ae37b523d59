import { screenPoint } from "../../src/base/geometry.ts";
import { openBackend } from "../../src/platform/open.ts";
import { openDeflateCodec } from "../../src/platform/native/isal.ts";
import { openJpegCodec } from "../../src/platform/native/turbojpeg.ts";
import { Surface } from "../../src/surface/surface.ts";
import { Encoder, type EncodeOptions } from "../../src/vision/encode.ts";
import { tellPicture } from "./picture.ts";
import type { Argument, Task, Tasks } from "./task.ts";

export async function handsight(): Promise<Tasks> {
  const encoder = new Encoder({ jpeg: async () => openJpegCodec(), deflate: async () => openDeflateCodec() });
  const plainEncoder = new Encoder();
  const surface = new Surface("desktop", await openBackend({ env: process.env }), { encoder });
  const screen = surface.need("screen");
  const { signal } = new AbortController();

  const picture =
    (by: Encoder, options: EncodeOptions): Task =>
    async (argument: Argument) => {
      const capture = await screen.capture({ kind: "screen" });
      try {
        const { bytes } = await by.encode(capture.pixels, options);
        return tellPicture(bytes, argument);
      } finally {
        capture[Symbol.dispose]();
      }
    };

  return {
    async raw({ count = 1 }) {
      for (let shot = 1; shot < count; shot++) (await screen.capture({ kind: "screen" }))[Symbol.dispose]();
      const capture = await screen.capture({ kind: "screen" });
      const { width, height, data } = capture.pixels;
      capture[Symbol.dispose]();
      return () => ({ width, height, bytes: data.byteLength });
    },
    jpeg: picture(encoder, { format: "jpeg", quality: 80 }),
    "jpeg without libturbojpeg": picture(plainEncoder, { format: "jpeg", quality: 80 }),
    "jpeg as sent to a model": picture(encoder, { format: "jpeg", quality: 80, maxSide: 1568, maxBytes: 900_000 }),
    png: picture(encoder, { format: "png", quality: 100 }),
    "png without ISA-L": picture(plainEncoder, { format: "png", quality: 100 }),
    webp: picture(encoder, { format: "webp", quality: 80 }),
    async click({ x = 0, y = 0, count = 1 }) {
      const options = { button: "left", clicks: 1, delayMs: 0, hold: [], signal } as const;
      for (let step = 0; step < count; step++) await surface.hands.click(screenPoint(x + step, y), options);
    },
    async type({ text = "" }) {
      await surface.need("keyboard").text(text, { signal });
    },
    async clear() {
      await surface.hands.press(["ctrl", "a"], 0, signal);
      await surface.hands.press(["delete"], 0, signal);
    },
  };
}
