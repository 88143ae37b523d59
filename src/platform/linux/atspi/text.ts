import type { BusCallOptions } from "../dbus/method.ts";
import { optional, type App } from "./app.ts";

export interface Content {
  readonly text: string;
  /** Characters in all. */
  readonly length: number;
}

/** The text of an element, at most `max` characters of it; undefined when it has none to tell. */
export async function readContent(
  app: App,
  path: string,
  max: number,
  options: BusCallOptions,
): Promise<Content | undefined> {
  const length = await optional(app.get<number>(path, "Text.CharacterCount", options));
  if (typeof length !== "number") return undefined;
  // The count is the end to ask for: Firefox gives nothing for "to the end", and GTK gives megabytes.
  const end = Math.min(length, max);
  const reply = end > 0 ? await optional(app.call<[string]>(path, "Text.GetText", "ii", [0, end], options)) : [""];
  return reply && { text: clean(app, reply[0] ?? ""), length };
}

/** Firefox puts U+FEFF after every character beyond the first plane; U+FFFC stands for an embedded object. */
const clean = ({ toolkit }: App, text: string): string => (toolkit === "gecko" ? text.replaceAll("\uFEFF", "") : text);
