import { quote } from "../../base/quote.ts";
import type { UiNode } from "../../base/node.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import type { AnyTool } from "../tool.ts";

type Input = Readonly<Record<string, unknown>>;

/** What a call would touch, if that is known before it runs. */
export interface Touched {
  readonly windows?: readonly WindowInfo[] | undefined;
  readonly node?: UiNode | undefined;
  readonly page?: { readonly id: string; readonly title: string; readonly url: string } | undefined;
  readonly device?: string | undefined;
}

// What is typed, run, pressed or opened, in the order that reads best.
const contents = ["goal", "function", "command", "text", "value", "url", "app_name", "app", "package"] as const;
const targets = ["selector", "stable_id"] as const;
const show = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** Tools that a person would describe differently from their title and content. */
const phrases: Readonly<Record<string, (input: Input) => string>> = {
  set_window: ({ action, width, height, x, y }) =>
    [
      show(action),
      "a window",
      width === undefined ? "" : `to ${show(width)}×${show(height)}`,
      x === undefined ? "" : `to ${show(x)}, ${show(y)}`,
    ]
      .filter((word) => word !== "")
      .join(" "),
  focus_window: () => "bring a window to the front",
  quit_app: ({ app_name, pid, force }) =>
    `${force === true ? "kill" : "quit"} ${app_name === undefined ? `the app with pid ${show(pid)}` : `the app ${quote(show(app_name))}`}`,
  cdp_connect: ({ host, port, surface }) =>
    `connect to the browser ${surface === undefined ? `on ${quote(`${show(host)}:${show(port)}`)}` : `of ${quote(show(surface))}`} and see and use its pages`,
  cdp_launch: ({ url, executable, args, profile }) =>
    [
      executable === undefined ? "start a browser" : `start ${quoteLong(show(executable))} as a browser`,
      url === undefined ? "" : `at ${quote(show(url))}`,
      profile === undefined ? "" : `with the profile ${quote(show(profile))}`,
      Array.isArray(args) && args.length > 0 ? `with ${quoteLong(args.map(show).join(" "))}` : "",
    ]
      .filter((word) => word !== "")
      .join(" "),
  cdp_navigate: ({ url, type }) => (url === undefined ? `go ${show(type)}` : `go to ${quote(show(url), 200)}`),
  cdp_new_page: ({ url }) => `open ${quote(show(url), 200)} in a new page`,
  cdp_evaluate_script: ({ function: code }) => `run the script ${quoteLong(show(code))}`,
  ax_toggle: () => "toggle an element",
  ax_scroll: () => "scroll",
};

/**
 * "click on the button "Save" in the window "Notes" (mousepad)": what is done to what, in words a person can check.
 */
export function describeCall(tool: AnyTool, input: Input, touched: Touched): string {
  const place = placeOf(touched);
  const phrase = phrases[tool.name];
  const launch = tool.launches?.(input as never);
  if (phrase) return [phrase(input), ...place].join(" ").replace(/ a window\b(.*?) in the window /, "$1 the window ");
  if (launch?.program !== undefined) return `start ${quoteLong([launch.program, ...launch.args].join(" "))}`;
  const content = contentOf(tool, input, touched.node);
  const verb = place.length > 0 ? verbOf(tool).replace(/ (in|on|of) the (page|device)$/, "") : verbOf(tool);
  const words = [content.length > 0 ? definite(verb) : verb, ...content];
  return [...words, ...targetOf(input, touched), ...place].join(" ");
}

const longest = 400;

/** For code and commands: says how much is left out, because harm can hide behind a harmless beginning. */
function quoteLong(text: string): string {
  const letters = [...text];
  if (letters.length <= longest) return quote(text, longest * 10);
  const half = longest / 2;
  const [head, tail] = [letters.slice(0, half).join(""), letters.slice(-half).join("")];
  return `${quote(head, longest * 10)} … ${letters.length - longest} more characters … ${quote(tail, longest * 10)}`;
}

const verbOf = ({ title }: AnyTool): string => {
  const plain = title.replace(/ \((ui|debug)\)$/, "");
  return plain.charAt(0).toLowerCase() + plain.slice(1);
};

/** "quit an app" becomes "quit the app" when its name follows. */
const definite = (verb: string): string => verb.replace(/ an? (\w+)$/, " the $1");

/** A text that names the target is mentioned with the target instead. */
function contentOf(tool: AnyTool, input: Input, node: UiNode | undefined): readonly string[] {
  const keys = [input["modifiers"] ?? [], input["key"] ?? input["keys"] ?? []].flat().map(show);
  if (tool.keys !== undefined && keys.length > 0) return [quote(keys.join("+"))];
  for (const field of contents) {
    const value = input[field];
    const isTarget = field === "text" && tool.needs.includes("pointer") && !tool.needs.includes("keyboard");
    if (typeof value === "string" && !(isTarget && node)) return [quoteLong(value)];
  }
  return [];
}

function targetOf(input: Input, { node }: Touched): readonly string[] {
  if (node) return [`on the ${node.role}${node.name === "" ? "" : ` ${quote(node.name)}`}`];
  for (const field of targets) {
    const value = input[field];
    if (typeof value === "string") return [`on ${quote(value)}`];
  }
  return [];
}

function placeOf({ windows = [], page, device }: Touched): readonly string[] {
  if (page) return [`in the page ${quote(page.title || page.url)}`];
  if (device !== undefined) return [`on the device ${quote(device)}`];
  if (windows.length === 0) return [];
  const names = windows.map(({ title, appName }) => {
    const app = appName === "" ? "" : ` (${quote(appName, 40).slice(1, -1)})`;
    return `${quote(title)}${app}`;
  });
  return [`in the window${names.length > 1 ? "s" : ""} ${names.join(" and ")}`];
}
