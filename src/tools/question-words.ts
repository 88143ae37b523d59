import { quote } from "../base/quote.ts";
import type { UiNode } from "../base/node.ts";
import type { WindowInfo } from "../platform/backend.ts";
import type { AnyTool } from "./tool.ts";

type Input = Readonly<Record<string, unknown>>;

/** What a call would touch, as far as it is known before it runs. */
export interface Touched {
  readonly window?: WindowInfo | undefined;
  readonly node?: UiNode | undefined;
  readonly page?: { readonly id: string; readonly title: string; readonly url: string } | undefined;
  readonly device?: string | undefined;
}

// What is typed, pressed, opened or started, in the order it reads best.
const contents = ["text", "value", "key", "keys", "url", "app_name", "app", "package", "goal", "function"] as const;
const targets = ["selector", "stable_id"] as const;

/** "click on the button "Save" in the window "Notes" (mousepad)": what is done to what, in words a person can check. */
export function describeCall(tool: AnyTool, input: Input, touched: Touched): string {
  const launch = tool.launches?.(input as never);
  const content = contentOf(tool, input, touched.node);
  const place = placeOf(touched);
  const verb = place.length > 0 ? verbOf(tool).replace(/ (in|on|of) the (page|device)$/, "") : verbOf(tool);
  const words =
    launch?.program === undefined
      ? [content.length > 0 ? definite(verb) : verb, ...content]
      : [`start ${quote([launch.program, ...launch.args].join(" "), 160)}`];
  return [...words, ...targetOf(input, touched), ...place].join(" ");
}

const verbOf = ({ title }: AnyTool): string => {
  const plain = title.replace(/ \((ui|debug)\)$/, "");
  return plain.charAt(0).toLowerCase() + plain.slice(1);
};

/** "quit an app" becomes "quit the app" where its name follows. */
const definite = (verb: string): string => verb.replace(/ an? (\w+)$/, " the $1");

/** A text that names the target is told there. */
function contentOf(tool: AnyTool, input: Input, node: UiNode | undefined): readonly string[] {
  for (const field of contents) {
    const value = input[field];
    const isTarget = field === "text" && tool.needs.includes("pointer") && !tool.needs.includes("keyboard");
    if (typeof value === "string" && !(isTarget && node)) return [quote(value)];
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

function placeOf({ window, page, device }: Touched): readonly string[] {
  if (page) return [`in the page ${quote(page.title || page.url)}`];
  if (device !== undefined) return [`on the device ${quote(device)}`];
  if (!window) return [];
  const app = window.appName === "" ? "" : ` (${quote(window.appName, 40).slice(1, -1)})`;
  return [`in the window ${quote(window.title)}${app}`];
}
