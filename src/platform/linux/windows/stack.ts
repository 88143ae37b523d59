import { ToolError } from "../../../base/errors.ts";
import type { WindowInfo } from "../../backend.ts";
import type { WindowDetails } from "./details.ts";
import { listWindows } from "./list.ts";
import { settle, timeoutMs, type WindowRequest } from "./request.ts";
import { until } from "./until.ts";
import { askWindowManager, fromPager } from "./manager.ts";
import { configureWindow, setInputFocus } from "../x11/requests.ts";
import { serverTime } from "../x11/watch.ts";

/** Stack modes of ConfigureWindow and `_NET_RESTACK_WINDOW`. */
const above = 0;
const below = 1;

export async function focus(request: WindowRequest): Promise<void> {
  await activate(request);
  try {
    await settle(request, "give the focus to", ({ info }) => info.isForeground && info.isVisible);
  } catch (error) {
    const dialog = request.signal?.aborted ? undefined : await dialogOf(request);
    if (!dialog) throw error;
    throw new ToolError("not_dispatchable", `Window ${request.id} is blocked by its dialog, window ${dialog.id}.`, {
      hint: `Act in the dialog (window_id ${dialog.id}), or close it first.`,
      cause: error,
    });
  }
}

/** The dialog of the window that has the focus instead. */
async function dialogOf({ c, id, signal }: WindowRequest): Promise<WindowInfo | undefined> {
  const windows = await listWindows(c, { signal });
  const owner = windows.find(({ info }) => info.id === id)?.info.pid;
  const isOwn = ({ info, transientFor }: WindowDetails): boolean =>
    transientFor === id || (info.kind === "dialog" && info.pid !== undefined && info.pid === owner);
  return windows.find((each) => each.info.isForeground && each.info.id !== id && isOwn(each))?.info;
}

export async function activate({ c, id, manager, signal }: WindowRequest): Promise<void> {
  const time = await serverTime(c, { signal });
  if (manager) return askWindowManager(c, id, "_NET_ACTIVE_WINDOW", [fromPager, time, 0], { signal });
  await configureWindow(c, id, { stackMode: above }, { signal });
  await setInputFocus(c, id, time, { signal });
}

export async function bringToFront(request: WindowRequest): Promise<void> {
  const { c, id, signal } = request;
  await focus(request);
  const isTopmost = async () => {
    const windows = await listWindows(c, { signal });
    const own = windows.findIndex(({ info }) => info.id === id);
    return !windows.slice(0, own).some((other) => isOrdinary(other) && other.transientFor !== id);
  };
  await restack(request, above, isTopmost);
}

export async function sendToBack(request: WindowRequest): Promise<void> {
  const { c, id, signal } = request;
  const isLowest = async () => {
    const windows = await listWindows(c, { signal });
    const own = windows.findIndex(({ info }) => info.id === id);
    return !windows.slice(own + 1).some(isOrdinary);
  };
  await restack(request, below, isLowest);
}

/** Panels, the desktop, menus and windows kept on top have their own layers. */
const isOrdinary = ({ info, isAbove }: WindowDetails): boolean =>
  info.isVisible && !isAbove && (info.kind === "normal" || info.kind === "dialog");

async function restack(request: WindowRequest, mode: number, isDone: () => Promise<boolean>): Promise<void> {
  const { c, id, manager, signal } = request;
  if (await isDone()) return;
  const message = "_NET_RESTACK_WINDOW";
  if (manager?.supported.has(await c.atom(message))) {
    await askWindowManager(c, id, message, [fromPager, 0, mode], { signal });
    if (await until(c, id, isDone, { timeoutMs: timeoutMs / 4, signal })) return;
  }
  // Some window managers advertise the message and ignore it, but all handle this request.
  await configureWindow(c, id, { stackMode: mode }, { signal });
  await settle(request, mode === above ? "raise" : "lower", isDone);
}
