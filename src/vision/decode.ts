import type { Pixels } from "../base/frame.ts";

/** The pixels of an encoded picture (PNG, JPEG, WebP), without transparency. */
export async function decodePicture(bytes: Uint8Array): Promise<Pixels> {
  const { default: sharp } = await import("sharp");
  const { data, info } = await sharp(bytes)
    .removeAlpha()
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, stride: info.width * 3, format: "rgb" };
}
