import type { UiNode } from "../../base/node.ts";
import type { CallEntry } from "../../journal/journal.ts";
import { redacted } from "../../journal/redact.ts";
import { targetWords } from "../record/target-words.ts";
import type { Expectation, StepTarget } from "../../tools/steps.ts";
import type { FlowStep } from "../file/flow-schema.ts";

/** Stands for a text that was not recorded. */
export const unknownText = "${secret:TEXT}";

/** A call that is no step of the flow, and why. */
export interface Dropped {
  readonly step: string;
  readonly tool: string;
  readonly why: string;
}

export interface Saved {
  readonly steps: readonly SavedStep[];
  readonly dropped: readonly Dropped[];
}

/** A step with the call it comes from. */
export interface SavedStep {
  readonly surface: string;
  readonly step: FlowStep;
  readonly from: string;
}

/** The elements as a call saw them; undefined when the run has kept none. */
export type TreeOf = (entry: CallEntry) => readonly UiNode[] | undefined;

interface NodeSeen {
  readonly role: string;
  readonly name: string;
  readonly value?: string | number;
  readonly states: readonly string[];
  readonly bounds?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

interface Result {
  readonly effect?: string;
  readonly ok?: boolean;
  readonly node_before?: NodeSeen;
  readonly changes?: { readonly windows?: readonly string[]; readonly tree?: readonly string[] };
  readonly error?: { readonly code?: string };
  readonly code?: string;
}

interface Made {
  readonly entry: CallEntry;
  readonly surface: string;
  readonly verb: string;
  readonly value: unknown;
  readonly node: NodeSeen | undefined;
}

/** What an agent, a client or a person at a terminal did, as steps: what failed or led nowhere is left out, and listed. */
export function stepsOf(entries: readonly CallEntry[], treeOf: TreeOf): Saved {
  const dropped: Dropped[] = [];
  const made: Made[] = [];
  let nodes: readonly UiNode[] = [];
  for (const entry of entries) {
    nodes = treeOf(entry) ?? nodes;
    if (entry.access === "observe" || containers.has(entry.tool)) continue;
    const why = reasonAgainst(entry);
    const told = why === undefined ? tell(entry, nodes) : undefined;
    if (typeof told === "object")
      made.push({ entry, surface: surfaceOf(entry), node: resultOf(entry).node_before, ...told });
    else dropped.push({ step: entry.step, tool: entry.tool, why: why ?? told ?? "it cannot be said in a flow" });
  }
  const { kept, gone } = tidy(made);
  const steps = kept.map((each) => ({ surface: each.surface, from: each.entry.step, step: toStep(each) }));
  return { steps, dropped: [...dropped, ...gone].toSorted((a, b) => numberOf(a.step) - numberOf(b.step)) };
}

const numberOf = (step: string): number => Number(/\d+/.exec(step)?.[0] ?? 0);

/** What they do is recorded call by call. */
const containers: ReadonlySet<string> = new Set(["run_steps", "run_flow", "run_agent", "call_tool"]);

function resultOf({ result }: CallEntry): Result {
  if (typeof result !== "object" || result === null) return {};
  // Where an element may show a secret, the journal has a word instead of it.
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== redacted));
}

const surfaceOf = (entry: CallEntry): string => {
  const { surface, serial } = argumentsOf(entry);
  if (typeof surface === "string") return surface;
  if (typeof serial === "string") return `android:${serial}`;
  return entry.surface ?? "desktop";
};

type Arguments = Readonly<Record<string, unknown>>;
const argumentsOf = ({ arguments: given }: CallEntry): Arguments =>
  typeof given === "object" && given !== null ? (given as Arguments) : {};

function reasonAgainst(entry: CallEntry): string | undefined {
  const { effect, error, code } = resultOf(entry);
  if (!entry.ok) return `it failed: ${error?.code ?? code ?? "no reason is recorded"}`;
  if (detours.has(entry.tool)) return detours.get(entry.tool);
  if (effect === "no_change" && !quiet.has(entry.tool)) return "it changed nothing";
  return undefined;
}

/** That nothing is seen of them is no sign that they led nowhere. */
const quiet: ReadonlySet<string> = new Set(["press_key", "move_mouse", "hover", "cdp_hover", "cdp_press_key"]);

const detours: ReadonlyMap<string, string> = new Map([
  ["focus_window", "the player brings windows to the front itself"],
  ["set_window", "where a window is does not matter to a flow"],
  ["cdp_select_page", "each step says itself where it acts"],
  ["android_connect", "the player connects itself"],
  ["cdp_connect", "the player opens the page itself"],
  ["load_image", "a picture of this session cannot be kept in a flow"],
]);

/** The verb and what it takes; or why it cannot be told. */
type Told = { readonly verb: string; readonly value: unknown } | string;

