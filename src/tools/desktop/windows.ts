import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { centre, contains } from "../../base/geometry.ts";
import type { WindowChange } from "../../platform/backend.ts";
import { chooseWindow, fits, isEmptyQuery } from "../../surface/choose-window.ts";
import type { GuardedWindow } from "../../surface/guard/guarded.ts";
import { filterWindows } from "../../surface/list-windows.ts";
import { actionDone } from "../action.ts";
import { actionResult, readWindowQuery, rect, windowFields } from "../schema.ts";
import { defineTool, type ToolContext } from "../tool.ts";

export const windowRecord = z.object({
  window_id: z.number(),
  id: z.number().describe("Same as window_id"),
  title: z.string(),
  app_name: z.string(),
  owner_name: z.string().describe("Same as app_name"),
  process_name: z.string(),
  class_name: z.string(),
  pid: z.number().nullable(),
  kind: z.string(),
  bounds: rect.describe("Screen units, title bar included"),
  is_visible: z.boolean(),
  is_minimized: z.boolean(),
  is_maximized: z.boolean(),
  is_fullscreen: z.boolean(),
  is_foreground: z.boolean(),
  can_minimize: z.boolean(),
  can_maximize: z.boolean(),
  display_id: z.number().nullable(),
  is_blocked: z.boolean().optional().describe("Blocked by the policy: only its place is told, and no call can name it"),
});

export function toRecord(window: GuardedWindow): z.input<typeof windowRecord> {
  return {
    window_id: window.id,
    id: window.id,
    title: window.title,
    app_name: window.appName,
    owner_name: window.appName,
    process_name: window.processName,
    class_name: window.className,
    pid: window.pid ?? null,
    kind: window.kind,
    bounds: window.bounds,
    is_visible: window.isVisible,
    is_minimized: window.isMinimized,
    is_maximized: window.isMaximized,
    is_fullscreen: window.isFullscreen,
    is_foreground: window.isForeground,
    can_minimize: window.canMinimize,
    can_maximize: window.canMaximize,
    display_id: window.displayId ?? null,
    ...(window.blocked ? { is_blocked: true } : {}),
  };
}

export const listWindows = defineTool({
  name: "list_windows",
  title: "List windows",
  summary: "Open windows, topmost first, with ids, titles, apps and bounds. Use it to find what to look at or focus.",
  set: "desktop",
  access: "observe",
  needs: ["windows"],
  input: z.strictObject({
    filter: z.string().max(500).optional().describe("Part of the title, any case"),
    app_name: windowFields.app_name,
    pid: windowFields.pid,
    include_hidden: z.boolean().default(false),
    include_system: z.boolean().default(false).describe("Also panels, menus, tooltips, tiny and ownerless windows"),
  }),
  output: z.object({
    windows: z.array(windowRecord),
    filtered: z.object({ tiny: z.number(), unowned: z.number(), system: z.number(), hidden: z.number() }),
  }),
  positional: ["filter"],
  async run(input, { surface, signal }) {
    const all = await (await surface()).need("windows").list({ signal });
    const { windows, filtered } = filterWindows(all, { hidden: input.include_hidden, system: input.include_system });
    const query = { appName: input.app_name, pid: input.pid };
    const title = (input.filter ?? "").toLowerCase();
    const isFiltered = title !== "" || !isEmptyQuery(query);
    const shown = windows.filter((window) =>
      window.blocked ? !isFiltered : fits(window, query) && window.title.toLowerCase().includes(title),
    );
    return { data: { windows: shown.map(toRecord), filtered } };
  },
});

export const getActiveWindow = defineTool({
  name: "get_active_window",
  title: "Get the active window",
  summary: "The window that has the keyboard focus, or null.",
  set: "desktop",
  access: "observe",
  needs: ["windows"],
  input: z.strictObject({}),
  output: z.object({ window: windowRecord.nullable() }),
  positional: [],
  async run(_input, { surface, signal }) {
    const all = await (await surface()).need("windows").list({ signal });
    const window = all.find(({ isForeground }) => isForeground);
    return { data: { window: window ? toRecord(window) : null } };
  },
});

