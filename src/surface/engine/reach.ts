import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { contains } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { calm } from "../verify.ts";
import type { GuardedWindow } from "../guard/guarded.ts";
import { isPopup } from "../popups.ts";
import type { Subject } from "../state.ts";
import type { Surface } from "../surface.ts";
import type { PerformOptions } from "./action.ts";
import type { Aim } from "./aim.ts";
import { windowAt } from "./place.ts";

/** Raises the window the caller named; otherwise another window may cover the point. */
export async function focusAim(surface: Surface, where: Aim, signal: AbortSignal): Promise<void> {
  if (where.window && !isPopup(where.window)) await surface.ensureFocus(where.window, signal);
}

// A window manager restacks a moment after it has given the focus.
const restackMs = 400;

/** Throws when a press at the point would reach another app's window than the one that was named. */
export async function needOnTop(
  { backend: { windows } }: Surface,
  { window, point }: Aim,
  signal: AbortSignal,
): Promise<void> {
  if (!window || !windows?.takes) return;
  const takes = async ({ id }: WindowInfo): Promise<boolean> => (await windows.takes?.(id, point, { signal })) === true;
  const isOnTop = async () => ((await takes(window)) ? true : undefined);
  if (await poll(isOnTop, { timeoutMs: restackMs, everyMs: 20, signal })) return;
  for (const each of await windows.list({ signal })) {
    if (!each.isVisible || !contains(each.bounds, point) || !(await takes(each))) continue;
    const isOwn = (each.pid !== undefined && each.pid === window.pid) || each.owners?.includes(window.id) === true;
    if (each.id === window.id || isOwn) return;
    throw new ToolError("not_dispatchable", `Window ${each.id} covers this point of window ${window.id}.`, {
      hint: "Nothing was pressed. Move or close what covers it, or act on that instead.",
    });
  }
}

/** A native press reaches a window behind its modal dialog, where no hand can press anything. */
export async function needNoDialog(
  { backend: { windows } }: Surface,
  windowId: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (windowId === undefined || !windows) return;
  const isOver = ({ isModal, isVisible, owners }: WindowInfo): boolean =>
    isModal === true && isVisible && owners?.includes(windowId) === true;
  const dialog = (await windows.list({ signal })).find(isOver);
  if (!dialog) return;
  throw new ToolError("not_dispatchable", `Window ${windowId} is blocked by its dialog, window ${dialog.id}.`, {
    hint: `Act in the dialog (window_id ${dialog.id}), or close it first; delivery "background" presses all the same.`,
  });
}

/** Moves the pointer to its final position first, so that the hover drawn there does not count as an effect. */
export async function settleAt(surface: Surface, where: Aim, subject: Subject, signal: AbortSignal): Promise<void> {
  await surface.need("pointer").move(where.point, { signal });
  await calm(surface, subject, signal);
}

/**
 * Throws when input would reach a window that the policy decision did not cover: a person may have taken minutes to
 * answer, and windows come and go. Without a point, it checks the keyboard focus.
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
