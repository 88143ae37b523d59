import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { clampInto, contains, screenPoint, type Rect, type ScreenPoint } from "../../base/geometry.ts";
import type { Button, CallOptions, Pointer } from "../backend.ts";
import type { AndroidDevice } from "./device.ts";

// ViewConfiguration: a press becomes a long press after 400 to 500 ms.
export const longPressMs = 700;
// Slow enough not to be a fling, so that a list stops where the finger does.
const scrollMs = 400;
const dragMs = 500;
// Swipes that start at the very edge belong to the system: back, home, notifications.
const edge = 0.12;
const screenPerNotch = 0.1;

/** A finger: press, move and release are sent as one gesture on release. */
export function pointerOf(device: AndroidDevice): Pointer {
  let at = screenPoint(0, 0);
  let pressed: { readonly from: ScreenPoint; readonly since: number; readonly button: Button } | undefined;
  const touch = async (button: Button, options: CallOptions): Promise<void> => {
    if (button === "left") await device.tap(at, options);
    else if (button === "right") await device.swipe(at, at, { ...options, durationMs: longPressMs });
    else if (button === "back") await device.press("KEYCODE_BACK", options);
    else throw new ToolError("not_supported", `A touch screen has no ${button} button.`);
  };
  return {
    position: async () => at,
    async move(to, { signal } = {}) {
      throwIfCancelled(signal);
      at = to;
    },
    async down(button, { signal } = {}) {
      throwIfCancelled(signal);
      pressed = { from: at, since: performance.now(), button };
    },
    async up(button, options = {}) {
      const was = pressed;
      pressed = undefined;
      if (was?.button !== button) return;
      const isStill = Math.abs(was.from.x - at.x) < 8 && Math.abs(was.from.y - at.y) < 8;
      const heldMs = performance.now() - was.since;
      if (!isStill) await device.swipe(was.from, at, { ...options, durationMs: Math.max(dragMs, heldMs) });
      else if (heldMs > longPressMs) await device.swipe(at, at, { ...options, durationMs: heldMs });
      else await touch(button, options);
    },
    tap: (button, options = {}) => touch(button, options),
    wheel: ({ x, y }, options = {}) => scroll(device, at, { x, y }, options),
  };
}

async function scroll(
  device: AndroidDevice,
  at: ScreenPoint,
  notches: { readonly x: number; readonly y: number },
  options: CallOptions,
): Promise<void> {
  const { panels, main } = await device.glance(options);
  const { bounds: screen } = panels.find(({ bounds }) => contains(bounds, at)) ?? main;
  const inner: Rect = {
    x: screen.x + Math.round(screen.width * edge),
    y: screen.y + Math.round(screen.height * edge),
    width: Math.round(screen.width * (1 - 2 * edge)),
    height: Math.round(screen.height * (1 - 2 * edge)),
  };
  const centre = contains(screen, at) && (at.x !== 0 || at.y !== 0) ? at : middleOf(screen);
  let [left, down] = [notches.x * screenPerNotch * screen.width, notches.y * screenPerNotch * screen.height];
  while (Math.abs(left) >= 1 || Math.abs(down) >= 1) {
    const across = Math.sign(left) * Math.min(Math.abs(left), inner.width);
    const along = Math.sign(down) * Math.min(Math.abs(down), inner.height);
    // The content follows the finger, so the finger moves the other way.
    const start = clampInto(inner, { x: centre.x + across / 2, y: centre.y + along / 2 });
    const end = clampInto(inner, { x: start.x - across, y: start.y - along });
    const from = { x: end.x + across, y: end.y + along };
    await device.swipe(screenPoint(from.x, from.y), screenPoint(end.x, end.y), { ...options, durationMs: scrollMs });
    left -= across;
    down -= along;
  }
}

export const middleOf = ({ x, y, width, height }: Rect): ScreenPoint =>
  screenPoint(Math.floor(x + width / 2), Math.floor(y + height / 2));
