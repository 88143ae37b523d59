import { ToolError } from "../../../base/errors.ts";
import type { CallOptions } from "../../backend.ts";
import { getDetails, type WindowDetails } from "./details.ts";
import { getSurroundings } from "./list.ts";
import { windowGone } from "./gone.ts";
import { until } from "./until.ts";
import type { WindowManager } from "./manager.ts";
import type { Connection } from "../x11/connection.ts";

/** How long a window manager may take to do what it was asked. */
export const timeoutMs = 2000;

/** A change to one window, in progress. */
export interface WindowRequest extends CallOptions {
  readonly c: Connection;
  readonly id: number;
  readonly before: WindowDetails;
  readonly manager: WindowManager | undefined;
}

export async function look(c: Connection, id: number, options: CallOptions): Promise<WindowDetails | undefined> {
  return getDetails(c, id, await getSurroundings(c, options), options);
}

/** Waits until the change is visible; `where` adds what is seen instead to the error message. */
export async function settle(
  { c, id, manager, signal }: WindowRequest,
  verb: string,
  isDone: (now: WindowDetails) => boolean | Promise<boolean>,
  where?: () => string,
): Promise<void> {
  const check = async () => {
    const now = await look(c, id, { signal });
    if (!now) throw windowGone(id);
    return isDone(now);
  };
  if (await until(c, id, check, { timeoutMs, signal })) return;
  const who = manager
    ? `The window manager (${manager.name})`
    : `Display ${c.displayName}, which has no window manager,`;
  const state = where ? ` ${where()}` : "";
  throw new ToolError("timeout", `${who} did not ${verb} window ${id} within ${timeoutMs} ms.${state}`, {
    hint: "Look at the window before trying again.",
  });
}

export function needManager({ c, id, manager }: WindowRequest, verb: string): void {
  if (manager) return;
  throw new ToolError(
    "not_supported",
    `Nobody can ${verb} window ${id}: display ${c.displayName} has no window manager.`,
    {
      hint: "Start one, for example openbox.",
    },
  );
}

export function refused({ id, manager }: WindowRequest, participle: string): ToolError {
  return new ToolError(
    "not_supported",
    `Window ${id} cannot be ${participle}: ${manager?.name ?? "its manager"} does not allow it.`,
  );
}
