import { AssertionError } from "node:assert";
import { ToolError } from "../base/errors.ts";
import type { Glance } from "../tools/call.ts";
import type { ToolOutput } from "../tools/registry.ts";
import { failurePicture, report, snapshotLines } from "./explain.ts";
import { ImageLocator } from "./image.ts";
import { isOn, type ElementInfo, type Locator, type WaitOptions } from "./locator.ts";
import { comparePicture, type PictureOptions } from "./picture.ts";

/** What one look says about what is expected. */
interface Judged {
  readonly passes: boolean;
  /** What was seen, in words or as a value. */
  readonly seen: unknown;
}

type Judge = (elements: readonly ElementInfo[], total: number) => Judged;

/** Assertions about an element. Each looks again until it holds or the time is up. */
export class LocatorExpectation {
  readonly #locator: Locator;
  readonly #isNot: boolean;

  /** @internal */
  constructor(locator: Locator, isNot = false) {
    this.#locator = locator;
    this.#isNot = isNot;
  }

  /** The opposite of what follows. */
  get not(): LocatorExpectation {
    return new LocatorExpectation(this.#locator, !this.#isNot);
  }

  async toBeVisible(options: WaitOptions = {}): Promise<void> {
    await this.#one("toBeVisible", "visible", options, (element) => ({
      passes: element?.states.includes("showing") ?? false,
      seen: element ? (element.states.includes("showing") ? "visible" : "hidden") : nothing,
    }));
  }

  /** It is not there, or does not show. */
  async toBeHidden(options: WaitOptions = {}): Promise<void> {
    await this.#one("toBeHidden", "hidden", options, (element) => ({
      passes: !(element?.states.includes("showing") ?? false),
      seen: element ? (element.states.includes("showing") ? "visible" : "hidden") : nothing,
    }));
  }

  async toBeEnabled(options: WaitOptions = {}): Promise<void> {
    await this.#state("toBeEnabled", "enabled", options);
  }

  async toBeDisabled(options: WaitOptions = {}): Promise<void> {
    await this.#one("toBeDisabled", "disabled", options, (element) => ({
      passes: element !== undefined && !element.states.includes("enabled"),
      seen: element?.states ?? nothing,
    }));
  }

  async toBeFocused(options: WaitOptions = {}): Promise<void> {
    await this.#state("toBeFocused", "focused", options);
  }

  /** Checked, pressed or selected; or not, with `{ checked: false }`. */
  async toBeChecked({ checked = true, ...options }: WaitOptions & { readonly checked?: boolean } = {}): Promise<void> {
    await this.#one("toBeChecked", checked ? "checked" : "unchecked", options, (element) => ({
      passes: element !== undefined && isOn(element) === checked,
      seen: element?.states ?? nothing,
    }));
  }

  /** Its whole text: the value of a field, else its name. */
  async toHaveText(text: string | RegExp, options: WaitOptions = {}): Promise<void> {
    await this.#one("toHaveText", text, options, (element) => judgeText(element, (own) => isText(own, text)));
  }

  /** Part of its text. */
  async toContainText(text: string, options: WaitOptions = {}): Promise<void> {
    await this.#one("toContainText", text, options, (element) => judgeText(element, (own) => own.includes(text)));
  }

  async toHaveValue(value: string | number | RegExp, options: WaitOptions = {}): Promise<void> {
    await this.#one("toHaveValue", value, options, (element) => ({
      passes: element?.value !== undefined && isText(String(element.value), value),
      seen: element ? (element.value ?? "no value") : nothing,
    }));
  }

  /** How many fit. */
  async toHaveCount(count: number, options: WaitOptions = {}): Promise<void> {
    await this.#retry("toHaveCount", count, options, { only: false }, (_elements, total) => ({
      passes: total === count,
      seen: total,
    }));
  }

  /**
   * It looks like a picture that was kept: a PNG file. The first run writes it and fails; `update: true`, or the
   * variable HANDSIGHT_UPDATE=1, replaces it.
   */
  async toHaveScreenshot(path: string, options: PictureOptions & WaitOptions = {}): Promise<void> {
    const compared = await comparePicture(this.#locator, path, options, this.#isNot);
    if (compared === undefined) return;
    await this.#fail("toHaveScreenshot", path, compared.seen, compared.picture);
  }

  async #state(name: string, state: string, options: WaitOptions): Promise<void> {
    await this.#one(name, state, options, (element) => ({
      passes: element?.states.includes(state) ?? false,
      seen: element?.states ?? nothing,
    }));
  }

  async #one(
    name: string,
    expected: unknown,
    options: WaitOptions,
    judge: (element: ElementInfo | undefined) => Judged,
  ): Promise<void> {
    await this.#retry(name, expected, options, { only: true }, ([element]) => judge(element));
  }

  async #retry(
    name: string,
    expected: unknown,
    { timeoutMs }: WaitOptions,
    how: { readonly only: boolean },
    judge: Judge,
  ): Promise<void> {
    const { context, place, path } = this.#locator;
    let last: Judged | undefined;
    const until = ({ data, error }: Glance): boolean => {
      const found = error ? { elements: [], total: 0 } : (data as unknown as ToolOutput<"find_elements">);
      // Where the app or window is gone, so is what was in it; any other trouble says nothing.
      last = error && !absent.has(error.code) ? undefined : judge(found.elements, found.total);
      return last !== undefined && last.passes !== this.#isNot;
    };
    const ms = timeoutMs ?? context.timeoutMs;
    const input = { ...place, selector: path.steps.join(" > "), ...how };
    const trouble = await context.call("find_elements", input, { ms, until }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (last === undefined) throw trouble;
    if (last.passes === this.#isNot) await this.#fail(name, expected, last.seen, undefined, ms);
  }

  async #fail(name: string, expected: unknown, seen: unknown, picture?: string, ms?: number): Promise<never> {
    const { context, place } = this.#locator;
    const not = this.#isNot ? "not." : "";
    const message = report(
      `expect(${this.#locator.toString()}).${not}${name} failed${ms === undefined ? "" : ` after ${ms} ms`}`,
      {
        expected: `${this.#isNot ? "not " : ""}${show(expected)}`,
        seen: show(seen),
        snapshot: await snapshotLines(context, place),
        picture: picture ?? (await failurePicture(context, place)),
      },
    );
    throw new AssertionError({ message, actual: seen, expected, operator: `${not}${name}` });
  }
}

