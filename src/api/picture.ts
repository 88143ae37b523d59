import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { sleep } from "../base/async.ts";
import type { Locator, WaitOptions } from "./locator.ts";

export interface PictureOptions {
  /** Parts that may look different. */
  readonly mask?: readonly Locator[];
  /** How far a colour channel may differ, 0 to 255; default 8. */
  readonly tolerance?: number;
  /** Share of the pixels that may differ, 0 to 1; default 0. */
  readonly maxRatio?: number;
  /** Replace the kept picture with what is there now. */
  readonly update?: boolean;
}

/** Why it does not look as it should. */
export interface PictureDifference {
  readonly seen: string;
  /** A file that shows it as it is. */
  readonly picture: string;
}

const againMs = 150;

/** Undefined when the locator looks like the file, or unlike it where that is wanted. */
export async function comparePicture(
  locator: Locator,
  path: string,
  { mask = [], tolerance = 8, maxRatio = 0, update, timeoutMs }: PictureOptions & WaitOptions,
  isNot: boolean,
): Promise<PictureDifference | undefined> {
  const file = resolve(path);
  const waiting = timeoutMs === undefined ? {} : { timeoutMs };
  if (update ?? process.env["HANDSIGHT_UPDATE"] === "1") {
    await write(locator, file);
    return undefined;
  }
  if (!existsSync(file)) {
    await write(locator, file);
    return { seen: "no picture was kept; it is written now, look at it and run again", picture: file };
  }
  const { context, place } = locator;
  const on = place.surface === undefined ? {} : { surface: place.surface };
  const before = (await context.call("load_image", { path: file })).data.image_id;
  const end = performance.now() + (timeoutMs ?? context.timeoutMs);
  for (;;) {
    const { uid } = await locator.element(waiting);
    const shot = { ...on, mode: "element", uid, format: "png", include_ocr: false, max_side: 8_000 } as const;
    const { screenshot_id: after } = (await context.call("take_screenshot", shot)).data;
    const masked = await Promise.all(mask.map((each) => each.bounds(waiting)));
    const ignore = masked.filter((bounds) => bounds !== undefined);
    const input = { ...on, before, after, ignore, tolerance, ignore_antialiasing: true };
    const { ratio } = (await context.call("compare_screenshots", input)).data;
    if (ratio <= maxRatio !== isNot) return undefined;
    if (performance.now() >= end) {
      const actual = file.replace(/(\.png)?$/, ".actual.png");
      await write(locator, actual);
      return { seen: `${(ratio * 100).toFixed(2)} % of the pixels differ`, picture: actual };
    }
    await sleep(againMs);
  }
}

async function write(locator: Locator, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await locator.screenshot({ path: file });
}
