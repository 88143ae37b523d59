import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import type { NodeAction, NodeActionName, UiNode } from "../base/node.ts";
import { describeNode, liveElement, pointOf } from "../surface/find-element.ts";
import type { Expectation } from "../surface/judge.ts";
import type { Surface } from "../surface/surface.ts";
import { runAction } from "./action.ts";
import { clickAction } from "./delivery.ts";
import { actionResult, enteredText, readRegionTarget, regionFields, settleMs } from "./schema.ts";
import { defineTool, type ToolContext } from "./tool.ts";
import { needRegionNode, subjectOf } from "./where.ts";

const named = {
  uid: z.string().max(20).optional().describe("From the latest take_ax_snapshot or find_elements"),
  ...regionFields,
};
type Named = Partial<z.infer<z.ZodObject<typeof named>>>;

const axResult = actionResult.extend({
  bbox: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }).nullable(),
});

const still: Expectation = { focusCounts: false, pixelsCount: false, movingCounts: false };

export const axClick = defineTool({
  name: "ax_click",
  title: "Press an element",
  summary: "Press an element by uid through its native action: the pointer and the focus stay where they are.",
  set: "desktop",
  access: "act",
  needs: ["elements"],
  input: z.strictObject({ ...named, settle_ms: settleMs }),
  output: axResult,
  positional: ["uid"],
  check: checkNamed,
  async run(input, context) {
    const { surface, node } = await find(context, input);
    const name = clickAction(node);
    if (name === undefined || name === "set_value") throw notDispatchable(node, "press");
    return perform(surface, context, node, { name }, input.settle_ms, still);
  },
});

export const axSetValue = defineTool({
  name: "ax_set_value",
  title: "Set a value",
  summary:
    "Write the value of a field, slider or spin button by uid. An assignment, not typing: no key events, no input method, and " +
    "only in Qt an undo step. On not_dispatchable (nothing to write) click the fallback point and type_text.",
  set: "desktop",
  access: "act",
  idempotent: true,
  needs: ["elements"],
  input: z.strictObject({
    ...named,
    text: z.string().max(100_000).optional(),
    value: z
      .union([z.number(), z.string().max(100_000), z.boolean()])
      .optional()
      .describe("A number for sliders, or instead of text"),
    settle_ms: settleMs,
  }),
  output: axResult,
  positional: ["uid", "text"],
  secret: enteredText,
  check(input) {
    readValue(input);
    readNamed(input);
  },
  async run(input, context) {
    const value = readValue(input);
    const { surface, node } = await find(context, input);
    if (!node.actions.includes("set_value")) throw notDispatchable(node, "set_value");
    const expect = { ...still, isDotted: node.states.includes("password") };
    return perform(
      surface,
      context,
      node,
      { name: "set_value", value: fitValue(node, value) },
      input.settle_ms,
      expect,
    );
  },
});

type Value = string | number | boolean;

function readValue({ text, value }: { text?: string | undefined; value?: Value | undefined }): Value {
  const given = value ?? text;
  if (given !== undefined && (value === undefined || text === undefined)) return given;
  throw new ToolError("invalid_argument", "Give text or value, one of them.");
}

/** A number given for a text field is meant as text. */
export function fitValue(node: UiNode, value: string | number | boolean): string | number | boolean {
  return node.role === "textbox" && typeof value === "number" ? String(value) : value;
}

export const axSelect = defineTool({
  name: "ax_select",
  title: "Select a row",
  summary:
    "Select the row of a list, table or tree that the element is, or is in. Rows often refuse ax_click; this is for them.",
  set: "desktop",
  access: "act",
  idempotent: true,
  needs: ["elements"],
  input: z.strictObject({ ...named, settle_ms: settleMs }),
  output: axResult,
  positional: ["uid"],
  check: checkNamed,
  async run(input, context) {
    const { surface, node } = await find(context, input);
    const row = await rowOf(surface, node, context.signal);
    if (!row.actions.includes("select")) throw notDispatchable(row, "select");
    return perform(surface, context, row, { name: "select" }, input.settle_ms, still);
  },
});

export const axToggle = simple(
  "ax_toggle",
  "Toggle",
  "Switch a check box, toggle button or switch by uid.",
  "toggle",
  still,
);

export const axFocus = simple(
  "ax_focus",
  "Focus an element",
  "Give an element the keyboard focus natively, by uid.",
  "focus",
  {
    ...still,
    focusCounts: true,
  },
);

export const axExpand = defineTool({
  name: "ax_expand",
  title: "Expand or collapse",
  summary: "Open or close a tree item, menu, combo box or expander by uid, without the pointer.",
  set: "desktop",
  access: "act",
  idempotent: true,
  needs: ["elements"],
  input: z.strictObject({ ...named, expanded: z.boolean().default(true), settle_ms: settleMs }),
  output: axResult,
  positional: ["uid"],
  check: checkNamed,
  async run(input, context) {
    const { surface, node } = await find(context, input);
    const name = input.expanded ? "expand" : "collapse";
    if (!node.actions.includes(name)) throw notDispatchable(node, name);
    return perform(surface, context, node, { name }, input.settle_ms, still);
  },
});

const scrolling: Expectation = { ...still, pixelsCount: true, movingCounts: true };

