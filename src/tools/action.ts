import type { z } from "zod";
import type { UiNode } from "../base/node.ts";
import type { Acted, Action, Method, Where } from "../surface/engine/action.ts";
import type { Aim } from "../surface/engine/aim.ts";
import { describeNode } from "../surface/find-element.ts";
import type { Changes } from "../surface/judge.ts";
import { allStates } from "../surface/snapshot-text.ts";
import type { Surface } from "../surface/surface.ts";
import type { actionResult, nodeRecord, settleMs } from "./schema.ts";
import { defineTool, type Followed, type Tool, type ToolContext, type WithSurface } from "./tool.ts";

type ActionResult = z.input<typeof actionResult>;
type NodeRecord = z.input<typeof nodeRecord>;

export interface Done extends Where {
  readonly surface: Surface;
  readonly context: ToolContext;
  readonly via: string;
  readonly method?: Method;
  /** Whether the tool itself saw that it happened. */
  readonly seen?: boolean;
  readonly warning?: string | undefined;
}

/**
 * The common answer, for tools whose effect the platform itself reports: a window's state, a process, the clipboard.
 */
export function actionDone({ surface, context, method = "system", seen, ...done }: Done): ActionResult {
  const effect = seen === undefined ? "unverifiable" : seen ? "confirmed" : "no_change";
  return toActionResult({ ...done, method, effect, changes: {}, suspectedLoop: false }, surface.id, context.stepId);
}

interface Settling {
  readonly settle_ms?: z.infer<typeof settleMs>;
}
type ActionOutput = typeof actionResult;

export interface ActionTool<Input extends z.ZodObject, Output extends ActionOutput, Name extends string> extends Omit<
  Tool<Input, Output, Name>,
  "access" | "check" | "run" | "acts"
> {
  /**
   * The action that a call describes; throws `invalid_argument` for what the schema cannot rule out, such as two
   * targets.
   */
  readonly acts: (input: z.infer<Input>) => Action;
  /** What its answer adds to the common one. */
  readonly adds?: (input: z.infer<Input>, acted: Acted) => Omit<z.input<Output>, keyof ActionResult>;
}

/** A tool that does one thing to a surface: parse → locate → perform → phrase the answer. */
export function defineAction<Input extends z.ZodObject, Output extends ActionOutput, Name extends string>({
  adds,
  ...tool
}: ActionTool<Input, Output, Name>): Tool<Followed<WithSurface<Input>, Output>, Output, Name> {
  const { acts } = tool;
  const defined = defineTool({
    ...tool,
    access: "act",
    check: (input) => void acts(input),
    async run(input, context) {
      const { settle_ms } = input as Settling;
      const surface = await context.surface();
      const acted = await context.perform(acts(input), { settleMs: settle_ms, signal: context.signal, on: surface });
      const data = { ...toActionResult(acted, surface.id, context.stepId), ...adds?.(input, acted) };
      return { data: data as z.input<Output>, failed: !data.ok };
    },
  });
  // Every action goes to a surface, whatever it needs of it.
  return defined as unknown as Tool<Followed<WithSurface<Input>, Output>, Output, Name>;
}

/** The common answer of every tool that acts. */
export function toActionResult(acted: Acted, surface: string, stepId: string): ActionResult {
  const { effect, changes, before, after, settleMs, suspectedLoop, method, via, aim } = acted;
  const target = describeTarget(acted);
  const warnings = [acted.warning, aim && movedWarning(aim)].filter((text) => text !== undefined).join(" ");
  return {
    ok: acted.arrived === undefined,
    effect,
    changed: effect === "unverifiable" ? null : effect === "confirmed",
    ...(before === undefined ? {} : { node_before: toNodeRecord(before) }),
    ...(after === undefined ? {} : { node_after: toNodeRecord(after) }),
    ...(Object.keys(changes).length > 0 ? { changes: toChanges(changes) } : {}),
    ...(acted.arrived === undefined ? {} : { arrived: acted.arrived }),
    ...(settleMs === undefined ? {} : { settle_ms: settleMs }),
    ...(suspectedLoop ? { suspected_loop: true } : {}),
    method,
    dispatched_via: via,
    ...(target ? { target } : {}),
    surface,
    step_id: stepId,
    ...(warnings === "" ? {} : { warning: warnings }),
  };
}

function movedWarning({ moved }: Aim): string | undefined {
  if (!moved) return undefined;
  return `The window has moved by ${moved.x},${moved.y} since the screenshot; the point was moved with it.`;
}

function describeTarget({ aim, window, node }: Where): ActionResult["target"] {
  const inWindow = aim?.window ?? window;
  if (!aim && !inWindow && !node) return undefined;
  return {
    ...(aim ? { x: aim.point.x, y: aim.point.y, form: aim.form } : {}),
    ...(node ? { element: describeNode(node) } : {}),
    ...(inWindow ? { window_id: inWindow.id, window_title: inWindow.title } : {}),
  };
}

function toNodeRecord(node: UiNode | null): NodeRecord | null {
  if (!node) return null;
  const { role, name, value, bounds } = node;
  return {
    role,
    name: name.slice(0, 500),
    ...(value === undefined ? {} : { value: typeof value === "string" ? value.slice(0, 500) : value }),
    states: allStates(node),
    ...(bounds ? { bounds } : {}),
  };
}

function toChanges({ focus, windows, tree, pixels, clipboard, command }: Changes): ActionResult["changes"] {
  return {
    ...(command === undefined ? {} : { command }),
    ...(focus ? { focus } : {}),
    ...(windows ? { windows: [...windows] } : {}),
    ...(tree ? { tree: [...tree] } : {}),
    ...(pixels ? { pixels } : {}),
    ...(clipboard ? { clipboard: [...clipboard] } : {}),
  };
}
