import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { screenPoint } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import { chooseWindow } from "../../surface/choose-window.ts";
import { findElement, findScope } from "../../surface/find-element.ts";
import type { Surface } from "../../surface/surface.ts";
import { answer, attempt } from "./ui-answer.ts";
import { toUIElement, toWindowInfo, uiElement, windowInfo } from "./ui-models.ts";
import { pressKey, toPress, toTyping, typeText } from "../desktop/keyboard.ts";
import { click, moveMouse, toClick } from "../desktop/pointer.ts";
import { type actionResult, elementFields, windowFields } from "../schema.ts";
import { needPlace } from "../targets.ts";
import { defineTool, type Locating, type ToolResult } from "../tool.ts";
import { waitFor } from "../desktop/wait.ts";
import { focusWindow, listWindows } from "../desktop/windows.ts";

const coordinate = z.int().min(-100_000).max(100_000);
const { window_title } = windowFields;
const { selector } = elementFields;

const actionAnswer = answer.extend({
  Effect: z.string().nullable().describe("confirmed, no_change or unverifiable"),
  Changed: z.boolean().nullable(),
});

export const uiListWindows = defineTool({
  name: "ui_list_windows",
  title: "List windows (ui)",
  summary: "List the open windows. Use it to discover window titles for ui_capture, ui_click and ui_focus_window.",
  set: "compat-ui",
  access: "observe",
  needs: ["windows"],
  input: z.strictObject({
    include_hidden: z.boolean().default(false).describe("Also hidden and background windows"),
    filter: listWindows.input.shape.filter,
  }),
  output: answer.extend({ Windows: z.array(windowInfo) }),
  positional: ["filter"],
  run: (input, context) =>
    attempt({ Windows: [] }, context, async () => {
      const { data } = await listWindows.run(listWindows.input.parse(input), context);
      return { data: { Windows: data.windows.map(toWindowInfo) } };
    }),
});

const clickInput = z.strictObject({
  x: coordinate.optional().describe("On the screen, or from the window's left edge"),
  y: coordinate.optional(),
  button: z.enum(["left", "right", "middle"]).default("left"),
  clicks: z.literal([1, 2]).default(1).describe("2 for a double click"),
  window_title: window_title.describe("Makes x and y relative to this window, or looks for the selector in it"),
  selector: selector.describe("Instead of x and y, e.g. Button:Submit"),
});

export const uiClick = defineTool({
  name: "ui_click",
  title: "Click (ui)",
  summary:
    "Click at screen coordinates, at coordinates of a window (window_title), or on the element a selector names. Use it after " +
    "ui_capture or ui_get_element.",
  set: "compat-ui",
  access: "act",
  needs: ["pointer", "screen"],
  input: clickInput,
  output: actionAnswer,
  positional: ["x", "y"],
  acts: async (input, context) => toClick(await clickOf(input, context)),
  run: (input, context) =>
    attempt(nothingDone, context, async () => acted([await click.run(await clickOf(input, context), context)])),
});

const typeInput = z.strictObject({
  text: z.string().max(100_000).optional().describe("Typed literally"),
  keys: z.array(z.string().min(1).max(40)).max(8).optional().describe("Pressed together, released in reverse order"),
  window_title: window_title.describe("Focused first"),
  delay_ms: z.int().min(0).max(1_000).default(10).describe("Pause between keystrokes"),
});

