import { ToolError } from "../../base/errors.ts";
import type { NodeAction, NodeActionName, UiNode } from "../../base/node.ts";
import type { Pressing } from "../../platform/backend.ts";
import { calm } from "../verify.ts";
import { describeNode, pointOf } from "../find-element.ts";
import type { Expectation } from "../judge.ts";
import type { Surface } from "../surface.ts";
import type { Acted, Located, Native, PerformOptions, SetValue } from "./action.ts";
import { clickAction, lessThanClick, orElse } from "./delivery.ts";
import { focusPlace } from "./keyboard.ts";
import { lookAtValue, openEntry, withEntered } from "./entered.ts";
import { observe } from "./observe.ts";
import { subjectOf, windowOf } from "./place.ts";
import { needDecided } from "./reach.ts";

const still: Expectation = { focusCounts: false, pixelsCount: false, movingCounts: false };
const scrolling: Expectation = { ...still, pixelsCount: true, movingCounts: true };

const expectations: Partial<Readonly<Record<Native["action"]["name"], Expectation>>> = {
  focus: { ...still, focusCounts: "gained" },
  scroll_into_view: scrolling,
  scroll_to: scrolling,
};

/** Uses the element's own action: the pointer and the focus stay where they are. */
export async function native(
  surface: Surface,
  { action: { action }, place }: Located<Native>,
  options: PerformOptions,
): Promise<Acted> {
  const named = needNode(place?.node);
  const node = action.name === "select" ? await rowOf(surface, named, options.signal) : named;
  if (action.name === "scroll_to") return perform(surface, node, action, scrolling, options);
  const name = nativeName(node, action.name, surface.backend.elements?.pressing);
  if (name === undefined) throw notDispatchable(node, action.name);
  return perform(surface, node, { name }, expectations[action.name] ?? still, options);
}

/** The action's name on this element: for many apps, toggling is a press. */
function nativeName(
  node: UiNode,
  wanted: NodeActionName,
  pressing: Pressing | undefined,
): Exclude<NodeActionName, "set_value"> | undefined {
  const own = wanted !== "press" && node.actions.includes(wanted) ? wanted : undefined;
  const name = own ?? (wanted === "press" || wanted === "toggle" ? clickAction(node, pressing) : undefined);
  return name === "set_value" ? undefined : name;
}

const needNode = (node: UiNode | undefined): UiNode => {
  if (node) return node;
  throw new ToolError("invalid_argument", "An element is needed for this.", { hint: "Name it: uid or region." });
};

/** Sets the value natively if the app supports it; otherwise types it, if that is wanted. */
export async function setValue(
  surface: Surface,
  { action: { value, orType }, place }: Located<SetValue>,
  options: PerformOptions,
): Promise<Acted> {
  const node = needNode(place?.node);
  const assign = async (): Promise<Acted> => {
    if (!node.actions.includes("set_value")) throw notDispatchable(node, "set_value");
    const expect = { ...still, isDotted: node.states.includes("password") };
    const acted = await perform(surface, node, { name: "set_value", value: fitValue(node, value) }, expect, options);
    return withEntered(acted, await lookAtValue(surface, { before: node, after: acted.after }, value, options.signal));
  };
  if (!orType || !takesTyping(node)) return assign();
  return orElse(assign, (reason) => enterValue(surface, node, String(value), reason, options));
}

/** A number given for a text field is meant as text. */
const fitValue = (node: UiNode, value: SetValue["value"]): SetValue["value"] =>
  node.role === "textbox" && typeof value === "number" ? String(value) : value;

/** Roles that take a value from the keyboard: select all and type over it, or pick an item by typing its name. */
const typedInto: ReadonlySet<string> = new Set(["textbox", "spinbutton", "combobox"]);

const takesTyping = ({ role, states }: UiNode): boolean =>
  typedInto.has(role) && states.includes("enabled") && !states.includes("readonly");