/** The verb and what it takes; a text when it cannot be told. */
function tell(entry: CallEntry, nodes: readonly UiNode[]): Told {
  const args = argumentsOf(entry);
  const place = () => placeOf(entry, nodes);
  switch (entry.tool) {
    case "click":
    case "cdp_click":
    case "android_click":
    case "ax_click": {
      const target = place();
      if (target === undefined) return "nothing says in words what was clicked";
      const { button, clicks, modifiers, dblClick } = args;
      const more = {
        ...(button === undefined || button === "left" ? {} : { button }),
        ...(typeof clicks === "number" && clicks > 1 ? { count: clicks } : dblClick === true ? { count: 2 } : {}),
        ...(Array.isArray(modifiers) && modifiers.length > 0 ? { modifiers } : {}),
      };
      return { verb: "click", value: Object.keys(more).length === 0 ? target : { ...asObject(target), ...more } };
    }
    case "type_text":
    case "cdp_type_text":
    case "android_type_text": {
      const text = textOf(args["text"]);
      if (text === undefined) return "it names no text";
      const names = args["uid"] !== undefined || args["selector"] !== undefined || args["into"] !== undefined;
      const into = names ? place() : undefined;
      return { verb: "type", value: into === undefined ? text : { text, into } };
    }
    case "cdp_fill":
    case "ax_set_value":
      return fill(textOf(args["value"]), place());
    case "act":
      return tellAct(args, place);
    case "ax_select":
      return withTarget("select", place());
    case "press_key":
    case "cdp_press_key":
    case "android_press_key":
      return tellKey(args);
    case "drag":
      return dragOf(args, nodes);
    case "scroll": {
      const { direction = "down", amount } = args;
      const at = place();
      return {
        verb: "scroll",
        value: { direction, ...(amount === undefined ? {} : { amount }), ...(at === undefined ? {} : { at }) },
      };
    }
    case "move_mouse":
    case "cdp_hover":
      return withTarget("hover", place());
    case "launch_app": {
      const { app_name: app, args: words = [] } = args;
      return { verb: "launch", value: (words as readonly unknown[]).length === 0 ? app : { app, args: words } };
    }
    case "quit_app":
      return typeof args["app_name"] === "string" ? { verb: "close", value: args["app_name"] } : "it names no app";
    case "cdp_launch":
    case "cdp_new_page":
    case "cdp_navigate":
      return typeof args["url"] === "string" ? { verb: "open", value: args["url"] } : "it names no address";
    default:
      return "a flow has no verb for it";
  }
}

function tellAct(args: Arguments, place: () => StepTarget | undefined): Told {
  switch (args["action"]) {
    case "set_value":
      return typeof args["value"] === "boolean"
        ? withTarget(args["value"] ? "check" : "uncheck", place())
        : fill(textOf(args["value"]), place());
    case "press":
    case "click":
    case "toggle":
    case "expand":
    case "collapse":
      return withTarget("click", place());
    case "select":
      return withTarget("select", place());
    case "check":
    case "uncheck":
      return withTarget(args["action"], place());
    case "type": {
      const text = textOf(args["text"] ?? args["value"]);
      const into = place();
      if (text === undefined || into === undefined) return "nothing says in words what was typed into";
      return { verb: "type", value: { text, into } };
    }
    case "key":
      return tellKey(args);
    case "focus":
    case "scroll_into_view":
      return "the player does it itself";
    default:
      return "a flow has no verb for it";
  }
}

function tellKey({ key, modifiers = [], repeat = 1 }: Arguments): Told {
  const words = [...(modifiers as readonly string[]), ...(Array.isArray(key) ? (key as string[]) : [String(key)])].join(
    "+",
  );
  // Keys that write are not recorded where they may be secret.
  if (isHidden(words)) return "the key was not recorded, because it may be secret";
  return { verb: "press", value: Number(repeat) > 1 ? { key: words, times: Number(repeat) } : words };
}

const isHidden = (text: string): boolean => text.includes(redacted);

/** The text as a flow writes it. What may be secret was not recorded; whoever plays the flow gives it. */
function textOf(given: unknown): string | undefined {
  if (typeof given !== "string" && typeof given !== "number") return undefined;
  return isHidden(String(given)) ? unknownText : String(given).replaceAll("${", "$${");
}

function fill(text: string | undefined, into: StepTarget | undefined): Told {
  if (text === undefined) return "it names no text";
  return into === undefined ? "nothing says in words which field it was" : { verb: "fill", value: { into, text } };
}

const withTarget = (verb: string, target: StepTarget | undefined): Told =>
  target === undefined ? "nothing says in words what it was done to" : { verb, value: target };

const asObject = (target: StepTarget): Readonly<Record<string, unknown>> =>
  typeof target === "string" ? { text: target } : target;

/** The element that the call acted on: in the caller's own words, which meant one, else in words that mean it alone. */
function placeOf(entry: CallEntry, nodes: readonly UiNode[]): StepTarget | undefined {
  const { node_before: seen } = resultOf(entry);
  const { selector, text, into } = argumentsOf(entry);
  if (typeof selector === "string") return { selector };
  if (entry.tool !== "type_text" && typeof text === "string") return text;
  if (typeof into === "string") return { label: into };
  const known = seen && nodes.find((node) => isSame(node, seen));
  const words = known && targetWords(known, { nodes, windowId: known.windowId });
  if (words !== undefined || !seen) return words;
  const name = seen.name.trim();
  return name === "" || name.length > longestName ? { role: seen.role } : { role: seen.role, name };
}

