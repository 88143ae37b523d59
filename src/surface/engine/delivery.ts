import { ToolError } from "../../base/errors.ts";
import type { NodeActionName, UiNode } from "../../base/node.ts";
import { quote } from "../../base/quote.ts";
import type { Pressing } from "../../platform/backend.ts";
import type { Surface } from "../surface.ts";
import type { Delivery, Dispatch } from "./action.ts";
import type { Place } from "./place.ts";

const rows: ReadonlySet<string> = new Set(["row", "listitem", "treeitem", "cell"]);

/** The native action that is equivalent to a plain click on this element. */
export function clickAction(node: UiNode, { opensRows }: Pressing = {}): NodeActionName | undefined {
  const can = (name: NodeActionName): boolean => node.actions.includes(name);
  if (rows.has(node.role) && can("select") && (opensRows || !can("press"))) return "select";
  if (can("press")) return "press";
  if (can("toggle")) return "toggle";
  return node.role === "tab" && can("select") ? "select" : undefined;
}

/**
 * How to press the element without the pointer; undefined when that is not wanted or not possible. With `auto`, a
 * point is clicked with the pointer: the caller pointed at pixels, which the app may draw itself.
 */
export async function pressNatively(
  surface: Surface,
  wanted: Delivery,
  place: Place,
  node: UiNode | undefined,
  signal: AbortSignal,
): Promise<(() => Promise<Dispatch>) | undefined> {
  if (!node || wanted === "foreground" || (wanted === "auto" && !place.node)) return undefined;
  const { elements } = surface.backend;
  if (wanted === "auto" && elements?.pressing?.breaksMenus && isShownMenu(node)) return undefined;
  const isHidden = isCellOutOfSight(node);
  if (wanted === "auto" && isHidden && surface.can("keyboard")) return undefined;
  const name = isHidden ? "focus" : clickAction(node, elements?.pressing);
  if (wanted === "auto" && isOnScreen(node) && isLess(node, name, elements?.pressing)) return undefined;
  if (!elements || name === undefined || name === "set_value") return undefined;
  if (!node.states.includes("enabled")) {
    throw new ToolError("not_dispatchable", `${node.role} ${quote(node.name)} is disabled.`, {
      hint: "Something else has to be done first; look at what the app wants.",
    });
  }
  return async () => {
    const { via } = await elements.perform(node.runtimeId, { name }, { signal });
    return { method: "ax", via, warning: name === "focus" ? outOfSight : lessThanClick(node, name) };
  };
}

const outOfSight = "It is scrolled out of view, so it was made the current cell natively. Keys go to it now.";

/** The native action does less than a person's click. */
function isLess(node: UiNode, name: NodeActionName | undefined, pressing: Pressing | undefined): boolean {
  return node.needsClick === true || (name === "select" && rows.has(node.role) && pressing?.selectsOnly === true);
}

/** For the caller of a native action that sets a state without a click. */
export function lessThanClick({ needsClick }: UiNode, name: NodeActionName): string | undefined {
  if (!needsClick || (name !== "press" && name !== "toggle")) return undefined;
  return "Its state was set natively, which the app may not take for a click. If nothing follows, use click.";
}

const isOnScreen = ({ states, clickPoint }: UiNode): boolean => states.includes("showing") && clickPoint !== undefined;

/** A click makes the cell of a sheet the current one. Selecting it natively marks it, and typing goes to another. */
export const isCellOutOfSight = (node: UiNode): boolean =>
  node.role === "cell" && node.states.includes("editable") && node.actions.includes("focus") && !isOnScreen(node);

/** Some apps open a menu natively as a key does, with its first entry chosen. */
const isShownMenu = (node: UiNode): boolean => (node.role === "menuitem" || node.role === "menu") && isOnScreen(node);

const refusals: ReadonlySet<string> = new Set(["not_dispatchable", "pattern_unsupported", "ax_error"]);

/** The native way, or the other one if the app refuses before anything was done. */
export async function orElse<T>(native: () => Promise<T>, other: (reason: ToolError) => Promise<T>): Promise<T> {
  try {
    return await native();
  } catch (error) {
    const isRefused = error instanceof ToolError && refusals.has(error.code);
    if (isRefused) return other(error);
    throw error;
  }
}