/** Enters a value as a person would, if the app has no native way. */
async function enterValue(
  surface: Surface,
  node: UiNode,
  value: string,
  reason: ToolError,
  options: PerformOptions,
): Promise<Acted> {
  const { signal, settleMs } = options;
  await focusPlace(surface, { node, window: await windowOf(surface, node, signal) }, signal);
  const subject = await subjectOf(surface, { node }, signal);
  if (settleMs > 0) await calm(surface, subject, signal);
  const isList = node.role === "combobox" && !node.states.includes("editable");
  const observed = {
    node,
    subject,
    expect: { ...still, pixelsCount: true },
    signature: `enter ${value.length} ${node.runtimeId}`,
  };
  const entry = await openEntry(surface, node, signal);
  const acted = await observe(surface, observed, options, async () => {
    await needDecided(surface, options, [undefined], node);
    if (!isList) await surface.hands.press(["ctrl", "a"], 0, signal);
    if (value === "") await surface.hands.press(["delete"], 0, signal);
    else await surface.need("keyboard").text(value, { signal });
    await surface.inputTaken(signal);
    const warning = `Typed, because it could not be set natively: ${reason.message}`;
    return { method: "input", via: "keyboard", warning };
  });
  if (isList) return { ...acted, showsText: acted.after?.value === value };
  return withEntered(acted, await entry.look(value, acted.after));
}

async function perform(
  surface: Surface,
  node: UiNode,
  action: NodeAction,
  expect: Expectation,
  options: PerformOptions,
): Promise<Acted> {
  const { signal } = options;
  const observed = {
    node,
    subject: await subjectOf(surface, { node }, signal),
    expect,
    signature: `${action.name} ${node.runtimeId} ${detailOf(action)}`,
  };
  return observe(surface, observed, options, async () => {
    try {
      const { via } = await surface.need("elements").perform(node.runtimeId, action, { signal });
      return { method: "ax", via, warning: action.name === "scroll_to" ? undefined : lessThanClick(node, action.name) };
    } catch (error) {
      throw withFallback(error, node);
    }
  });
}

/** Distinguishes two actions of the same name on one element, without revealing the text that was entered. */
function detailOf(action: NodeAction): string {
  if (action.name === "set_value") return String(String(action.value).length);
  return action.name === "scroll_to" ? `${action.percent ?? action.notches}` : "";
}

const refusals: ReadonlySet<string> = new Set(["not_dispatchable", "pattern_unsupported"]);

/** Some apps refuse only when the action is tried; that error, too, says where to click instead. */
function withFallback(error: unknown, node: UiNode): unknown {
  const point = pointOf(node);
  if (!point || !(error instanceof ToolError) || !refusals.has(error.code)) return error;
  return new ToolError(error.code, error.message, { ...error.details, fallback: { x: point.x, y: point.y } });
}

function notDispatchable(node: UiNode, action: string): ToolError {
  const point = pointOf(node);
  return new ToolError("not_dispatchable", `${describeNode(node)} has no native ${action}.`, {
    hint: point ? "Click the fallback point instead." : outOfView(node),
    ...(point ? { fallback: { x: point.x, y: point.y } } : {}),
  });
}

const outOfView = ({ actions }: UiNode): string =>
  actions.includes("focus")
    ? "It has no visible point either. Many apps scroll to what gets the focus: use ax_focus."
    : "It has no visible point either; scroll what contains it.";

const rowRoles: ReadonlySet<string> = new Set(["row", "listitem", "treeitem", "tab", "menuitem"]);
const containerRoles: ReadonlySet<string> = new Set([
  "list",
  "tree",
  "table",
  "tablist",
  "menu",
  "menubar",
  "combobox",
]);

/** The element itself or the nearest ancestor that is a row; in a table without rows, a cell stands for its row. */
async function rowOf(surface: Surface, node: UiNode, signal: AbortSignal): Promise<UiNode> {
  const chain = [node, ...(await ancestors(surface, node, signal))];
  // Beyond its own list there may be another row, or a tab that contains the whole list.
  const end = chain.findIndex((each, index) => index > 0 && containerRoles.has(each.role));
  const inside = end < 0 ? chain : chain.slice(0, end);
  const row = inside.find((each) => rowRoles.has(each.role)) ?? inside.find((each) => each.role === "cell");
  if (!row) {
    throw new ToolError("no_row_ancestor", `${describeNode(node)} is not in a row.`, {
      hint: "Use ax_click for buttons and the like.",
    });
  }
  if (!chain.some((each) => containerRoles.has(each.role))) {
    throw new ToolError("no_outline_container", `${describeNode(row)} is not in a list, table or tree.`);
  }
  return row;
}

async function ancestors(surface: Surface, node: UiNode, signal: AbortSignal): Promise<readonly UiNode[]> {
  const found: UiNode[] = [];
  const elements = surface.need("elements");
  for (let parent = node.parent; parent !== undefined && found.length < 64;) {
    const [next] = await elements.read([parent], { signal });
    if (!next) break;
    found.push(next);
    parent = next.parent;
  }
  return found;
}
