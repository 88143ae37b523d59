import { loadPeer } from "./peers.ts";
import { tellPicture } from "./picture.ts";
import type { Tasks } from "./task.ts";

interface Picture {
  readonly width: number;
  readonly height: number;
  toRawSync(): Uint8Array;
  toJpegSync(): Uint8Array;
  toPngSync(): Uint8Array;
}

interface NodeScreenshots {
  readonly Monitor: { all(): readonly { captureImageSync(): Picture }[] };
}

export async function nodeScreenshots(): Promise<Tasks> {
  const { Monitor } = loadPeer("node-screenshots") as NodeScreenshots;
  const [monitor] = Monitor.all();
  if (!monitor) throw new Error("node-screenshots finds no monitor");
  return {
    async raw({ count = 1 }) {
      for (let shot = 1; shot < count; shot++) monitor.captureImageSync().toRawSync();
      const picture = monitor.captureImageSync();
      const data = picture.toRawSync();
      return () => ({ width: picture.width, height: picture.height, bytes: data.byteLength });
    },
    jpeg: async (argument) => tellPicture(monitor.captureImageSync().toJpegSync(), argument),
    png: async (argument) => tellPicture(monitor.captureImageSync().toPngSync(), argument),
  };
}