/** Elements of a page keep their names, so that both ends of a drag are known. */
function dragOf({ uid, to_uid: to }: Arguments, nodes: readonly UiNode[]): Told {
  const [from, end] = [uid, to].map((id) => {
    const node = nodes.find(({ runtimeId }) => runtimeId === id);
    return node && targetWords(node, { nodes, windowId: node.windowId });
  });
  if (from === undefined || end === undefined) return "nothing says in words from where to where it went";
  return { verb: "drag", value: { from, to: end } };
}

const longestName = 80;

/** The same element, in a tree that was read before the call. */
const isSame = (node: UiNode, { role, name, bounds }: NodeSeen): boolean =>
  node.role === role &&
  node.name.trim() === name.trim() &&
  (bounds === undefined || node.bounds === undefined || (node.bounds.x === bounds.x && node.bounds.y === bounds.y));

/** Leaves out what a later step does as well, and what was undone at once. */
function tidy(made: readonly Made[]): { readonly kept: readonly Made[]; readonly gone: readonly Dropped[] } {
  const gone: Dropped[] = [];
  const drop = ({ entry: { step, tool } }: Made, why: string): false => {
    gone.push({ step, tool, why });
    return false;
  };
  const filled = fillsFrom(made, (each) => drop(each, "filling the field replaces what it holds"));
  const kept = filled.filter((each, index) => {
    const [next, before] = [filled[index + 1], filled[index - 1]];
    const isField = each.node?.states.includes("editable") === true;
    if (each.verb === "click" && isField && next?.verb === "fill" && sameNode(each, next)) {
      return drop(each, "filling the field gives it the focus");
    }
    const isOpening = each.verb === "click" && (each.node?.role === "menu" || each.node?.role === "combobox");
    if (isOpening && next?.verb === "press" && next.value === "escape")
      return drop(each, "it was closed again at once");
    const wasOpening = before?.verb === "click" && (before.node?.role === "menu" || before.node?.role === "combobox");
    if (each.verb === "press" && each.value === "escape" && wasOpening)
      return drop(each, "it closes what was opened for nothing");
    return true;
  });
  return { kept, gone };
}

/** Select everything, then type: that is filling the field. */
function fillsFrom(made: readonly Made[], onDrop: (each: Made) => void): readonly Made[] {
  return made.flatMap((each, index) => {
    const [before, next] = [made[index - 1], made[index + 1]];
    if (isSelectAll(each) && next?.verb === "type" && next.node?.states.includes("editable") === true) {
      onDrop(each);
      return [];
    }
    if (each.verb !== "type" || !before || !isSelectAll(before) || !each.node) return [each];
    const given = each.value as string | { readonly text: string };
    const text = typeof given === "string" ? given : given.text;
    const named = made.slice(0, index).findLast((one) => one.verb === "click" && sameNode(one, each));
    const { role, name } = each.node;
    const into = (named?.value as StepTarget | undefined) ?? (name === "" ? { role } : { role, name });
    return [{ ...each, verb: "fill", value: { into, text } }];
  });
}

const isSelectAll = ({ verb, value }: Made): boolean => verb === "press" && value === "ctrl+a";

const sameNode = (a: Made, b: Made): boolean =>
  a.node !== undefined &&
  b.node !== undefined &&
  a.node.role === b.node.role &&
  a.node.name === b.node.name &&
  a.node.bounds?.x === b.node.bounds?.x &&
  a.node.bounds?.y === b.node.bounds?.y;

function toStep({ verb, value, entry }: Made): FlowStep {
  const expect = acting.has(verb) ? expectedOf(resultOf(entry)) : undefined;
  return { [verb]: value, ...(expect === undefined ? {} : { expect }) };
}

const acting: ReadonlySet<string> = new Set(["click", "press", "select"]);
/** What no other run has: temporary folders, times, counts of processes. */
const isFleeting = (text: string): boolean => /[/\\]|\d{1,2}:\d\d|\d{4,}/.test(text);

/** What the call was seen to do, if it will be the same the next time. */
function expectedOf({ changes: { windows = [] } = {}, node_before: node }: Result): Expectation | undefined {
  for (const line of windows) {
    const [, what, title = ""] = /^(opened|closed) "(.+)" \(\d+\)$/.exec(line) ?? [];
    // A menu is a window without a title of its own on some desktops.
    if (what === undefined || title === "" || isFleeting(title) || node?.role === "menu") continue;
    // The windows of terminals and menus come and go with what runs in them.
    if (what === "closed" && node?.role !== "button") continue;
    return what === "opened" ? { window: title } : { gone: { window: title } };
  }
  return undefined;
}
