import type { JournalEntry } from "./journal.ts";
import { redacted } from "./redact.ts";

type Fields = Readonly<Record<string, unknown>>;
type Pair = readonly [key: string, value: unknown];

/**
 * One call as one line: `[UI] <timestamp> <tool> key=value …`. Whatever the title of a window, it stays one line and
 * cannot pose as another field. Lines of the ui_* tools have the form that readers of their log know, to the letter.
 */
export function auditLine(entry: JournalEntry): string {
  const isCompatible = entry.tool.startsWith("ui_");
  const given = withoutTyped(entry);
  const result = fields(entry.result);
  const described = describe(entry.tool, given, result);
  const pairs = isCompatible
    ? [...described.map(asTitle(entry.tool)), ...failure(entry, result)]
    : [...described, ...outcome(entry, result)];
  const iso = new Date(entry.at).toISOString();
  const time = isCompatible ? iso.slice(0, 19).replace("T", " ") : iso;
  const write = ([key, value]: Pair): string =>
    isCompatible && (key === "title" || key === "window") ? quote(String(value)) : show(value);
  const shown = pairs.filter(([, value]) => value !== undefined).map((pair) => `${bare(pair[0])}=${write(pair)}`);
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

/** A capture is of a window by its title; everything else happens in a window. */
const asTitle =
  (tool: string) =>
  ([key, value]: Pair): Pair => [tool === "ui_capture" && key === "window" ? "title" : key, value];

function outcome(entry: JournalEntry, result: Fields): Pair[] {
  const timing: Pair[] = [
    ["step", entry.step],
    ["ms", entry.ms],
  ];
  return entry.ok ? [...timing, ["ok", true]] : [...timing, ...failure(entry, result)];
}

const failure = ({ ok }: JournalEntry, result: Fields): Pair[] =>
  ok
    ? []
    : [
        ["ok", false],
        ["error", result["code"]],
      ];

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
