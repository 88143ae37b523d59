import type { Group } from "./group.ts";
import { findImage } from "./vision/find-image.ts";
import { ocr } from "./vision/ocr.ts";

const sections: readonly Group[] = [ocr, findImage];

/** What seeing costs: each section compares with the tool one would use otherwise. */
export const vision: Group = async (options) => {
  const tables = [];
  for (const section of sections) tables.push(...(await section(options)));
  return tables;
};
