import { writeFile } from "node:fs/promises";
import { ToolError } from "../base/errors.ts";
import type { Rect } from "../base/geometry.ts";
import type { ToolInput, ToolOutput } from "../tools/registry.ts";
import type { Context, Place } from "./context.ts";
import type { Glance, Patience } from "../tools/call.ts";
import type { Called } from "../tools/caller.ts";
import { needEffect, type ActOptions, type ActionResult } from "./effect.ts";
import { explained } from "./explain.ts";
import { and, at, below, byText, having, inState, selectorOf, type Path } from "./path.ts";
import { Scope } from "./scope.ts";

/** An element as it was seen. */
export type ElementInfo = ToolOutput<"find_elements">["elements"][number];

export interface WaitOptions {
  /** How long to wait, in milliseconds; default: what `open` was given, 5000. */
  readonly timeoutMs?: number;
}

export interface ClickOptions extends ActOptions {
  readonly button?: NonNullable<ToolInput<"click">["button"]>;
  readonly clicks?: 1 | 2 | 3;
  /** Keys held meanwhile. */
  readonly modifiers?: NonNullable<ToolInput<"click">["modifiers"]>;
  /** `background` never moves the pointer or the focus; `foreground` uses real input; default: native where that is the same. */
  readonly delivery?: NonNullable<ToolInput<"click">["delivery"]>;
}

export interface ScrollOptions extends ActOptions {
  readonly direction?: "up" | "down" | "left" | "right";
  /** Wheel notches; default 3. */
  readonly amount?: number;
}

export interface FilterOptions {
  /** It contains this text. */
  readonly hasText?: string;
  /** It contains such an element. */
  readonly has?: Locator;
  readonly visible?: boolean;
  readonly enabled?: boolean;
}

export interface ScreenshotOptions {
  /** Also write it to this file. */
  readonly path?: string;
}

/** A region numbered by mark_regions, or its id. */
type Region = { readonly region: number } | { readonly region_id: string };

/**
 * Names an element without looking for it. Every action looks for it anew, waits until it is there, visible, enabled and
 * still, and acts on exactly one: if several fit, it fails and lists them.
 */
export class Locator extends Scope {
  readonly #context: Context;
  readonly #place: Place;
  readonly #named: Path | Region;

  /** @internal */
  constructor(context: Context, place: Place, named: Path | Region) {
    super();
    this.#context = context;
    this.#place = place;
    this.#named = named;
  }

  /** @internal */
  protected override find(path: Path): Locator {
    return this.#with(below(this.path, path));
  }

  #with(path: Path): Locator {
    return new Locator(this.#context, this.#place, path);
  }

  /** @internal */
  get context(): Context {
    return this.#context;
  }

  /** @internal */
  get place(): Place {
    return this.#place;
  }

