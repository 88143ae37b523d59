import { ToolError } from "../../../base/errors.ts";
import type { CallOptions, WindowChange } from "../../backend.ts";
import { close } from "./close.ts";
import { windowGone } from "./gone.ts";
import { moveOrResize } from "./move.ts";
import { look, type WindowRequest } from "./request.ts";
import { bringToFront, focus, sendToBack } from "./stack.ts";
import { maximize, minimize, restore } from "./state.ts";
import { findWindowManager } from "./manager.ts";
import type { Connection } from "../x11/connection.ts";
import { isGone, XError } from "../x11/errors.ts";

/** Asks the window manager and waits until it has acted; without one, makes the change itself if X allows it. */
export async function changeWindow(
  c: Connection,
  id: number,
  change: WindowChange,
  options: CallOptions,
): Promise<void> {
  try {
    const [before, manager] = await Promise.all([look(c, id, options), findWindowManager(c, options)]);
    if (!before) throw windowGone(id);
    if (manager && !before.isManaged) {
      throw new ToolError(
        "not_supported",
        `Window ${id} is a ${before.info.kind} outside the window manager's control.`,
        {
          hint: "Act on the window it belongs to.",
        },
      );
    }
    await carryOut({ c, id, before, manager, ...options }, change);
  } catch (error) {
    if (isGone(error)) throw windowGone(id, error);
    if (error instanceof XError) {
      throw new ToolError(
        "not_supported",
        `Display ${c.displayName} refused to ${change.to} window ${id}: ${error.message}`,
        {
          cause: error,
        },
      );
    }
    throw error;
  }
}

function carryOut(request: WindowRequest, change: WindowChange): Promise<void> {
  switch (change.to) {
    case "focus":
      return focus(request);
    case "front":
      return bringToFront(request);
    case "back":
      return sendToBack(request);
    case "minimize":
      return minimize(request);
    case "restore":
      return restore(request);
    case "maximize":
      return maximize(request);
    case "close":
      return close(request);
    case "move":
    case "resize":
      return moveOrResize(request, change);
  }
}
