import type { BusCallOptions } from "../dbus/method.ts";
import { optional, type App } from "./app.ts";

export interface Content {
  readonly text: string;
  /** The total number of characters. */
  readonly length: number;
}

/** The text of an element, at most `max` characters; undefined when it has none. */
export async function readContent(
  app: App,
  path: string,
  max: number,
  options: BusCallOptions,
): Promise<Content | undefined> {
  const length = await optional(app.get<number>(path, "Text.CharacterCount", options));
  if (typeof length !== "number") return undefined;
  // Ask up to the count: for "to the end" Firefox returns nothing, and GTK returns megabytes.
  const end = Math.min(length, max);
  const reply = end > 0 ? await optional(app.call<[string]>(path, "Text.GetText", "ii", [0, end], options)) : [""];
  return reply && { text: clean(app, reply[0] ?? ""), length };
}

/** Firefox adds U+FEFF after every character beyond the first plane; U+FFFC stands for an embedded object. */
const clean = ({ toolkit }: App, text: string): string => (toolkit === "gecko" ? text.replaceAll("\uFEFF", "") : text);