/** Assertions about something that is found by how it looks. */
export class ImageExpectation {
  readonly #image: ImageLocator;
  readonly #isNot: boolean;

  /** @internal */
  constructor(image: ImageLocator, isNot = false) {
    this.#image = image;
    this.#isNot = isNot;
  }

  get not(): ImageExpectation {
    return new ImageExpectation(this.#image, !this.#isNot);
  }

  async toBeVisible(options: WaitOptions = {}): Promise<void> {
    await this.#shows(!this.#isNot, options);
  }

  async toBeHidden(options: WaitOptions = {}): Promise<void> {
    await this.#shows(this.#isNot, options);
  }

  async #shows(isWanted: boolean, options: WaitOptions): Promise<void> {
    if (await this.#image.waitFor(isWanted, options)) return;
    const [expected, seen] = isWanted ? ["visible", "nowhere"] : ["hidden", "visible"];
    const { context, place } = this.#image;
    const message = report(`expect(${this.#image.toString()}) failed`, {
      expected,
      seen,
      picture: await failurePicture(context, place),
    });
    throw new AssertionError({ message, actual: seen, expected, operator: "toBeVisible" });
  }
}

const nothing = "no such element";
const absent: ReadonlySet<string> = new Set(["not_found", "window_gone", "process_not_running"]);

const isText = (own: string, wanted: string | number | RegExp): boolean =>
  wanted instanceof RegExp ? wanted.test(own) : own === String(wanted);

function judgeText(element: ElementInfo | undefined, fits: (own: string) => boolean): Judged {
  if (!element) return { passes: false, seen: nothing };
  const own = String(element.value ?? "") || element.name || (element.description ?? "");
  return { passes: fits(own), seen: own };
}

const show = (value: unknown): string => (value instanceof RegExp ? String(value) : JSON.stringify(value));

/** What should become true of an element. `await` it. */
export function expect(subject: Locator): LocatorExpectation;
export function expect(subject: ImageLocator): ImageExpectation;
export function expect(subject: Locator | ImageLocator): LocatorExpectation | ImageExpectation {
  if (subject instanceof ImageLocator) return new ImageExpectation(subject);
  if ("path" in subject) return new LocatorExpectation(subject);
  throw new ToolError("invalid_argument", "expect takes a locator.", {
    hint: "For other values use the expect of your test runner.",
  });
}
