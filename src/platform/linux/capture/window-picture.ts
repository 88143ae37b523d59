import { ToolError } from "../../../base/errors.ts";
import { intersect, type Rect } from "../../../base/geometry.ts";
import { needBgrx } from "./pixel-layout.ts";
import { windowGone } from "../windows/gone.ts";
import { findTopLevel, getBounds } from "../windows/bounds.ts";
import { getRootBounds } from "./monitors.ts";
import { getOuterRect, isUnderAnother, redirectTopLevels } from "./off-screen.ts";
import { shmPool, type Grab } from "./transfer.ts";
import type { Connection } from "../x11/connection.ts";
import { isGone, XError } from "../x11/errors.ts";
import { findExtension, nameWindowPixmap } from "../x11/extensions.ts";
import { freePixmap, getGeometry, getWindowAttributes } from "../x11/requests.ts";

export interface Picture {
  readonly grab: Grab;
  readonly bounds: Rect;
}

/** The window as a person sees it, even if others cover it or it extends beyond the screen. */
export async function captureWindow(c: Connection, id: number, signal: AbortSignal | undefined): Promise<Picture> {
  try {
    const [attributes, placement, topLevel] = await Promise.all([
      getWindowAttributes(c, id, { signal }),
      getBounds(c, id, { signal }),
      findTopLevel(c, id, { signal }),
    ]);
    if (attributes.mapState !== "viewable" || attributes.isInputOnly) throw notShown(id);
    if (!(await findExtension(c, "Composite"))) return await cropFromScreen(c, id, topLevel, placement.bounds, signal);
    await redirectTopLevels(c, topLevel, signal);
    return await grabTopLevel(c, topLevel, placement.bounds, signal);
  } catch (error) {
    if (isGone(error)) throw windowGone(id, error);
    // It was minimised or closed just before its pixmap was named.
    if (error instanceof XError && error.codeName === "BadMatch") throw notShown(id, error);
    throw error;
  }
}

async function grabTopLevel(
  c: Connection,
  topLevel: number,
  bounds: Rect,
  signal: AbortSignal | undefined,
): Promise<Picture> {
  const pixmap = await nameWindowPixmap(c, topLevel, { signal });
  try {
    // The pixmap keeps its size, whatever happens to the window now.
    const [size, outer] = await Promise.all([getGeometry(c, pixmap, { signal }), getOuterRect(c, topLevel)]);
    needBgrx(c, size.depth);
    const whole = { x: outer.x, y: outer.y, width: size.width, height: size.height };
    const shown = intersect(bounds, whole) ?? whole;
    const inside = { ...shown, x: shown.x - whole.x, y: shown.y - whole.y };
    const pool = await shmPool(c);
    return { grab: await pool.grab(pixmap, inside, { signal, timeoutMs: 10_000 }), bounds: shown };
  } finally {
    freePixmap(c, pixmap);
  }
}

/** Without Composite a window has no pixels of its own: what the screen shows of it is all there is. */
async function cropFromScreen(
  c: Connection,
  id: number,
  topLevel: number,
  bounds: Rect,
  signal: AbortSignal | undefined,
): Promise<Picture> {
  needBgrx(c, c.setup.rootDepth);
  const shown = intersect(bounds, await getRootBounds(c, { signal }));
  if (!shown) throw notShown(id);
  const pool = await shmPool(c);
  const needUncovered = async (): Promise<void> => {
    // The pixels of another window, perhaps of a blocked one, must not pass for this one's.
    if (await isUnderAnother(c, topLevel, shown)) throw coveredWithoutComposite(c, id);
  };
  await needUncovered();
  const grab = await pool.grab(c.root, shown, { signal, timeoutMs: 10_000 });
  try {
    await needUncovered();
    return { grab, bounds: shown };
  } catch (error) {
    grab[Symbol.dispose]();
    throw error;
  }
}

function notShown(id: number, cause?: unknown): ToolError {
  return new ToolError("not_supported", `Window ${id} is minimised or hidden, so there is no picture of it.`, {
    hint: "Restore the window first, then capture it.",
    ...(cause === undefined ? {} : { cause }),
  });
}

function coveredWithoutComposite(c: Connection, id: number): ToolError {
  return new ToolError(
    "not_supported",
    `Another window covers window ${id}, and the X server of display ${c.displayName} has no Composite extension to see below it.`,
    { hint: "Bring the window to the front (focus_window), then capture it." },
  );
}
