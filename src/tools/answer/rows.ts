import { pathSeparator } from "../../base/command-path.ts";
import { isData, line, place, plain, quoted, row, rows, show, texts, word, type Data } from "./words.ts";

const quietStates: ReadonlySet<string> = new Set([
  "enabled",
  "showing",
  "focusable",
  "selectable",
  "checkable",
  "expandable",
]);

/** `button "Save" a12g3 disabled 10,20 80x24`, the words of a snapshot. */
export function elementLine(element: Data): string {
  const { uid, role, name, value, states, bounds, automation_id: id, description, background, color } = element;
  const words = [
    line(plain(role ?? "element")),
    ...(typeof name === "string" && name !== "" ? [quoted(name)] : id ? [`#${quoted(plain(id))}`] : []),
    ...(typeof uid === "string" ? [line(uid)] : []),
    ...(value === undefined || value === name || value === null ? [] : [`=${show(value)}`]),
    ...(typeof description === "string" ? [`(${quoted(description)})`] : []),
    ...texts(states)
      .filter((state) => !quietStates.has(state))
      .map(line),
    place(bounds),
    ...(typeof background === "string"
      ? [`${line(color === undefined ? "plain" : plain(color))} on ${line(background)}`]
      : []),
  ];
  return words.filter((each) => each !== "").join(" ");
}

/** `window 8388611 "Letter - Mousepad", active, pid 31, 639,288 642x503` */
export function windowLine(window: Data): string {
  const { window_id, title, app_name, bounds, pid } = window;
  const name = plain(title ?? "");
  const words = [
    `window ${plain(window_id)} ${quoted(name)}`,
    ...(typeof app_name === "string" && !name.includes(app_name) ? [`app ${quoted(app_name)}`] : []),
    ...(window["is_foreground"] === true ? ["active"] : []),
    ...(window["kind"] === "normal" || window["kind"] === undefined ? [] : [line(plain(window["kind"]))]),
    ...(window["is_visible"] === false && window["is_minimized"] !== true ? ["hidden"] : []),
    ...(["minimized", "maximized", "fullscreen"] as const).filter((state) => window[`is_${state}`] === true),
    ...(pid === undefined ? [] : [`pid ${plain(pid)}`]),
    place(bounds),
  ];
  return words.filter((each) => each !== "").join(", ");
}

/** A text and where to click it; with the element that has it, or how sure its reading is. */
export function textLine(match: Data): string {
  const { text, x, y, uid, role, confidence, source } = match;
  const isSure = typeof confidence !== "number" || confidence >= sure;
  const words = [
    quoted(plain(text ?? "")),
    `${plain(x)},${plain(y)}`,
    ...(typeof role === "string" ? [line(role)] : []),
    ...(typeof uid === "string" ? [line(uid)] : []),
    ...(source === "ocr" ? ["read"] : []),
    ...(isSure ? [] : [`uncertain ${show(confidence)}`]),
  ];
  return words.join(" ");
}

const sure = 0.6;

function appOf({ name, pid, window_ids: windows }: Data): string {
  const opened = Array.isArray(windows) && windows.length > 0 ? `, windows ${windows.map(String).join(" ")}` : "";
  return `${quoted(plain(name))} pid ${plain(pid)}${opened}`;
}

const longestUrl = 500;

function pageOf({ page_idx: index, surface, title, url, selected }: Data): string {
  const mark = selected === true ? "*" : "";
  return `${mark}${plain(index)} ${quoted(plain(title ?? ""))} ${quoted(plain(url), longestUrl)} ${line(plain(surface))}`;
}

function displayOf({ id, name, bounds, is_primary: isPrimary, scale }: Data): string {
  const words = [
    `display ${plain(id)}${typeof name === "string" ? ` ${quoted(name)}` : ""}`,
    place(bounds),
    ...(isPrimary === true ? ["primary"] : []),
    ...(scale === 1 || scale === undefined ? [] : [`scale ${show(scale)}`]),
  ];
  return words.join(", ");
}

const pictureMatch = ({ screen_x: x, screen_y: y, center, score }: Data): string =>
  `${x === undefined ? `pixel ${show(center)}` : `${show(x)},${show(y)}`} score ${show(score)}`;

function findingOf({ ability, status, detail, fix }: Data): string {
  const advice = typeof fix === "string" ? ` ${fix}` : "";
  return line(`${plain(status)} ${plain(ability)}: ${plain(detail)}${advice}`);
}

/** `"File > Export as PDF…" ctrl+shift+e disabled`: what is in quotes names it to run_command. */
function commandOf({ path, shortcut, enabled, checked, source, id }: Data): string {
  const words = [
    quoted(texts(path).join(pathSeparator)),
    ...(typeof shortcut === "string" ? [line(shortcut)] : []),
    ...(enabled === false ? ["disabled"] : []),
    ...(checked === undefined ? [] : [checked === true ? "checked" : "unchecked"]),
    ...(source === "action" ? [quoted(plain(id))] : []),
  ];
  return words.join(" ");
}

/** `button "Save" a12g3 at 300,300 for 1442 ms`: where the pointer rested, and how long. */
export function hoverLine({ element, cursor, dwell_ms: dwell }: Data): string {
  const at = isData(cursor) ? ` at ${plain(cursor["x"])},${plain(cursor["y"])}` : "";
  const of = isData(element) ? elementLine({ ...element, bounds: undefined }) : "nothing";
  return `${of}${at}${typeof dwell === "number" ? ` for ${dwell} ms` : ""}`;
}

/** Lists that have a line of their own for each item. */
const writers: Readonly<Record<string, (item: Data) => string>> = {
  windows: windowLine,
  commands: commandOf,
  events: (event) => ("cursor" in event ? hoverLine(event) : row(event)),
  elements: (element) => `${"  ".repeat(Number(element["depth"] ?? 0))}${elementLine(element)}${more(element)}`,
  running: appOf,
  installed: ({ name, executable }) => `${quoted(plain(name))} ${quoted(plain(executable))}`,
  displays: displayOf,
  pages: pageOf,
  lines: textLine,
  texts: textLine,
  findings: findingOf,
  unavailable_tools: ({ tool, reason }) => line(`no ${plain(tool)}: ${plain(reason)}`),
  regions: ({ region, ...rest }) => `${plain(region)} ${elementLine(rest)}`,
};

const more = ({ more: count }: Data): string => (typeof count === "number" ? ` … ${count} more below` : "");

function writerOf(key: string, item: Data): (item: Data) => string {
  if (key === "matches") return "score" in item ? pictureMatch : "x" in item ? textLine : elementLine;
  return writers[key] ?? row;
}

/** Lists that are the answer: that they are empty is one, too. */
const answers: ReadonlySet<string> = new Set([
  "windows",
  "commands",
  "elements",
  "matches",
  "lines",
  "running",
  "apps",
  "pages",
  "devices",
  "boxes",
  "tools",
]);

/** One line for each item of a list. */
export function listLines(key: string, list: readonly unknown[]): readonly string[] {
  if (list.length === 0) return answers.has(key) ? [`no ${word(key)}`] : [];
  const items = rows(list);
  if (items.length < list.length) return [`${word(key)}: ${show(list)}`];
  return items.map((item) => writerOf(key, item)(item));
}
