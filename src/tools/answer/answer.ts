import { actedFields, actedLines, changeLines } from "./acted.ts";
import { shorten } from "../../surface/snapshot-text.ts";
import { elementLine, hoverLine, listLines, windowLine } from "./rows.ts";
import { toolLines } from "./tool-lines.ts";
import { block, isData, isEmpty, line, place, plain, quoted, rows, show, texts, word, type Data } from "./words.ts";

/**
 * Only in the structured content: what the caller knows, what only programs use, and what another line tells.
 */
const quiet: ReadonlySet<string> = new Set([
  "untrusted_text",
  "suspicious_text",
  "method",
  "dispatched_via",
  "settle_ms",
  "surface",
  "step_id",
  "characters",
  "keys",
  "key",
  "notches",
  "end",
  "bbox",
  "device",
  "coordinate_space",
  "timestamp",
  "format",
  "bytes",
  "generation",
  "engine",
  "complete",
  "met",
  "browser",
  "port",
  "product",
  "sha256",
  "image_base64",
  "count",
  "length",
  "tree_available",
]);

/** The answer as lines that a model reads: the outcome first, then what is new. */
export function answerText(data: Data): string {
  const heads = [
    ...pickHead(data),
    ...actedHead(data),
    ...expectedHead(data),
    ...stepsHead(data),
    ...pictureHead(data),
    ...devicePictureHead(data),
    ...snapshotHead(data),
    ...commandsHead(data),
    ...hoverHead(data),
    ...waitHead(data),
    ...pointHead(data),
  ];
  const told = new Set(heads.flatMap(({ fields }) => fields));
  const rest = Object.entries(data).flatMap(([key, value]) =>
    quiet.has(key) || told.has(key) || isEmpty(value) ? emptyList(key, value) : fieldLines(key, value, data),
  );
  const lines = [...heads.flatMap((head) => head.lines), ...rest];
  return lines.length === 0 ? "done" : lines.join("\n");
}

interface Head {
  readonly lines: readonly string[];
  readonly fields: readonly string[];
}

const emptyList = (key: string, value: unknown): readonly string[] =>
  Array.isArray(value) && value.length === 0 && !quiet.has(key) ? listLines(key, value) : [];

function actedHead(data: Data): readonly Head[] {
  if (typeof data["effect"] !== "string") return [];
  // What the tool says in its own words repeats the outcome.
  return [{ lines: actedLines(data), fields: [...actedFields, "message"] }];
}

/** Whether what the caller expected came, and what is there instead if it did not. */
function expectedHead({ expected }: Data): readonly Head[] {
  if (!isData(expected)) return [];
  const { met, what, after_ms: after, seen, candidates, element, match } = expected;
  const time = typeof after === "number" && after > 0 ? ` after ${after} ms` : "";
  const lines = [
    `${met === true ? "met" : "not met"}${time}: ${line(plain(what))}`,
    ...(typeof seen === "string" ? [line(seen)] : []),
    ...texts(candidates).map((each) => `- ${quoted(each)}`),
    ...(isData(element) ? [elementLine(element)] : isData(match) ? listLines("matches", [match]) : []),
  ];
  return [{ lines, fields: ["expected"] }];
}

/** What came of the steps: what they changed, or where and why they ended. Of those that went well nothing more. */
function stepsHead(data: Data): readonly Head[] {
  const { steps, ran, total, stopped } = data;
  if (typeof ran !== "number" || !Array.isArray(steps)) return [];
  const lines = isData(stopped)
    ? [
        `stopped at step ${plain(stopped["step"])} of ${plain(total)}: ${line(`${plain(stopped["code"])}: ${plain(stopped["reason"])}`)}`,
        ...(typeof stopped["hint"] === "string" ? [line(stopped["hint"])] : []),
        ...texts(stopped["candidates"]).map((each) => `- ${quoted(each)}`),
        ...rows(steps).filter(isWorthALine).map(stepLine),
      ]
    : [
        `done: ${ran} ${ran === 1 ? "step" : "steps"}`,
        ...rows(steps).filter(isWorthALine).map(stepLine),
        ...changeLines(data),
      ];
  return [{ lines, fields: ["ok", "steps", "ran", "total", "stopped", "changes", "node_after"] }];
}

