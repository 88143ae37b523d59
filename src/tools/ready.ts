import { sleep } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { sameRect } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { Action } from "../surface/engine/action.ts";
import { describeNode, pointOf } from "../surface/find-element.ts";
import type { Surface } from "../surface/surface.ts";
import type { About } from "./permission/gate.ts";
import type { Locating, AnyTool } from "./tool.ts";

/** Where a call acts, once its target is there, visible, enabled and, if the pointer goes to it, still. */
export async function needReady(tool: AnyTool, input: unknown, context: Locating): Promise<About["located"]> {
  const action = await tool.acts?.(input as never, context);
  if (!action || !hasTarget(action)) return undefined;
  const surface = await context.surface();
  const located = await surface.locate(action, context.signal);
  const nodes = [located.place?.node, located.end?.node].filter((node) => node !== undefined);
  for (const node of nodes) needUsable(node, action);
  if (isPointedAt(action) && nodes.length > 0) {
    await needStill(surface, nodes, context.signal);
    await needOnTop(surface, nodes, context.signal);
  }
  return { at: performance.now(), action: located };
}

/** A click checks it itself, right before the button goes down. */
const isPointedAt = ({ do: what }: Action): boolean => what === "hover" || what === "scroll" || what === "drag";

// Two frames of a display: what is animated has moved by then.
const frameMs = 34;

async function needStill(surface: Surface, nodes: readonly UiNode[], signal: AbortSignal): Promise<void> {
  await sleep(frameMs, signal);
  const ids = nodes.map(({ runtimeId }) => runtimeId);
  const now = await surface.need("elements").read(ids, { signal });
  nodes.forEach((node, index) => {
    const { bounds } = now[index] ?? {};
    if (node.bounds && bounds && !sameRect(node.bounds, bounds))
      throw notReady(node, "keeps moving", "Wait until it stops, or use its native action.");
  });
}

/** Only a page knows for sure what lies on top. */
async function needOnTop(surface: Surface, nodes: readonly UiNode[], signal: AbortSignal): Promise<void> {
  const elements = surface.need("elements");
  if (!elements.isDocument) return;
  for (const node of nodes) {
    const point = pointOf(node);
    const chain = point ? await elements.at(point, { signal }) : [];
    const [top] = chain;
    if (top && !chain.some(({ runtimeId }) => runtimeId === node.runtimeId))
      throw notReady(
        node,
        `is covered by ${describeNode(top)}`,
        "Close or move what covers it, or act on that instead.",
      );
  }
}

const hasTarget = (action: Action): boolean =>
  ("at" in action && action.at !== undefined) || "from" in action || ("into" in action && action.into !== undefined);

function needUsable(node: UiNode, action: Action): void {
  const { states } = node;
  if (!isVisible(node)) throw notReady(node, "is not visible", "It is there, but hidden; look at what shows it.");
  // A disabled element can still be pointed at, read and scrolled to.
  if (action.do === "hover" || action.do === "scroll") return;
  if (action.do === "native" && action.action.name.startsWith("scroll")) return;
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
