import { readFile } from "node:fs/promises";
import { decodeImage, enlarge } from "../../src/vision/decode.ts";
import { ImageFinder } from "../../src/vision/find-image/finder.ts";
import type { Searchable } from "../../src/vision/find-image/haystack.ts";
import type { Needle } from "../../src/vision/find-image/needle.ts";
import { rotations } from "../../src/vision/find-image/pattern.ts";
import type { Tasks } from "./task.ts";

/** `find_image` below the tool: from a captured screen in memory to the matches. */
export async function handsightFindImage(): Promise<Tasks> {
  const finder = new ImageFinder(enlarge);
  const { signal } = new AbortController();
  let screen: Searchable | undefined;
  let needle: Needle | undefined;
  return {
    async load({ screen: from = "", template = "" }) {
      const picture = await decodeImage(await readFile(from), { what: from });
      screen = { ...picture, data: swapped(picture.data), stride: picture.width * 4, order: "bgrx" };
      needle = { picture: await decodeImage(await readFile(template), { what: template }) };
    },
    async find({ scales = [], rotations: turns = [0], threshold, isOpen = false }) {
      if (!screen || !needle) throw new Error("nothing was loaded");
      const [min = 1, max = 1] = [scales[0], scales.at(-1)];
      const { matches, best } = await finder.find(screen, needle, {
        mode: "fast",
        threshold,
        maxResults: 5,
        ...(isOpen ? {} : { scales: { min, max, step: scales.length > 1 ? (max - min) / (scales.length - 1) : 1 } }),
        rotations: rotations.filter((each) => turns.includes(each)),
        signal,
      });
      const [first] = matches;
      return () => ({ matches: matches.length, ...(first ?? { score: best?.score ?? 0 }) });
    },
  };
}

/** As X servers give them. */
function swapped(rgba: Uint8Array): Uint8Array {
  const out = new Uint8Array(rgba.length);
  for (let at = 0; at < rgba.length; at += 4) {
    out[at] = rgba[at + 2] as number;
    out[at + 1] = rgba[at + 1] as number;
    out[at + 2] = rgba[at] as number;
  }
  return out;
}
