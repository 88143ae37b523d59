import { loadPeer } from "./peers.ts";
import { tellPicture } from "./picture.ts";
import type { Tasks } from "./task.ts";

type Screenshot = (options: { readonly format: "jpg" | "png" }) => Promise<Uint8Array>;

export async function screenshotDesktop(): Promise<Tasks> {
  const screenshot = loadPeer("screenshot-desktop") as Screenshot;
  return {
    jpeg: async (argument) => tellPicture(await screenshot({ format: "jpg" }), argument),
    png: async (argument) => tellPicture(await screenshot({ format: "png" }), argument),
  };
}
