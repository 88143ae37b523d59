import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { sleep } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import type { Locator, WaitOptions } from "./locator.ts";

export interface PictureOptions {
  /** Parts that may look different: everything that these locators fit. */
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
  const compare = async (): Promise<number | ToolError> => {
    const { uid } = await locator.element({ timeoutMs: Math.max(0, Math.round(end - performance.now())) });
    const shot = { ...on, mode: "element", uid, format: "png", include_ocr: false, max_side: 8_000 } as const;
    const { screenshot_id: after } = (await context.call("take_screenshot", shot)).data;
    const masked = await Promise.all(mask.map((each) => each.all()));
    const ignore = masked.flat().flatMap(({ bounds }) => bounds ?? []);
    const input = { ...on, before, after, ignore, tolerance, ignore_antialiasing: true };
    const compared = context.call("compare_screenshots", input).then(({ data }) => data.ratio);
    return compared.catch((error: unknown) => {
      // Pictures of different sizes cannot be laid over each other.
      if (error instanceof ToolError && error.code === "invalid_argument") return error;
      throw error;
    });
  };
  for (;;) {
    const ratio = await compare();
    const isAlike = typeof ratio === "number" && ratio <= maxRatio;
    if (isAlike !== isNot) return undefined;
    if (performance.now() >= end) {
      const actual = file.replace(/(\.png)?$/, ".actual.png");
      await write(locator, actual);
      const seen = typeof ratio === "number" ? `${(ratio * 100).toFixed(2)} % of the pixels differ` : ratio.message;
      return { seen, picture: actual };
    }
    await sleep(againMs);
  }
}

async function write(locator: Locator, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await locator.screenshot({ path: file });
}
