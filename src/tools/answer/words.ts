import { spellOut } from "../../base/quote.ts";
import { shorten } from "../../surface/snapshot-text.ts";

export type Data = Readonly<Record<string, unknown>>;

/** Somebody else's text in one of our lines: it can neither end its quotes nor begin a line. */
export const quoted = (text: string, most = 200): string => JSON.stringify(shorten(text, most));

// A control character could move the cursor of a terminal; the others begin a line or turn the reading direction.
const unprintable = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/** A line of ours that may contain names of others: it stays one line. */
export const line = (text: string): string => spellOut(text, unprintable);

/** Text of several lines as it is. The bar shows which lines are not ours. */
export const block = (text: string): readonly string[] =>
  text === ""
    ? []
    : text.split(/\r\n|[\n\r\u2028\u2029]/u).map((each) => `| ${spellOut(each, /(?!\t)[\p{Cc}\p{Bidi_Control}]/gu)}`);

/** A text or number as it is; nothing for anything else. */
export const plain = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? `${value}` : "";

export const isData = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isRect = (value: Data): value is Readonly<Record<"x" | "y" | "width" | "height", number>> =>
  Object.keys(value).length === 4 && ["x", "y", "width", "height"].every((key) => typeof value[key] === "number");

const isPoint = (value: Data): value is Readonly<Record<"x" | "y", number>> =>
  Object.keys(value).length === 2 && ["x", "y"].every((key) => typeof value[key] === "number");

/** `10,20 640x480`, as in a snapshot. */
export const place = (value: unknown): string =>
  isData(value) && isRect(value) ? `${value.x},${value.y} ${value.width}x${value.height}` : "";

/** Any value in one line. */
export function show(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return String(Math.round(value * 1_000) / 1_000);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(show).join(", ");
  if (!isData(value)) return "";
  if (isRect(value)) return place(value);
  if (isPoint(value)) return `${value.x},${value.y}`;
  return row(value);
}

/** `key value, key value`, without what is empty. */
export const row = (data: Data): string =>
  Object.entries(data)
    .filter(([, value]) => !isEmpty(value))
    .map(([key, value]) => `${word(key)} ${show(value)}`)
    .join(", ");

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** `pixel_width` reads as "pixel width". Keys of others, such as the roles of a page, stay one line. */
export const word = (key: string): string => line(key.replaceAll("_", " "));

export const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

export const rows = (value: unknown): readonly Data[] => (Array.isArray(value) ? value.filter(isData) : []);
