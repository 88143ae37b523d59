import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { calm } from "../verify.ts";
import type { GuardedWindow } from "../guard/guarded.ts";
import type { Subject } from "../state.ts";
import type { Surface } from "../surface.ts";
import type { PerformOptions } from "./action.ts";
import type { Aim } from "./aim.ts";
import { windowAt } from "./place.ts";

/** A point of a named window is only that window's when it is in front; another one may cover it there. */
export async function focusAim(surface: Surface, where: Aim, signal: AbortSignal): Promise<void> {
  if (where.window) await surface.ensureFocus(where.window, signal);
}

/** The pointer goes to where it will be in the end: what a hover draws there is no effect of what is done then. */
export async function settleAt(surface: Surface, where: Aim, subject: Subject, signal: AbortSignal): Promise<void> {
  await surface.need("pointer").move(where.point, { signal });
  await calm(surface, subject, signal);
}

/**
 * Throws when input would reach another window than those that were decided about: a person may have taken minutes to
 * answer, and windows come and go. Without a point it is about the keyboard.
 */
export async function needDecided(
  surface: Surface,
  { only, signal }: Pick<PerformOptions, "only" | "signal">,
  points: readonly (Aim["point"] | undefined)[],
  node?: UiNode,
): Promise<void> {
  if (!only) return;
  for (const point of points) {
    const window = await windowAt(surface, point, signal);
    if (window && !isDecided(window, only, node)) throw notDecided(window);
  }
}

/** A menu is the window's that it belongs to; an element may be in a window of its app that nobody lists as a menu. */
const isDecided = (window: GuardedWindow, only: readonly WindowInfo[], node: UiNode | undefined): boolean =>
  (node?.pid !== undefined && node.pid === window.pid) ||
  only.some(({ id }) => id === window.id) ||
  (window.belongsTo !== undefined && window.belongsTo.every((owner) => isDecided(owner, only, undefined)));

const notDecided = ({ id }: WindowInfo): ToolError =>
  new ToolError(
    "denied",
    `The input would now reach window ${id}, which is not this call's target; nothing was done.`,
    {
      hint: "Name the target in the call (window_id, uid, or surface for a page), and call again.",
    },
  );
