import type { Rect } from "../../../base/geometry.ts";
import type { CallOptions } from "../../backend.ts";
import type { XDisplay } from "../display.ts";
import { isOwnPaint } from "../overlay/own-paint.ts";
import { getBounds, findTopLevel } from "../windows/bounds.ts";
import { createDamage, destroyDamage } from "../x11/extensions.ts";
import { isGone } from "../x11/errors.ts";

/** Reports every paint in a window, or anywhere on the screen, with the part of the screen it touched. */
export async function watchDamage(
  display: XDisplay,
  windowId: number | undefined,
  listener: (part: Rect) => void,
  { signal }: CallOptions = {},
): Promise<AsyncDisposable> {
  const c = await display.connect({ signal });
  const drawable = windowId === undefined ? c.root : await findTopLevel(c, windowId, { signal });
  const origin = windowId === undefined ? { x: 0, y: 0 } : (await getBounds(c, drawable, { signal })).client;
  const damage = await createDamage(c, drawable, "every", { signal });
  const stop = c.on((event) => {
    if (event.type !== "DamageNotify" || event.damage !== damage) return;
    // damageproto: the area follows the drawable, the damage and the time.
    const { bytes } = event;
    const part = {
      x: origin.x + bytes.readInt16LE(16),
      y: origin.y + bytes.readInt16LE(18),
      width: bytes.readUInt16LE(20),
      height: bytes.readUInt16LE(22),
    };
    if (!isOwnPaint(c, part, windowId === undefined ? "screen" : "window")) listener(part);
  });
  return {
    async [Symbol.asyncDispose]() {
      stop();
      if (c.isClosed) return;
      // When the window is gone, the server has already freed it.
      await destroyDamage(c, damage).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    },
  };
}
