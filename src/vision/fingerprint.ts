import { createHash } from "node:crypto";
import type { Pixels } from "../base/frame.ts";

/** Equal for equal pictures. Rows are hashed as they are in memory, without padding. */
export function fingerprint({ data, width, height, stride, format }: Pixels): string {
  const row = width * (format === "bgrx" ? 4 : 3);
  const hash = createHash("sha1").update(`${width}×${height}`);
  if (row === stride) hash.update(data.subarray(0, row * height));
  else for (let y = 0; y < height; y++) hash.update(data.subarray(y * stride, y * stride + row));
  return hash.digest("base64");
}