export const focusWindow = defineTool({
  name: "focus_window",
  title: "Focus a window",
  summary: "Bring a window to the front and give it the keyboard.",
  set: "desktop",
  access: "act",
  idempotent: true,
  needs: ["windows"],
  input: z.strictObject({
    ...windowFields,
    fallback: z.enum(["click"]).optional().describe("If it stays behind, click its middle"),
  }),
  output: actionResult.extend({ window: windowRecord.nullable().describe("Its current state; null if it is gone") }),
  positional: ["window_id"],
  check: (input) => void needQuery(input),
  async run({ fallback, ...input }, context) {
    try {
      return await changeWindow(context, input, { to: "focus" });
    } catch (error) {
      if (fallback !== "click" || !(error instanceof ToolError) || !refusals.has(error.code)) throw error;
      return focusByClick(context, input, error);
    }
  },
});

const refusals: ReadonlySet<string> = new Set(["timeout", "not_supported"]);

/** A click gives the focus where the window manager does not, if the middle of the window is not covered. */
async function focusByClick(context: ToolContext, input: WindowInput, reason: ToolError) {
  const surface = await context.surface();
  const { signal } = context;
  const windows = surface.need("windows");
  const all = await windows.list({ signal });
  const window = chooseWindow(all, needQuery(input));
  const point = centre(window.bounds);
  const isOnTop = all.find((each) => isShown(each) && contains(each.bounds, point))?.id === window.id;
  if (!isOnTop) throw reason;
  const at = { form: "screen point", point } as const;
  await context.perform(
    { do: "click", at, button: "left", clicks: 1, delayMs: 0, hold: [], delivery: "foreground" },
    { settleMs: 0, signal, on: surface },
  );
  const after = await windows.get(window.id, { signal });
  if (after?.isForeground !== true) throw reason;
  const warning = `Its middle was clicked: ${reason.message}`;
  const done = actionDone({ surface, context, via: "pointer", method: "input", seen: true, window, warning });
  return { data: { ...done, window: toRecord(after) } };
}

const isShown = ({ isVisible, isMinimized }: GuardedWindow): boolean => isVisible && !isMinimized;

const windowActions = ["front", "back", "minimize", "restore", "maximize", "move", "resize", "close"] as const;

const setWindowInput = z.strictObject({
  action: z.enum(windowActions),
  ...windowFields,
  x: z.int().min(-32_000).max(32_000).optional().describe("For move"),
  y: z.int().min(-32_000).max(32_000).optional(),
  width: z.int().min(1).max(32_000).optional().describe("For resize, title bar included"),
  height: z.int().min(1).max(32_000).optional(),
});

export const setWindow = defineTool({
  name: "set_window",
  title: "Change a window",
  summary: "Raise, lower, minimise, restore, maximise, move, resize or close a window.",
  set: "desktop",
  access: "manage",
  idempotent: true,
  needs: ["windows"],
  input: setWindowInput,
  output: actionResult.extend({ window: windowRecord.nullable().describe("Its current state; null if it is gone") }),
  positional: ["action", "window_id"],
  check(input) {
    needQuery(input);
    readChange(input);
  },
  run: (input, context) => changeWindow(context, input, readChange(input)),
});

type WindowInput = Parameters<typeof readWindowQuery>[0];

function needQuery(input: WindowInput) {
  const query = readWindowQuery(input);
  if (!isEmptyQuery(query)) return query;
  throw new ToolError("invalid_argument", "Name a window: window_id, window_title, app_name or pid.");
}

async function changeWindow(context: ToolContext, input: WindowInput, change: WindowChange) {
  const surface = await context.surface();
  const { signal } = context;
  const windows = surface.need("windows");
  const query = needQuery(input);
  const before = chooseWindow(await windows.list({ signal }), query);
  await windows.change(before.id, change, { signal });
  const after = await windows.get(before.id, { signal });
  const done = actionDone({
    surface,
    context,
    via: "window manager",
    method: "system",
    seen: true,
    window: before,
  });
  return { data: { ...done, window: after ? toRecord(after) : null } };
}

function readChange(input: z.infer<typeof setWindowInput>): WindowChange {
  const { action, x, y, width, height } = input;
  switch (action) {
    case "move":
      if (x === undefined || y === undefined) throw new ToolError("invalid_argument", "move needs x and y.");
      return { to: "move", x, y };
    case "resize":
      if (width === undefined || height === undefined)
        throw new ToolError("invalid_argument", "resize needs width and height.");
      return { to: "resize", width, height };
    default:
      return { to: action };
  }
}