  /** @internal */
  get path(): Path {
    if ("steps" in this.#named) return this.#named;
    throw new ToolError("invalid_argument", "A marked region has nothing inside it that could be named or read.", {
      hint: "Name the element itself: getByRole, getByText or locator.",
    });
  }

  /** The selector, as tools and the command line take it. */
  override toString(): string {
    return "steps" in this.#named ? selectorOf(this.#named) : `region ${Object.values(this.#named).join("")}`;
  }

  /** The first of several. */
  first(): Locator {
    return this.nth(0);
  }

  /** The last of several. */
  last(): Locator {
    return this.nth(-1);
  }

  /** One of several in tree order: 0 is the first, -1 the last. */
  nth(index: number): Locator {
    return this.#with(at(this.path, index));
  }

  /** Those that also contain or are what is asked for. */
  filter({ hasText, has, visible, enabled }: FilterOptions): Locator {
    let { path } = this;
    if (hasText !== undefined) path = having(path, byText(hasText, {}));
    if (has !== undefined) path = having(path, has.path);
    if (visible !== undefined) path = inState(path, "showing", visible);
    if (enabled !== undefined) path = inState(path, "enabled", enabled);
    return this.#with(path);
  }

  /** Those that fit both locators. */
  and(other: Locator): Locator {
    return this.#with(and(this.path, other.path));
  }

  /** The same inside another element. */
  within(outer: Locator): Locator {
    return this.#with(below(outer.path, this.path));
  }

  // --- actions ---------------------------------------------------------------------------------------------------

  async click({ button, clicks, modifiers, delivery, ...options }: ClickOptions = {}): Promise<ActionResult> {
    const how = given({ button, clicks, modifiers, delivery, settle_ms: options.settleMs });
    return this.#act("click", options, (patience) => this.#call("click", { ...this.#shown(), ...how }, patience));
  }

  async dblclick(options: Omit<ClickOptions, "clicks"> = {}): Promise<ActionResult> {
    return this.click({ ...options, clicks: 2 });
  }

  async rightClick(options: Omit<ClickOptions, "button"> = {}): Promise<ActionResult> {
    return this.click({ ...options, button: "right" });
  }

  /** Moves the pointer over it. */
  async hover(options: Omit<ActOptions, "settleMs"> = {}): Promise<ActionResult> {
    return this.#act("hover", options, (patience) => this.#call("move_mouse", this.#shown(), patience));
  }

  /**
   * Replaces the value: natively where the app can, otherwise by typing over it, which `dispatched_via` and `warning`
   * say.
   */
  async fill(value: string | number, options: ActOptions = {}): Promise<ActionResult> {
    return this.#act("fill", options, (patience) =>
      this.#call(
        "act",
        { ...this.#acted(), action: "set_value", value, fallback: "type", ...settling(options) },
        patience,
      ),
    );
  }

  /** Empties a field. */
  async clear(options: ActOptions = {}): Promise<ActionResult> {
    return this.fill("", options);
  }

