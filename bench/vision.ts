import type { Group } from "./group.ts";
import { findImage } from "./vision/find-image.ts";

/** Each part is a file of its own below bench/vision/. */
export const vision: Group = async (options) => [...(await findImage(options))];