export const axScroll = defineTool({
  name: "ax_scroll",
  title: "Scroll natively",
  summary:
    "Bring an element into view by uid, or scroll the list or area it is (in): to a percent, or by notches in a direction. " +
    "The pointer stays; where nothing scrolls natively use scroll.",
  set: "desktop",
  access: "act",
  needs: ["elements"],
  input: z.strictObject({
    ...named,
    percent: z.number().min(0).max(100).optional().describe("0 is the beginning, 100 the end"),
    direction: z.enum(["up", "down", "left", "right"]).optional().describe("With percent, left or right mean across"),
    amount: z.number().positive().max(100).default(3).describe("Notches of a wheel, with direction"),
    settle_ms: settleMs,
  }),
  output: axResult,
  positional: ["uid"],
  check: checkNamed,
  async run(input, context) {
    const { percent, direction, amount, settle_ms } = input;
    const { surface, node } = await find(context, input);
    if (percent === undefined && direction === undefined) {
      if (!node.actions.includes("scroll_into_view")) throw notDispatchable(node, "scroll_into_view");
      return perform(surface, context, node, { name: "scroll_into_view" }, settle_ms, scrolling);
    }
    const action: NodeAction = {
      name: "scroll_to",
      isHorizontal: direction === "left" || direction === "right",
      percent,
      notches: direction === "up" || direction === "left" ? -amount : amount,
    };
    return perform(surface, context, node, action, settle_ms, scrolling);
  },
});

function simple(
  name: string,
  title: string,
  summary: string,
  action: Exclude<NodeActionName, "set_value">,
  expect: Expectation,
) {
  return defineTool({
    name,
    title,
    summary,
    set: "desktop",
    access: "act",
    idempotent: action !== "toggle",
    needs: ["elements"],
    input: z.strictObject({ ...named, settle_ms: settleMs }),
    output: axResult,
    positional: ["uid"],
    check: checkNamed,
    async run(input, context) {
      const { surface, node } = await find(context, input);
      const usable = node.actions.includes(action) ? action : action === "toggle" ? clickAction(node) : undefined;
      if (usable === undefined || usable === "set_value") throw notDispatchable(node, action);
      return perform(surface, context, node, { name: usable }, input.settle_ms, expect);
    },
  });
}

function readNamed(input: Named): { readonly uid: string } | { readonly region: string | number } {
  const { uid } = input;
  const region = readRegionTarget(input);
  if (uid !== undefined && region === undefined) return { uid };
  if (uid === undefined && region !== undefined) return { region };
  throw new ToolError("invalid_argument", "Give uid, region or region_id, one of them.");
}

function checkNamed(input: Named): void {
  readNamed(input);
}

async function find(context: ToolContext, input: Named): Promise<{ readonly surface: Surface; readonly node: UiNode }> {
  const wanted = readNamed(input);
  const surface = await context.surface();
  if ("uid" in wanted) return { surface, node: await liveElement(surface, wanted.uid, context.signal) };
  return { surface, node: await needRegionNode(surface, wanted.region, context.signal) };
}

async function perform(
  surface: Surface,
  context: ToolContext,
  node: UiNode,
  action: NodeAction,
  wait: number | undefined,
  expect: Expectation,
) {
  const { signal, session } = context;
  const subject = await subjectOf(surface, { node }, signal);
  const data = await runAction(
    {
      surface,
      context,
      node,
      subject,
      expect,
      signature: `${action.name} ${node.runtimeId} ${detailOf(action)}`,
      settleMs: wait ?? session.limits.settleMs,
    },
    async () => {
      try {
        const { via } = await surface.need("elements").perform(node.runtimeId, action, { signal });
        return { method: "ax", via };
      } catch (error) {
        throw withFallback(error, node);
      }
    },
  );
  const { bounds } = node;
  return { data: { ...data, bbox: bounds ? { x: bounds.x, y: bounds.y, w: bounds.width, h: bounds.height } : null } };
}

/** What tells two actions of one name on one element apart, without the text that was entered. */
function detailOf(action: NodeAction): string {
  if (action.name === "set_value") return String(String(action.value).length);
  return action.name === "scroll_to" ? `${action.percent ?? action.notches}` : "";
}

const refusals: ReadonlySet<string> = new Set(["not_dispatchable", "pattern_unsupported"]);

/** Some apps refuse only when they are asked; where to click instead is told then too. */
function withFallback(error: unknown, node: UiNode): unknown {
  const point = pointOf(node);
  if (!point || !(error instanceof ToolError) || !refusals.has(error.code)) return error;
  return new ToolError(error.code, error.message, { ...error.details, fallback: { x: point.x, y: point.y } });
}

export function notDispatchable(node: UiNode, action: string): ToolError {
  const point = pointOf(node);
  return new ToolError("not_dispatchable", `${describeNode(node)} has no native ${action}.`, {
    hint: point ? "Click the fallback point instead." : "It has no visible point either; scroll it into view.",
    ...(point ? { fallback: { x: point.x, y: point.y } } : {}),
  });
}

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

/** The element itself or the nearest one around it that is a row; cells of a table without rows stand for theirs. */
async function rowOf(surface: Surface, node: UiNode, signal: AbortSignal): Promise<UiNode> {
  const chain = [node, ...(await ancestors(surface, node, signal))];
  // Beyond the list it is in there may be another row, or a tab that holds the whole list.
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
