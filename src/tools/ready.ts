import { ToolError } from "../base/errors.ts";
import type { UiNode } from "../base/node.ts";
import type { Action } from "../surface/engine/action.ts";
import { describeNode } from "../surface/find-element.ts";
import type { About } from "./permission/gate.ts";
import type { Locating, AnyTool } from "./tool.ts";

/**
 * Where a call acts, once its target is there, visible and enabled. Whether it stands still is checked where a point is
 * aimed at.
 */
export async function needReady(tool: AnyTool, input: unknown, context: Locating): Promise<About["located"]> {
  const action = await tool.acts?.(input as never, context);
  if (!action || !hasTarget(action)) return undefined;
  const surface = await context.surface();
  const located = await surface.locate(action, context.signal);
  for (const node of [located.place?.node, located.end?.node]) if (node) needUsable(node, action);
  return { at: performance.now(), action: located };
}

const hasTarget = (action: Action): boolean =>
  ("at" in action && action.at !== undefined) || "from" in action || ("into" in action && action.into !== undefined);

function needUsable(node: UiNode, action: Action): void {
  const { states } = node;
  if (!isVisible(node)) throw notReady(node, "is not visible", "It is there, but hidden; look at what shows it.");
  // A disabled element can still be pointed at, read and scrolled to.
  if (action.do === "hover" || action.do === "scroll") return;
  if (!states.includes("enabled"))
    throw notReady(node, "is disabled", "Something else has to be done first; look at what the app wants.");
  const isEntered = action.do === "type" || action.do === "set value";
  if (isEntered && states.includes("readonly")) throw notReady(node, "is read-only", "Text cannot be entered there.");
}

/** What is scrolled out of view is not showing, but it has its place and can be brought into view. */
const isVisible = ({ states, bounds, actions }: UiNode): boolean =>
  states.includes("showing") ||
  (bounds !== undefined && bounds.width > 0 && bounds.height > 0 && actions.includes("scroll_into_view"));

const notReady = (node: UiNode, what: string, hint: string): ToolError =>
  new ToolError("not_dispatchable", `${describeNode(node)} ${what}.`, { hint });
