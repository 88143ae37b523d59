import type { JournalEntry } from "./journal.ts";
import { redacted } from "./redact.ts";

type Fields = Readonly<Record<string, unknown>>;
type Pair = readonly [key: string, value: unknown];

/**
 * One call as one line: `[UI] <timestamp> <tool> key=value …`. Whatever the title of a window, it stays one line and
 * cannot pose as another field.
 */
export function auditLine(entry: JournalEntry): string {
  const given = withoutTyped(entry);
  const result = fields(entry.result);
  const pairs = [...describe(entry.tool, given, result), ...outcome(entry, result)];
  const time = new Date(entry.at).toISOString();
  const shown = pairs.filter(([, value]) => value !== undefined).map(([key, value]) => `${bare(key)}=${show(value)}`);
  return ["[UI]", time, bare(entry.tool), ...shown].join(" ");
}

/** Logs are read by more people than the journal: they show no typed text, harmless or not. */
function withoutTyped({ arguments: given, typed = [] }: JournalEntry): Fields {
  return Object.fromEntries(
    Object.entries(fields(given)).map(([name, value]) => [name, typed.includes(name) ? redacted : value]),
  );
}

function describe(tool: string, given: Fields, result: Fields): Pair[] {
  const window: Pair = ["window", windowOf(given, result)];
  if (/screenshot|capture/.test(tool)) {
    return [["mode", modeOf(given, result)], window, ["size", sizeOf(result)]];
  }
  if (/(^|_)type(_|$)/.test(tool)) return [["text", redacted], window];
  if (tool.includes("click")) {
    const rest = scalars(given).filter(([key]) => !["x", "y", "button"].includes(key));
    const target = fields(result["target"]);
    return [
      ["x", given["x"] ?? target["x"]],
      ["y", given["y"] ?? target["y"]],
      ["button", given["button"] ?? "left"],
      window,
      ...rest,
    ];
  }
  return [...scalars(given), window];
}

function outcome(entry: JournalEntry, result: Fields): Pair[] {
  const timing: Pair[] = [
    ["step", entry.step],
    ["ms", entry.ms],
  ];
  return entry.ok ? [...timing, ["ok", true]] : [...timing, ["ok", false], ["error", result["code"]]];
}

/** The title, if the call or its result contains it; otherwise the id. */
function windowOf(given: Fields, result: Fields): unknown {
  const places = [fields(result["window"]), fields(result["target"]), result, given];
  const title = places.map((place) => place["title"] ?? place["window_title"]).find((found) => found !== undefined);
  return (
    title ?? places.map((place) => place["window_id"] ?? place["screenshot_window_id"]).find((id) => id !== undefined)
  );
}

function modeOf(given: Fields, result: Fields): unknown {
  if (given["mode"] !== undefined) return given["mode"];
  return windowOf(given, result) === undefined ? "screen" : "window";
}

function sizeOf(result: Fields): string | undefined {
  const names = [
    ["screenshot_pixel_width", "screenshot_pixel_height"],
    ["image_width", "image_height"],
    ["width", "height"],
    ["Width", "Height"],
  ] as const;
  for (const [across, down] of names) {
    const [width, height] = [result[across], result[down]];
    if (typeof width === "number" && typeof height === "number") return `${width}x${height}`;
  }
  return undefined;
}

const scalars = (given: Fields): Pair[] =>
  Object.entries(given).filter(
    ([key, value]) => ["string", "number", "boolean"].includes(typeof value) && key !== "window_title",
  );

const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const show = (value: unknown): string =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : bareOrQuoted(String(value));

// Keys and tool names also come from the caller; an unknown tool name must not look like two fields.
const bare = (name: string): string => (/^[\w-]+$/.test(name) ? name : quote(name));
const bareOrQuoted = (text: string): string => (/^[\w.:/x-]+$/.test(text) ? text : quote(text));

/**
 * Quoted, with everything escaped that a terminal or a log reader could treat as a line end or a direction change.
 */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