export const uiType = defineTool({
  name: "ui_type",
  title: "Type (ui)",
  summary:
    "Type text, or send keys such as ['ctrl','s'], ['alt','f4'], ['enter'], ['tab'], to the active window or the one named. Use it " +
    "after ui_click has put the cursor where it belongs. With both, the text is typed first.",
  set: "compat-ui",
  access: "act",
  needs: ["keyboard"],
  input: typeInput,
  output: actionAnswer,
  positional: ["text"],
  enters: ["text"],
  keys: "keys",
  acts(input) {
    const { typed, pressed } = entriesOf(input);
    return typed ? toTyping(typed) : pressed && toPress(pressed);
  },
  async run(input, context) {
    let missing: string | undefined;
    const done = await attempt(nothingDone, context, async () => {
      const { typed, pressed } = entriesOf(input);
      if (!typed && !pressed) throw new ToolError("invalid_argument", "Give text or keys.");
      const typing = typed && (await typeText.run(typed, context));
      if (typing?.data.ok === false) {
        missing = typing.data.warning ?? "Not all of the text arrived.";
        // Keys that were meant to follow the whole text might send a part of it.
        return acted([typing]);
      }
      return acted([...(typing ? [typing] : []), ...(pressed ? [await pressKey.run(pressed, context)] : [])]);
    });
    if (missing === undefined) return done;
    return { ...done, data: { ...done.data, Success: false, Error: missing }, failed: true };
  },
});

export const uiMouseMove = defineTool({
  name: "ui_mouse_move",
  title: "Move the mouse (ui)",
  summary: "Move the mouse without clicking. Use it to hover something.",
  set: "compat-ui",
  access: "act",
  idempotent: true,
  needs: ["pointer", "screen"],
  input: z.strictObject({
    x: coordinate,
    y: coordinate,
    window_title: window_title.describe("Makes x and y relative to this window"),
  }),
  output: actionAnswer,
  positional: ["x", "y"],
  acts: async (input, context) => ({ do: "hover", at: needPlace(await pointOn(context, input)) }),
  run: (input, context) =>
    attempt(nothingDone, context, async () =>
      acted([await moveMouse.run(moveMouse.input.parse(await pointOn(context, input)), context)]),
    ),
});

export const uiGetElement = defineTool({
  name: "ui_get_element",
  title: "Get an element (ui)",
  summary:
    "The element at screen coordinates or named by a selector, with its place and children. Use it to find what to click: X and Y " +
    "are the coordinates ui_click takes.",
  set: "compat-ui",
  access: "observe",
  needs: ["elements", "windows"],
  input: z.strictObject({
    x: coordinate.optional(),
    y: coordinate.optional(),
    selector: selector.describe("ControlType:Name, e.g. Button:Submit, TextBox:Username"),
    window_title: window_title.describe("Search this window; the active one when left out"),
  }),
  output: answer.extend({ Element: uiElement.nullable() }),
  positional: ["selector"],
  run: (input, context) =>
    attempt({ Element: null }, context, async () => {
      const surface = await context.surface();
      const node = await findNode(surface, input, context.signal);
      return { data: { Element: toUIElement(node, await below(surface, node, context.signal)) } };
    }),
});

export const uiFocusWindow = defineTool({
  name: "ui_focus_window",
  title: "Focus a window (ui)",
  summary: "Bring a window to the foreground and give it the keyboard. Use it before ui_type.",
  set: "compat-ui",
  access: "act",
  idempotent: true,
  needs: ["windows"],
  input: z.strictObject({ window_title: window_title.unwrap() }),
  output: actionAnswer,
  positional: ["window_title"],
  run: (input, context) =>
    attempt(nothingDone, context, async () => acted([await focusWindow.run(focusWindow.input.parse(input), context)])),
});