/** It failed, it is not certain, or the screen said something in between. */
const isWorthALine = ({ ok, note, saw }: Data, index: number, all: readonly Data[]): boolean =>
  ok !== true || note !== undefined || (index < all.length - 1 && /^[+~] (?:alert|dialog)\b|^opened /.test(plain(saw)));

function stepLine({ step, what, ok, effect, via, saw, note }: Data): string {
  const mark = ok === true ? "✓" : "✗";
  const told = [effect, via, saw === undefined ? undefined : shorten(plain(saw), 120), note]
    .map(plain)
    .filter((each) => each !== "");
  return line(`${plain(step)} ${mark} ${plain(what)}${told.length === 0 ? "" : ` ${told.join(", ")}`}`);
}

/** What a person has pointed at. */
function pickHead({ ended, at }: Data): readonly Head[] {
  return ended === "picked" && isData(at)
    ? [{ lines: [`picked at ${plain(at["x"])},${plain(at["y"])}`], fields: ["ended", "at"] }]
    : [];
}

function pictureHead(data: Data): readonly Head[] {
  const { screenshot_id: id, screenshot_window_id: window, window_title: title, bounds } = data;
  const { screenshot_pixel_width: width, screenshot_pixel_height: height, screenshot_scale: scale } = data;
  if (typeof id !== "string" || typeof width !== "number") return [];
  const of = window === undefined ? "" : ` of window ${plain(window)} ${quoted(plain(title ?? ""))}`;
  const { since, unchanged } = data;
  const what = typeof since === "string" ? `, what changed since ${line(since)}` : "";
  const factor = scale === 1 ? "" : `, ${width}x${plain(height)} pixels, scale ${shortNumber(scale)}`;
  return [
    {
      lines: [
        unchanged === true
          ? `nothing has changed since ${line(plain(since))}`
          : `picture ${line(id)}${of}${what}, ${place(bounds)}${factor}`,
      ],
      fields: [
        "since",
        "unchanged",
        "screenshot_id",
        "screenshot_window_id",
        "window_title",
        "bounds",
        "screenshot_origin_x",
        "screenshot_origin_y",
        "screenshot_pixel_width",
        "screenshot_pixel_height",
        "screenshot_scale",
        "window_id",
        "image_width",
        "image_height",
        "scale",
      ],
    },
  ];
}

/** Four digits say it; the picture's id carries the exact factor. */
const shortNumber = (value: unknown): string => (typeof value === "number" ? `${Number(value.toPrecision(4))}` : "");

/** A device's picture; its pixels are those of the display unless it is shrunk. */
function devicePictureHead({ device, screenshot_id: id, width, height, scale }: Data): readonly Head[] {
  if (typeof device !== "string" || typeof id !== "string") return [];
  const factor = scale === 1 ? "" : `, scale ${show(scale)}`;
  return [
    {
      lines: [`picture ${line(id)}, ${plain(width)}x${plain(height)}${factor}`],
      fields: ["screenshot_id", "width", "height", "scale"],
    },
  ];
}

function snapshotHead(data: Data): readonly Head[] {
  const { snapshot, elements, app_name: app, window_id: window, pid, url, title, snapshot_id: id, since } = data;
  const { package: shown } = data;
  const listing = typeof snapshot === "string" ? snapshot.split("\n").map(line) : undefined;
  if (!listing && !Array.isArray(elements)) return [];
  const of = [
    ...(typeof app === "string"
      ? [`${quoted(app)}, window ${plain(window)}, pid ${plain(pid)}, snapshot ${which(id, since)}`]
      : []),
    ...(typeof shown === "string" && id !== undefined ? [`${quoted(shown)}, snapshot ${which(id, since)}`] : []),
    ...(typeof url === "string"
      ? [`${quoted(plain(title ?? ""))} ${quoted(url, 500)}${id === undefined ? "" : `, snapshot ${which(id, since)}`}`]
      : []),
    ...(id !== undefined && [app, shown, url].every((each) => each === undefined)
      ? [`snapshot ${which(id, since)}`]
      : []),
  ];
  const known = ["app_name", "window_id", "pid", "url", "title", "nodes", "snapshot", "snapshot_id", "since"];
  const fields = id === undefined ? known : [...known, "package"];
  // The listing itself says what was left out.
  return [{ lines: [...of, ...(listing ?? [])], fields: listing ? [...fields, "cut"] : fields }];
}

