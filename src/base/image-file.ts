import { extname } from "node:path";

/** What a picture file of each ending holds. */
export const imageEndings = { ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp" } as const;

type Ending = keyof typeof imageEndings;

/** What a file of this name holds; undefined for one that is no picture by its name. */
export function formatOf(path: string): (typeof imageEndings)[Ending] | undefined {
  const ending = extname(path).toLowerCase();
  return ending in imageEndings ? imageEndings[ending as Ending] : undefined;
}