  /** Types key by key at the cursor of the field. */
  async type(text: string, options: ActOptions & { readonly delayMs?: number } = {}): Promise<ActionResult> {
    const how = given({ delay_ms: options.delayMs, settle_ms: options.settleMs });
    return this.#act("type", options, (patience) =>
      this.#call("type_text", { ...this.#acted(), text, ...how }, patience),
    );
  }

  /** Focuses it and presses a key or shortcut, e.g. `press("ctrl+a")`. */
  async press(key: string, options: ActOptions = {}): Promise<ActionResult> {
    const left = this.#sharing(options);
    const element = await this.#resolve(left());
    if (!element.states.includes("focused")) await this.focus(left());
    return this.#act("press", options, () => this.#call("press_key", { ...this.#place, key, ...settling(options) }));
  }

  /** Gives it the keyboard focus. */
  async focus(options: ActOptions = {}): Promise<ActionResult> {
    return this.#native("focus", options);
  }

  /** Checks a box, switch or toggle; undefined when it already is checked. */
  async check(options: ActOptions = {}): Promise<ActionResult | undefined> {
    return this.#setChecked(true, options);
  }

  /** The opposite of `check`. */
  async uncheck(options: ActOptions = {}): Promise<ActionResult | undefined> {
    return this.#setChecked(false, options);
  }

  /** Selects this row or item; with a value, chooses that item of a list or combo box. */
  async select(value?: string, options: ActOptions = {}): Promise<ActionResult> {
    return value === undefined ? this.#native("select", options) : this.fill(value, options);
  }

  /** Opens a tree item, menu, combo box or expander. */
  async expand(options: ActOptions = {}): Promise<ActionResult> {
    return this.#native("expand", options);
  }

  async collapse(options: ActOptions = {}): Promise<ActionResult> {
    return this.#native("collapse", options);
  }

  /** Turns the wheel over it; by default down. */
  async scroll({ direction = "down", amount = 3, ...options }: ScrollOptions = {}): Promise<ActionResult> {
    const how = { direction, amount, ...settling(options) };
    return this.#act("scroll", options, (patience) => this.#call("scroll", { ...this.#shown(), ...how }, patience));
  }

  async scrollIntoView(options: ActOptions = {}): Promise<ActionResult> {
    return this.#native("scroll_into_view", options);
  }

  /** Drags it onto another element. */
  async drag(onto: Locator, options: ActOptions = {}): Promise<ActionResult> {
    const left = this.#sharing(options);
    const ends = isSamePlace(this.#place, onto.#place)
      ? { ...this.#acted(), ...onto.#asEnd() }
      : {
          ...surfaceOf(this.#place),
          uid: (await this.#resolve(left(), isUsable)).uid,
          to_uid: (await onto.#resolve(left(), isUsable)).uid,
        };
    return this.#act("drag", { ...options, ...left() }, (patience) =>
      this.#call("act", { ...ends, action: "drag", ...settling(options) }, patience),
    );
  }

  // --- reads -----------------------------------------------------------------------------------------------------

  /** All that fit now, without waiting. */
  async all(): Promise<readonly ElementInfo[]> {
    const { data } = await this.#context.call("find_elements", { ...this.#element(), max_results: 500 });
    return data.elements;
  }

  /** How many fit now, without waiting. */
  async count(): Promise<number> {
    return (await this.#context.call("find_elements", { ...this.#element(), max_results: 1 })).data.total;
  }

  /** The element itself, once it is there. */
  async element(options: WaitOptions = {}): Promise<ElementInfo> {
    return this.#resolve(options);
  }

  /** All of its text; what gives none is read in the picture. */
  async textContent(options: WaitOptions = {}): Promise<string> {
    return (await this.#read("text", "read_text", this.#element(), options)).data.text;
  }

  /** The text of a field, or the position of a slider; undefined for what has no value. */
  async value(options: WaitOptions = {}): Promise<string | number | undefined> {
    return (await this.#resolve(options)).value;
  }

  /** Whether it shows now, without waiting. */
  async isVisible(): Promise<boolean> {
    const { data } = await this.#context.call("find_elements", { ...this.#element(), only: true });
    return data.elements[0]?.states.includes("showing") ?? false;
  }

  async isEnabled(options: WaitOptions = {}): Promise<boolean> {
    return (await this.#resolve(options)).states.includes("enabled");
  }

  async isChecked(options: WaitOptions = {}): Promise<boolean> {
    return isOn(await this.#resolve(options));
  }

  /** Where it is, in screen units. */
  async bounds(options: WaitOptions = {}): Promise<Rect | undefined> {
    return (await this.#resolve(options)).bounds;
  }

  /** Its pixels as PNG. */
  async screenshot({ path, ...options }: ScreenshotOptions & WaitOptions = {}): Promise<Uint8Array> {
    const wanted = {
      mode: "element",
      format: "png",
      include_ocr: false,
      max_side: 8_000,
      max_bytes: 3_000_000,
    } as const;
    const [image] = (await this.#read("screenshot", "take_screenshot", { ...this.#element(), ...wanted }, options))
      .images;
    if (!image) throw new ToolError("not_found", "No picture came back.");
    if (path !== undefined) await writeFile(path, image.bytes);
    return image.bytes;
  }

  /** It and what is inside, one line per element. */
  async snapshot(options: WaitOptions = {}): Promise<string> {
    const { uid } = await this.#resolve(options);
    const { data } = await this.#context.call("take_ax_snapshot", { ...surfaceOf(this.#place), root: uid });
    return data.snapshot ?? "";
  }

  // --- inside ----------------------------------------------------------------------------------------------------

  /** As a target that may also be a text in the picture. */
  #shown(): Place & ({ readonly selector: string } | { readonly text: string } | Region) {
    if (!("steps" in this.#named)) return { ...this.#place, ...this.#named };
    const { text } = this.#named;
    return text === undefined ? this.#element() : { ...this.#place, text };
  }

  /** As a target of an action on an element. */
  #acted(): Place & ({ readonly selector: string } | Region) {
    return "steps" in this.#named ? this.#element() : { ...this.#place, ...this.#named };
  }

  /** As the end of a drag. */
  #asEnd(): { readonly to_selector?: string; readonly to_region?: number; readonly to_region_id?: string } {
    if ("steps" in this.#named) return { to_selector: selectorOf(this.#named) };
    return "region" in this.#named ? { to_region: this.#named.region } : { to_region_id: this.#named.region_id };
  }

  #element(): Place & { readonly selector: string } {
    return { ...this.#place, selector: selectorOf(this.path) };
  }

  #patience({ timeoutMs = this.#context.timeoutMs }: WaitOptions) {
    return { ms: timeoutMs };
  }

  /** What a tool says of the element, once it is there. */
  async #read<Name extends "read_text" | "take_screenshot">(
    doing: string,
    tool: Name,
    input: ToolInput<Name>,
    options: WaitOptions,
  ): Promise<Called<Name>> {
    try {
      const until = ({ error }: Glance): boolean => error === undefined;
      return await this.#context.call(tool, input, { ...this.#patience(options), until });
    } catch (error) {
      throw await this.#explained(doing, error);
    }
  }

  get #call(): Context["call"] {
    return this.#context.call;
  }

  async #act(
    doing: string,
    options: ActOptions,
    perform: (patience: Patience) => Promise<{ readonly data: ActionResult }>,
  ): Promise<ActionResult> {
    try {
      const { data } = await perform(this.#patience(options));
      return needEffect(data, options);
    } catch (error) {
      throw await this.#explained(doing, error);
    }
  }

  async #native(action: NativeAction, options: ActOptions): Promise<ActionResult> {
    return this.#act(action, options, (patience) =>
      this.#call("act", { ...this.#acted(), action, ...settling(options) }, patience),
    );
  }

  async #setChecked(wanted: boolean, options: ActOptions): Promise<ActionResult | undefined> {
    const left = this.#sharing(options);
    if (isOn(await this.#resolve(left())) === wanted) return undefined;
    const result = await this.click({ ...options, ...left() });
    const now = await this.#resolve(left(), (element) => isOn(element) === wanted);
    if (isOn(now) === wanted) return result;
    throw new ToolError(
      "not_confirmed",
      `${this.toString()} is ${wanted ? "not checked" : "still checked"} after the click.`,
    );
  }

  /** What is left of the time, for each of the parts of one action. */
  #sharing({ timeoutMs = this.#context.timeoutMs }: WaitOptions): () => WaitOptions {
    const end = performance.now() + timeoutMs;
    return () => ({ timeoutMs: Math.max(0, Math.round(end - performance.now())) });
  }

  /** The one element, once it is there and passes. When the time is up: as it is then. */
  async #resolve(options: WaitOptions, passes: (element: ElementInfo) => boolean = () => true): Promise<ElementInfo> {
    const { ms } = this.#patience(options);
    const until = ({ data }: { readonly data?: unknown }): boolean => {
      const [first] = (data as ToolOutput<"find_elements"> | undefined)?.elements ?? [];
      return first !== undefined && passes(first);
    };
    try {
      const { data } = await this.#context.call("find_elements", { ...this.#element(), only: true }, { ms, until });
      const [element] = data.elements;
      if (element) return element;
      throw new ToolError("not_found", `No element matches. Waited ${ms} ms.`);
    } catch (error) {
      throw await this.#explained("find", error);
    }
  }

  #explained(doing: string, error: unknown): Promise<unknown> {
    return explained(error, `${doing} ${this.toString()}`, this.#context, this.#place);
  }
}

type NativeAction = Extract<
  ToolInput<"act">["action"],
  "focus" | "select" | "expand" | "collapse" | "scroll_into_view"
>;

const isSamePlace = (a: Place, b: Place): boolean =>
  a.surface === b.surface && a.pid === b.pid && a.window_id === b.window_id;

const isUsable = ({ states }: ElementInfo): boolean => states.includes("showing") && states.includes("enabled");

const surfaceOf = ({ surface }: Place): { readonly surface?: string } => (surface === undefined ? {} : { surface });

export const settling = ({ settleMs }: ActOptions): { readonly settle_ms?: number } =>
  settleMs === undefined ? {} : { settle_ms: settleMs };

export const isOn = ({ states }: ElementInfo): boolean =>
  ["checked", "pressed", "selected"].some((state) => states.includes(state));

/** What was given, without what was not. */
export function given<Fields extends object>(
  fields: Fields,
): { readonly [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Fields]?: NonNullable<Fields[Key]> };
}