const which = (id: unknown, since: unknown): string =>
  `${plain(id)}${typeof since === "string" ? ` since ${since}` : ""}`;

function commandsHead({ commands, app_name: app, window_id: window }: Data): readonly Head[] {
  if (!Array.isArray(commands)) return [];
  return [{ lines: [`${quoted(plain(app))}, window ${plain(window)}`], fields: ["app_name", "window_id"] }];
}

/** What the pointer rests on now; what it has rested on is a list of its own. */
function hoverHead({ current, active }: Data): readonly Head[] {
  if (!isData(current) || !("cursor" in current)) return [];
  return [{ lines: [`${active === true ? "active, " : ""}now ${hoverLine(current)}`], fields: ["current", "active"] }];
}

function waitHead({ met, waited_ms: waited }: Data): readonly Head[] {
  return met === true ? [{ lines: [`met after ${plain(waited)} ms`], fields: ["waited_ms"] }] : [];
}

function pointHead({ x, y, element }: Data): readonly Head[] {
  if (element === null) return [{ lines: ["no element"], fields: [] }];
  const isPoint = typeof x === "number" && typeof y === "number";
  return isPoint ? [{ lines: [`${x},${y}`], fields: ["x", "y"] }] : [];
}

/** Fields whose text is the answer itself, several lines of somebody else. */
const wholeTexts: ReadonlySet<string> = new Set(["text", "result"]);
/** Fields in our own words; names in them are quoted. */
const ownWords: ReadonlySet<string> = new Set(["message", "warning", "note", "hint", "reason"]);

function fieldLines(key: string, value: unknown, data: Data): readonly string[] {
  if (key === "text" && (isTold(data["lines"]) || isTold(data["pages"]) || "message" in data)) return [];
  if (key === "legend" && typeof value === "string") return value.split("\n").map(line);
  if (key === "now" && isData(value)) return answerText(withoutPlace(value, data)).split("\n");
  if (key === "window" && isData(value)) return [windowLine(value)];
  if (key === "element" && isData(value)) return [elementLine(value)];
  if (key === "match" && isData(value)) return listLines("matches", [value]);
  if (key === "ancestors") return [`in ${rows(value).map(elementLine).join(" < ")}`];
  if (key === "filtered") return filteredLines(value);
  if (key === "tools") return rows(value).flatMap(toolLines);
  if (key === "inventory" && isData(value)) return [`roles: ${show(value)}`];
  if (key === "trouble" && isData(value)) return troubleLines(value);
  if (key === "warnings") return texts(value).map((each) => `warning: ${line(each)}`);
  if (key === "total") return totalLines(value, data);
  if (key === "truncated") return value === true ? [`… ${show(data["length"])} characters in all`] : [];
  if (key === "cut") return value === 0 ? [] : [`… ${show(value)} more`];
  if (typeof value === "boolean") return value ? [word(key)] : [];
  if (wholeTexts.has(key)) return block(typeof value === "string" ? value : JSON.stringify(value));
  if (typeof value === "string" && ownWords.has(key))
    return [key === "warning" ? `warning: ${line(value)}` : line(value)];
  if (Array.isArray(value)) return listLines(key, value);
  return [`${word(key)}: ${show(value)}`];
}

/** The page that was opened has just been named. */
function withoutPlace(now: Data, { pages }: Data): Data {
  if (
    !rows(pages).some(({ url, title, selected }) => selected === true && url === now["url"] && title === now["title"])
  )
    return now;
  const { url: _url, title: _title, ...rest } = now;
  return rest;
}

const isTold = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

function filteredLines(value: unknown): readonly string[] {
  const counts = isData(value) ? Object.entries(value).filter(([, count]) => count !== 0) : [];
  return counts.length === 0
    ? []
    : [`left out: ${counts.map(([key, count]) => `${show(count)} ${word(key)}`).join(", ")}`];
}

function troubleLines({ console_errors: errors, failed_requests: failed, last }: Data): readonly string[] {
  const counts = `console errors ${show(errors)}, failed requests ${show(failed)}`;
  return [counts, ...texts(last).flatMap(block)];
}

/** Only when not all of them are listed. */
function totalLines(total: unknown, { matches, elements, apps, tools }: Data): readonly string[] {
  const shown = [matches, elements, apps, tools].find(Array.isArray)?.length ?? 0;
  return typeof total === "number" && total > shown ? [`… ${total - shown} more`] : [];
}
