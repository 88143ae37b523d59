import { ToolError } from "../../../base/errors.ts";
import { sameRect, showRect, type Rect } from "../../../base/geometry.ts";
import type { WindowChange } from "../../backend.ts";
import type { WindowDetails } from "./details.ts";
import { windowGone } from "./gone.ts";
import { look, settle, type WindowRequest } from "./request.ts";
import { unmaximize } from "./state.ts";
import { askWindowManager, fromPager } from "./manager.ts";
import { configureWindow, type WindowConfiguration } from "../x11/requests.ts";

/** Moves or resizes so that the visible bounds end up as asked. */
export async function moveOrResize(
  request: WindowRequest,
  change: Extract<WindowChange, { to: "move" | "resize" }>,
): Promise<void> {
  const { c, id, signal } = request;
  const { info } = request.before;
  if ((info.isMaximized || info.isFullscreen) && !info.isMinimized) await unmaximize(request);
  const now = await look(c, id, { signal });
  if (!now) throw windowGone(id);
  const { bounds } = now.info;
  const wanted =
    change.to === "move"
      ? { ...bounds, x: Math.round(change.x), y: Math.round(change.y) }
      : { ...bounds, width: Math.round(change.width), height: Math.round(change.height) };
  if (sameRect(wanted, bounds)) return;
  await requestBounds({ ...request, before: now }, wanted);
  let last = bounds;
  const isThere = ({ info: { bounds: seen } }: WindowDetails) => {
    last = seen;
    return change.to === "move"
      ? seen.x === wanted.x && seen.y === wanted.y
      : seen.width === wanted.width && seen.height === wanted.height;
  };
  await settle(
    request,
    change.to,
    isThere,
    () => `It is now ${showRect(last)}; the app or the screen edge may not allow more.`,
  );
}

async function requestBounds(request: WindowRequest, wanted: Rect): Promise<void> {
  const { c, id, before, manager, signal } = request;
  const { client, info } = before;
  const { bounds } = info;
  const size = {
    width: wanted.width - (bounds.width - client.width),
    height: wanted.height - (bounds.height - client.height),
  };
  if (size.width < 1 || size.height < 1) {
    throw new ToolError(
      "invalid_argument",
      `Window ${id} cannot be ${wanted.width}×${wanted.height}: its frame alone is larger.`,
    );
  }
  const message = "_NET_MOVERESIZE_WINDOW";
  if (manager?.supported.has(await c.atom(message))) {
    const staticGravity = 10;
    const allFour = 0xf << 8;
    const flags = staticGravity | allFour | (fromPager << 12);
    const x = wanted.x + client.x - bounds.x;
    const y = wanted.y + client.y - bounds.y;
    await askWindowManager(c, id, message, [flags, x, y, size.width, size.height], { signal });
    return;
  }
  // Here x and y are the frame's corner; if the app draws its own frame and shadow, that is the client's own corner.
  const values: WindowConfiguration = {
    x: wanted.x + Math.min(0, client.x - bounds.x),
    y: wanted.y + Math.min(0, client.y - bounds.y),
    ...size,
  };
  await configureWindow(c, id, values, { signal });
}
