import { sameRect, type Rect } from "../../../base/geometry.ts";
import type { WindowDetails } from "./details.ts";
import { needManager, refused, settle, type WindowRequest } from "./request.ts";
import { activate } from "./stack.ts";
import { askWindowManager, fromPager } from "./manager.ts";

export async function minimize(request: WindowRequest): Promise<void> {
  const { c, id, before, signal } = request;
  if (before.info.isMinimized) return;
  needManager(request, "minimise");
  if (!before.info.canMinimize) throw refused(request, "minimised");
  const iconic = 3;
  await askWindowManager(c, id, "WM_CHANGE_STATE", [iconic], { signal });
  await settle(request, "minimise", ({ info }) => info.isMinimized);
}

export async function restore(request: WindowRequest): Promise<void> {
  const { info } = request.before;
  if (info.isMinimized) {
    await activate(request);
    await settle(request, "restore", ({ info }) => !info.isMinimized && info.isVisible);
  } else if (info.isMaximized || info.isFullscreen) {
    await unmaximize(request);
  }
}

export async function maximize(request: WindowRequest): Promise<void> {
  const { before } = request;
  needManager(request, "maximise");
  if (before.info.isMaximized && !before.info.isMinimized) return;
  if (!before.info.canMaximize) throw refused(request, "maximised");
  if (before.info.isMinimized) await restore(request);
  await setMaximized(request, 1);
  await settle(
    request,
    "maximise",
    resting(({ info }) => info.isMaximized),
  );
}

export async function unmaximize(request: WindowRequest): Promise<void> {
  needManager(request, "restore");
  await setMaximized(request, 0);
  await askWindowManager(request.c, request.id, "_NET_WM_STATE", [
    0,
    await request.c.atom("_NET_WM_STATE_FULLSCREEN"),
    0,
    fromPager,
  ]);
  await settle(
    request,
    "restore",
    resting(({ info }) => !info.isMaximized && !info.isFullscreen),
  );
}

async function setMaximized({ c, id, signal }: WindowRequest, action: 0 | 1): Promise<void> {
  const atoms = await c.atoms("_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_MAXIMIZED_VERT");
  const { _NET_WM_STATE_MAXIMIZED_HORZ: wide, _NET_WM_STATE_MAXIMIZED_VERT: high } = atoms;
  await askWindowManager(c, id, "_NET_WM_STATE", [action, wide, high, fromPager], { signal });
}

/**
 * Window managers announce the state first and then move the frame and the client one after the other: wait until
 * both are at rest.
 */
function resting(isInState: (now: WindowDetails) => boolean): (now: WindowDetails) => boolean {
  const restMs = 60;
  let last: Rect | undefined;
  let since = 0;
  return ({ info, ...rest }) => {
    const isSame = isInState({ info, ...rest }) && last !== undefined && sameRect(last, info.bounds);
    last = info.bounds;
    if (!isSame) since = performance.now();
    return isSame && performance.now() - since >= restMs;
  };
}
