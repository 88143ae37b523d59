import type { z } from "zod";
import type { UiNode } from "../base/node.ts";
import { describeNode } from "../surface/find-element.ts";
import { verify, type VerifyOptions } from "../surface/effect.ts";
import type { Expectation } from "../surface/judge.ts";
import type { Subject } from "../surface/state.ts";
import type { Aim } from "../surface/target.ts";
import type { Surface } from "../surface/surface.ts";
import type { actionResult, nodeRecord } from "./schema.ts";
import type { ToolContext } from "./tool.ts";

type ActionResult = z.input<typeof actionResult>;
type NodeRecord = z.input<typeof nodeRecord>;

interface Where {
  readonly aim?: Aim | undefined;
  /** The window acted on, when no point was aimed at. */
  readonly window?: { readonly id: number; readonly title: string } | undefined;
  readonly node?: UiNode | undefined;
}

export interface Dispatch {
  readonly method: ActionResult["method"];
  readonly via: string;
  readonly warning?: string | undefined;
}

export interface Action extends Where {
  readonly surface: Surface;
  readonly context: ToolContext;
  readonly subject: Subject;
  readonly expect: Expectation;
  /** The same words for the same action; with the state it leaves it finds an agent going round in circles. */
  readonly signature: string;
  /** How long to look for an effect; 0 does not look at all. */
  readonly settleMs: number;
}

/** Does something and reports what it was seen to do. Every tool that sends input goes through here. */
export async function runAction(action: Action, act: () => Promise<Dispatch>): Promise<ActionResult> {
  const { surface, context, subject, settleMs } = action;
  if (settleMs === 0) return describeResult(action, await act(), { effect: "unverifiable", changed: null });
  const options: VerifyOptions = {
    ...action.expect,
    signature: action.signature,
    capMs: settleMs,
    floorMs: 0,
    signal: context.signal,
  };
  const seen = await verify(surface, subject, options, act);
  return describeResult(action, seen.value, {
    effect: seen.effect,
    changed: seen.effect === "unverifiable" ? null : seen.effect === "confirmed",
    ...(subject.node ? { node_before: toNodeRecord(seen.before.node), node_after: toNodeRecord(seen.after.node) } : {}),
    ...(Object.keys(seen.changes).length > 0 ? { changes: toChanges(seen.changes) } : {}),
    settle_ms: seen.settleMs,
    ...(seen.suspectedLoop ? { suspected_loop: true } : {}),
  });
}

export interface Done extends Where {
  readonly surface: Surface;
  readonly context: ToolContext;
  readonly via: string;
  readonly method?: ActionResult["method"];
  /** Whether the tool saw for itself that the thing happened. */
  readonly seen?: boolean;
  readonly warning?: string | undefined;
}

/** The same answer for tools whose effect the platform itself reports: a window's state, a process, the clipboard. */
export function actionDone({ via, method = "system", seen, warning, ...where }: Done): ActionResult {
  const effect = seen === undefined ? "unverifiable" : seen ? "confirmed" : "no_change";
  return describeResult(where, { method, via, warning }, { effect, changed: seen ?? null });
}

type Evidence = Pick<
  ActionResult,
  "effect" | "changed" | "node_before" | "node_after" | "changes" | "settle_ms" | "suspected_loop"
>;

function describeResult(
  where: Where & { readonly surface: Surface; readonly context: ToolContext },
  { method, via, warning }: Dispatch,
  evidence: Evidence,
): ActionResult {
  const target = describeTarget(where);
  const warnings = [warning, where.aim && movedWarning(where.aim)].filter((text) => text !== undefined).join(" ");
  return {
    ok: true,
    ...evidence,
    method,
    dispatched_via: via,
    ...(target ? { target } : {}),
    surface: where.surface.id,
    step_id: where.context.stepId,
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

function toNodeRecord(node: UiNode | undefined): NodeRecord | null {
  if (!node) return null;
  const { role, name, value, states, bounds } = node;
  return {
    role,
    name: name.slice(0, 500),
    ...(value === undefined ? {} : { value: typeof value === "string" ? value.slice(0, 500) : value }),
    states: [...states],
    ...(bounds ? { bounds } : {}),
  };
}

function toChanges({
  focus,
  windows,
  tree,
  pixels,
}: Awaited<ReturnType<typeof verify>>["changes"]): ActionResult["changes"] {
  return {
    ...(focus ? { focus } : {}),
    ...(windows ? { windows: [...windows] } : {}),
    ...(tree ? { tree: [...tree] } : {}),
    ...(pixels ? { pixels } : {}),
  };
}
