import { ToolError } from "../base/errors.ts";
import type { Rect } from "../base/geometry.ts";
import type { ToolOutput } from "../tools/registry.ts";
import type { Context, Place } from "./context.ts";
import { needEffect, type ActOptions, type ActionResult } from "./effect.ts";
import { explained } from "./explain.ts";
import { given, settling, type ClickOptions, type WaitOptions } from "./locator.ts";

export interface ImageOptions {
  /** How much alike, from 0 to 1; default 0.85. */
  readonly threshold?: number;
}

type Match = ToolOutput<"find_image">["matches"][number];

/** Something that is found by how it looks. */
export class ImageLocator {
  /** @internal */
  readonly context: Context;
  /** @internal */
  readonly place: Place;
  readonly #image: string | Uint8Array;
  readonly #options: ImageOptions;
  #loaded: Promise<string> | undefined;

  /** @internal */
  constructor(context: Context, place: Place, image: string | Uint8Array, options: ImageOptions) {
    this.context = context;
    this.place = place;
    this.#image = image;
    this.#options = options;
  }

  toString(): string {
    return typeof this.#image === "string" ? `image ${this.#image}` : "image";
  }

  async click({ button, clicks, modifiers, ...options }: Omit<ClickOptions, "delivery"> = {}): Promise<ActionResult> {
    const how = { ...given({ button, clicks, modifiers }), ...settling(options) };
    return this.#act("click", options, async () =>
      this.context.call("click", { ...(await this.#point(options)), ...how }),
    );
  }

  async dblclick(options: Omit<ClickOptions, "delivery" | "clicks"> = {}): Promise<ActionResult> {
    return this.click({ ...options, clicks: 2 });
  }

  async rightClick(options: Omit<ClickOptions, "delivery" | "button"> = {}): Promise<ActionResult> {
    return this.click({ ...options, button: "right" });
  }

  /** Moves the pointer over it. */
  async hover(options: Omit<ActOptions, "settleMs"> = {}): Promise<ActionResult> {
    return this.#act("hover", options, async () => this.context.call("move_mouse", await this.#point(options)));
  }

  /** Whether it shows now, without waiting. */
  async isVisible(): Promise<boolean> {
    return (await this.count()) > 0;
  }

  /** How often it shows now, without waiting. */
  async count(): Promise<number> {
    return (await this.#look({ timeoutMs: 0 }, () => true)).length;
  }

  /** Where it is, in screen units. */
  async bounds(options: WaitOptions = {}): Promise<Rect> {
    const { screen_x = 0, screen_y = 0, bbox } = await this.#one(options);
    return { x: screen_x - bbox.w / 2, y: screen_y - bbox.h / 2, width: bbox.w, height: bbox.h };
  }

  /** Waits until it shows, or is gone. @internal */
  async waitFor(isWanted: boolean, options: WaitOptions): Promise<boolean> {
    const matches = await this.#look(options, (found) => found.length > 0 === isWanted);
    return matches.length > 0 === isWanted;
  }

  async #act(
    doing: string,
    options: ActOptions,
    perform: () => Promise<{ readonly data: ActionResult }>,
  ): Promise<ActionResult> {
    try {
      return needEffect((await perform()).data, options);
    } catch (error) {
      throw await explained(error, `${doing} ${this.toString()}`, this.context, this.place);
    }
  }

  async #point(options: WaitOptions): Promise<{ readonly x: number; readonly y: number; readonly surface?: string }> {
    const { screen_x, screen_y } = await this.#one(options);
    const { surface } = this.place;
    return { x: screen_x ?? 0, y: screen_y ?? 0, ...(surface === undefined ? {} : { surface }) };
  }

  async #one(options: WaitOptions): Promise<Match> {
    const [match, ...others] = await this.#look(options, (found) => found.length > 0);
    if (!match) throw new ToolError("not_found", `Nothing looks like ${this.toString()}.`);
    if (others.length === 0) return match;
    throw new ToolError("ambiguous_target", `${this.toString()} was found in ${others.length + 1} places.`, {
      candidates: [match, ...others].slice(0, 10).map(({ screen_x, screen_y }) => `at ${screen_x},${screen_y}`),
    });
  }

  async #look(
    { timeoutMs = this.context.timeoutMs }: WaitOptions,
    isEnough: (matches: readonly Match[]) => boolean,
  ): Promise<readonly Match[]> {
    const until = ({ data }: { readonly data?: unknown }): boolean =>
      data !== undefined && isEnough((data as ToolOutput<"find_image">).matches);
    const template_id = await (this.#loaded ??= this.#load());
    const input = { ...this.place, template_id, ...given({ threshold: this.#options.threshold }) };
    return (await this.context.call("find_image", input, { ms: timeoutMs, until })).data.matches;
  }

  async #load(): Promise<string> {
    const source =
      typeof this.#image === "string"
        ? { path: this.#image }
        : { image_base64: Buffer.from(this.#image).toString("base64") };
    return (await this.context.call("load_image", source)).data.image_id;
  }
}
