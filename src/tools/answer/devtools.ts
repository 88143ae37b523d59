import type { ErrorEnvelope } from "../../base/errors.ts";
import { axName } from "./ax-names.ts";
import { ocrSummary } from "./ocr-summary.ts";
import { isData, plain, rows, type Data } from "./words.ts";

/** The tools of that surface, in its order. */
export const devtoolsNames: readonly string[] = [
  "take_ax_snapshot",
  "take_screenshot",
  "find_text",
  "element_at_point",
  "click",
  "type_text",
  "ax_click",
  "ax_set_value",
  "ax_select",
  "scroll",
  "drag",
  "list_windows",
  "focus_window",
  "launch_app",
  "quit_app",
  "start_recording",
  "stop_recording",
  "start_hover_tracking",
  "get_hover_events",
  "stop_hover_tracking",
  "load_image",
  "find_image",
  "cdp_connect",
  "cdp_disconnect",
  "cdp_take_dom_snapshot",
  "cdp_find_elements",
  "cdp_click",
  "cdp_hover",
  "cdp_fill",
  "cdp_press_key",
  "cdp_type_text",
  "cdp_handle_dialog",
  "cdp_navigate",
  "cdp_new_page",
  "cdp_close_page",
  "cdp_wait_for",
  "cdp_evaluate_script",
  "cdp_list_pages",
  "cdp_select_page",
  "cdp_element_at_point",
  "android_list_devices",
  "android_connect",
  "android_disconnect",
  "android_screenshot",
  "android_find_text",
  "android_click",
  "android_swipe",
  "android_type_text",
  "android_press_key",
  "android_launch_app",
  "android_list_apps",
  "android_get_display_info",
  "android_get_current_activity",
];

type Writer = (data: Data) => readonly string[];

/** Each text block of an answer, as the documents of that surface spell it. */
export function devtoolsTexts(tool: string, { expected, now, ...data }: Data): readonly string[] {
  const own = (writers[tool] ?? (typeof data["message"] === "string" ? said : asItIs))(data);
  // That surface knows neither, so whoever asks for them gets them in a block of their own.
  const more = { ...(expected === undefined ? {} : { expected }), ...(now === undefined ? {} : { now }) };
  return Object.keys(more).length === 0 ? own : [...own, JSON.stringify(more)];
}

/** The error body of that surface: `fallback` is always there. */
export function devtoolsError(envelope: ErrorEnvelope): string {
  const { error, ...marks } = envelope;
  return JSON.stringify({ error: { fallback: null, ...error }, ...marks });
}

const asItIs: Writer = (data) => [JSON.stringify(data)];

/** What tells a reader that the text is not ours stays in every answer that is an object. */
const marksOf = ({ untrusted_text: isUntrusted, suspicious_text: orders }: Data): Data => ({
  ...(isUntrusted === undefined ? {} : { untrusted_text: isUntrusted }),
  ...(orders === undefined ? {} : { suspicious_text: orders }),
});

const pick = (data: Data, ...keys: readonly string[]): Data =>
  Object.fromEntries(keys.flatMap((key) => (data[key] === undefined ? [] : [[key, data[key]]])));

function screenshot({ texts, texts_note: note, ...metadata }: Data): readonly string[] {
  const heading = (text: string): string => (text.startsWith("OCR Text") ? `## ${text}` : text);
  return [JSON.stringify(metadata), ...ocrSummary({ texts, texts_note: note }).map(heading)];
}

const array =
  (key: string, ...fields: readonly string[]): Writer =>
  (data) => [JSON.stringify(rows(data[key]).map((item) => (fields.length === 0 ? item : pick(item, ...fields))))];

function element({ element: found, ...rest }: Data): readonly string[] {
  if (!isData(found)) return [JSON.stringify(marksOf(rest))];
  const { description: label } = found;
  const facts = { ...pick(found, "name"), ...(label === undefined ? {} : { label }) };
  const role = axName(plain(found["role"]));
  return [JSON.stringify({ role, ...facts, ...pick(found, "value", "bounds", "pid", "app_name"), ...marksOf(rest) })];
}

function hoverEvents({ events }: Data): readonly string[] {
  const named = rows(events).map(({ element: on, ...event }) => {
    const { uid: _, ...facts } = isData(on) ? on : {};
    return { ...event, element: { ...facts, role: axName(plain(facts["role"])) } };
  });
  return [JSON.stringify(named)];
}

/** `AXButton "Save" a12g3 …` for every line of a snapshot. */
function snapshot({ snapshot: listing }: Data): readonly string[] {
  const lines = typeof listing === "string" ? listing.split("\n") : [];
  return [
    lines
      .map((line) =>
        line.replace(/^( *)([a-z]+)(?= )/, (_, indent: string, role: string) => `${indent}${axName(role)}`),
      )
      .join("\n"),
  ];
}

/** The name that macOS has for the call, and the effect that was seen, which that surface does not know. */
const native =
  (call: string): Writer =>
  (data) => {
    const via = data["method"] === "ax" ? call : data["dispatched_via"];
    return [
      JSON.stringify({
        ok: data["ok"],
        dispatched_via: via,
        ...pick(data, "bbox", "effect", "warning"),
        ...marksOf(data),
      }),
    ];
  };

function connected({ pages }: Data): readonly string[] {
  const selected = rows(pages).find((page) => page["selected"] === true);
  return [`Connected. Selected page: ${selected === undefined ? "none" : plain(selected["url"])}`];
}

const uidLine = (line: string): string => line.replace(/^( *)(d\d+) /, "$1uid=$2 ");

function dom({ snapshot: listing }: Data): readonly string[] {
  return [plain(listing).split("\n").map(uidLine).join("\n")];
}

function found({ matches, ...rest }: Data): readonly string[] {
  const labelled = rows(matches).map(({ name, ...match }) => ({ ...match, label: name }));
  return [JSON.stringify({ matches: labelled, ...rest })];
}

/** One sentence, then what was seen. */
function said({ message, effect, warning, result }: Data): readonly string[] {
  return [
    [
      plain(message),
      ...(result === undefined ? [] : [JSON.stringify(result)]),
      ...(effect === undefined ? [] : [`effect: ${plain(effect)}`]),
      ...(warning === undefined ? [] : [plain(warning)]),
    ].join("\n"),
  ];
}

function waited({ message, snapshot: listing }: Data): readonly string[] {
  return [[plain(message), ...(typeof listing === "string" ? listing.split("\n").map(uidLine) : [])].join("\n")];
}

const writers: Readonly<Record<string, Writer>> = {
  take_screenshot: screenshot,
  android_screenshot: (data) => {
    const [, ...read] = screenshot(data);
    return [
      JSON.stringify({
        ...pick(data, "device", "width", "height", "scale", "screenshot_id", "warning"),
        ...marksOf(data),
      }),
      ...read,
    ];
  },
  take_ax_snapshot: snapshot,
  find_text: array("matches", "text", "x", "y", "confidence", "bounds"),
  element_at_point: element,
  ax_click: native("AXPress"),
  ax_set_value: native("AXSetAttributeValue"),
  ax_select: native("AXSelectedRows"),
  list_windows: array("windows", "id", "title", "bounds", "app_name"),
  stop_recording: array("frames"),
  get_hover_events: hoverEvents,
  stop_hover_tracking: hoverEvents,
  cdp_connect: connected,
  cdp_take_dom_snapshot: dom,
  cdp_find_elements: found,
  cdp_list_pages: ({ text }) => [plain(text)],
  cdp_wait_for: waited,
  android_list_devices: array("devices", "serial", "state"),
  android_find_text: array("matches", "text", "x", "y", "bounds"),
};
