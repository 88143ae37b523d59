import type { Group } from "./group.ts";
import { findImage } from "./vision/find-image.ts";
import { install } from "./vision/install.ts";
import { ocr } from "./vision/ocr.ts";
import { pixels } from "./vision/pixels.ts";

const sections: readonly Group[] = [ocr, pixels, findImage, install];

/** What seeing costs: each section compares with the tool one would use otherwise. */
export const vision: Group = async (options) => {
  const tables = [];
  for (const section of sections) tables.push(...(await section(options)));
  return tables;
};