export const uiWait = defineTool({
  name: "ui_wait",
  title: "Wait (ui)",
  summary: "Wait for a window or an element to appear. Use it after starting something, instead of guessing a pause.",
  set: "compat-ui",
  access: "observe",
  needs: ["windows"],
  input: z.strictObject({
    window_title: window_title.describe("The window to wait for, or to look for the element in"),
    element_selector: selector.describe("The element to wait for"),
    timeout_ms: waitFor.input.shape.timeout_ms,
  }),
  output: answer.extend({ WaitedMs: z.number(), Window: windowInfo.nullable(), Element: uiElement.nullable() }),
  positional: ["window_title"],
  run: ({ element_selector, ...input }, context) =>
    attempt({ WaitedMs: 0, Window: null, Element: null }, context, async () => {
      if (element_selector === undefined && input.window_title === undefined) {
        throw new ToolError("invalid_argument", "Give window_title or element_selector.");
      }
      const condition = element_selector === undefined ? "window" : "element";
      const { data } = await waitFor.run(
        waitFor.input.parse({ ...input, condition, selector: element_selector }),
        context,
      );
      const { snapshots } = await context.surface();
      return {
        data: {
          WaitedMs: data.waited_ms,
          Window: data.window ? toWindowInfo(data.window) : null,
          Element: data.element ? toUIElement(snapshots.find(data.element.uid).node) : null,
        },
      };
    }),
});

type Acted = Omit<z.input<typeof actionAnswer>, keyof z.input<typeof answer>>;
const nothingDone: Acted = { Effect: null, Changed: null };

/** If a call performs several actions, reports the one that had an effect. */
function acted(results: readonly ToolResult<z.input<typeof actionResult>>[]): ToolResult<Acted> {
  const told = results.find(({ data }) => data.changed === true) ?? results.at(-1);
  return { data: told ? { Effect: told.data.effect, Changed: told.data.changed } : nothingDone };
}

interface PointInput {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly window_title?: string | undefined;
}

function needPoint({ x, y }: PointInput, or = ""): { readonly x: number; readonly y: number } {
  if (x !== undefined && y !== undefined) return { x, y };
  throw new ToolError("invalid_argument", `Give x and y${or}.`);
}

async function clickOf({ button, clicks, ...where }: z.infer<typeof clickInput>, context: Locating) {
  if (where.selector === undefined) needPoint(where, " or selector");
  const target = where.selector === undefined ? await pointOn(context, where) : where;
  return click.input.parse({ ...target, button, clicks });
}

/** With both, the text is typed first. */
function entriesOf({ text = "", keys = [], delay_ms, ...where }: z.infer<typeof typeInput>) {
  return {
    typed: text === "" ? undefined : typeText.input.parse({ text, delay_ms, ...where }),
    pressed: keys.length === 0 ? undefined : pressKey.input.parse({ key: keys, ...where }),
  };
}

/** The point as the canonical tools take it: on the screen, or relative to the corner of the named window. */
async function pointOn({ surface, signal }: Locating, { x, y, window_title: title }: PointInput) {
  if (title === undefined) return { x, y };
  const windows = (await surface()).need("windows");
  const { id } = chooseWindow(await windows.list({ signal }), { title });
  return { window_id: id, window_x: x, window_y: y };
}

async function findNode(
  surface: Surface,
  input: z.infer<typeof uiGetElement.input>,
  signal: AbortSignal,
): Promise<UiNode> {
  const window = { title: input.window_title };
  if (input.selector !== undefined) {
    if (input.x !== undefined || input.y !== undefined)
      throw new ToolError("invalid_argument", "Give x and y or selector, not both.");
    return findElement(surface, { form: "selector", selector: input.selector }, { window }, signal);
  }
  const { x, y } = needPoint(input, " or selector");
  const pid = input.window_title === undefined ? undefined : (await findScope(surface, window, signal)).pid;
  const [hit] = await surface.need("elements").at(screenPoint(x, y), { pid, signal });
  if (hit) return hit;
  throw new ToolError("not_found", `There is no element at ${x},${y}.`);
}

// Enough for a dialog; a document or a table would swamp the answer.
const maxChildren = 200;

async function below(surface: Surface, node: UiNode, signal: AbortSignal): Promise<readonly UiNode[]> {
  if (node.pid === undefined) return [];
  const elements = surface.need("elements");
  const scope = elements.scope({ pid: node.pid, windowId: node.windowId });
  const tree = await elements.tree(scope, { maxNodes: maxChildren, root: node.runtimeId, signal });
  return tree.nodes;
}
