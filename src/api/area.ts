import { writeFile } from "node:fs/promises";
import { ToolError } from "../base/errors.ts";
import type { Context, Place } from "./context.ts";
import { needEffect, type ActOptions, type ActionResult } from "./effect.ts";
import { ImageLocator, type ImageOptions } from "./image.ts";
import { Locator, settling, type ScreenshotOptions } from "./locator.ts";
import type { Path } from "./path.ts";
import { Scope } from "./scope.ts";

/** A whole app, window, page or device: it also has a picture and takes keys. */
export abstract class Area extends Scope {
  /** @internal */
  protected readonly context: Context;
  /** @internal */
  protected readonly place: Place;

  /** @internal */
  constructor(context: Context, place: Place) {
    super();
    this.context = context;
    this.place = place;
  }

  /** @internal */
  protected override find(path: Path): Locator {
    return new Locator(this.context, this.place, path);
  }

  /** Something numbered by the tool `mark_regions`, by its number or id. */
  region(region: number | string): Locator {
    return new Locator(this.context, this.place, typeof region === "number" ? { region } : { region_id: region });
  }

  /** Something that looks like this picture: a PNG, JPEG or WebP file, or its bytes. */
  getByImage(image: string | Uint8Array, options: ImageOptions = {}): ImageLocator {
    return new ImageLocator(this.context, this.place, image, options);
  }

  /** Presses a key or shortcut, e.g. `press("ctrl+s")`. */
  async press(key: string, options: Omit<ActOptions, "timeoutMs"> = {}): Promise<ActionResult> {
    const { data } = await this.context.call("press_key", { ...this.place, key, ...settling(options) });
    return needEffect(data, options);
  }

  /** Types text at the cursor. */
  async type(text: string, options: Omit<ActOptions, "timeoutMs"> = {}): Promise<ActionResult> {
    const { data } = await this.context.call("type_text", { ...this.place, text, ...settling(options) });
    return needEffect(data, options);
  }

  /** Its picture as PNG. */
  async screenshot({ path }: ScreenshotOptions = {}): Promise<Uint8Array> {
    const wanted = { format: "png", include_ocr: false, max_side: 8_000, max_bytes: 3_000_000 } as const;
    const { images } = await this.context.call("take_screenshot", { ...this.place, ...wanted });
    const [image] = images;
    if (!image) throw new ToolError("not_found", "No picture came back.");
    if (path !== undefined) await writeFile(path, image.bytes);
    return image.bytes;
  }

  /** Its elements, one line each. */
  async snapshot(): Promise<string> {
    return (await this.context.call("take_ax_snapshot", this.place)).data.snapshot ?? "";
  }
}
