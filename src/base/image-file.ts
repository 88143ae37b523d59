import { extname } from "node:path";

/** The image format for each file extension. */
export const imageEndings = { ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp" } as const;

type Ending = keyof typeof imageEndings;

/** The image format that a file name implies; undefined if it is not an image name. */
export function formatOf(path: string): (typeof imageEndings)[Ending] | undefined {
  const ending = extname(path).toLowerCase();
  return ending in imageEndings ? imageEndings[ending as Ending] : undefined;
}
