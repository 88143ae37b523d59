import { poll, sleep, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { contains, showRect, type ScreenPoint } from "../../base/geometry.ts";
import type { Button, CallOptions, Pointer } from "../backend.ts";
import { needReachAt } from "./apps/elevation.ts";
import { screenBounds } from "./capture/monitors.ts";
import { cursorAt, windowAt } from "./input/cursor.ts";
import { drain } from "./input/drain.ts";
import type { Guardian } from "../guardian.ts";
import { wineVersion } from "../native/wine.ts";
import { mouseInput, sendInputs } from "./input/send.ts";
import { win32 } from "./win32.ts";

/** winuser.h: MOUSEEVENTF_… */
const flags = { move: 0x1, wheel: 0x800, sideways: 0x1000, wholeDesktop: 0x4000, absolute: 0x8000 } as const;
const buttons: Readonly<Record<Button, { readonly down: number; readonly up: number; readonly data?: number }>> = {
  left: { down: 0x2, up: 0x4 },
  right: { down: 0x8, up: 0x10 },
  middle: { down: 0x20, up: 0x40 },
  back: { down: 0x80, up: 0x100, data: 1 },
  forward: { down: 0x80, up: 0x100, data: 2 },
};
const swapped: Partial<Record<Button, Button>> = { left: "right", right: "left" };
const isSwappedMetric = 23;
const notch = 120;
const arriveMs = 300;
const looksAtRest = 3;
const betweenLooksMs = 5;
/** A press that follows a movement at once is meant for where it ended. */
const recentMs = 500;
const attempts = 3;
/** Notches sent before checking whether the call was cancelled. */
const notchesAtOnce = 20;

export class Win32Pointer implements Pointer, AsyncDisposable {
  readonly #guardian: Guardian | undefined;
  readonly #held = new Set<Button>();
  #last: { readonly to: { readonly x: number; readonly y: number }; readonly at: number } | undefined;

  constructor(guardian?: Guardian) {
    this.#guardian = guardian;
  }

  async position({ signal }: CallOptions = {}): Promise<ScreenPoint> {
    throwIfCancelled(signal);
    return cursorAt();
  }

  async move(to: ScreenPoint, { signal }: CallOptions = {}): Promise<void> {
    throwIfCancelled(signal);
    const [x, y] = [Math.floor(to.x), Math.floor(to.y)];
    const screen = screenBounds();
    if (!contains(screen, { x, y })) {
      throw new ToolError("out_of_bounds", `Point ${x},${y} is outside the screen (${showRect(screen)}).`);
    }
    const isThere = () => {
      const at = cursorAt();
      return at.x === x && at.y === y;
    };
    for (let attempt = 0; attempt < attempts; attempt++) {
      throwIfCancelled(signal);
      // Wine tells the X server only of what is new to it; from a pixel beside it, the pointer really moves.
      const beside = { x: x === screen.x ? x + 1 : x - 1, y };
      sendInputs(wineVersion() === undefined ? [moved({ x, y })] : [moved(beside), moved({ x, y })]);
      this.#last = { to: { x, y }, at: performance.now() };
      const hasArrived = async () => (isThere() && (await stays(isThere)) ? true : undefined);
      if (await poll(hasArrived, { timeoutMs: arriveMs, everyMs: 1, signal })) return;
      // A person's hand, or rounding at an unusual size of the desktop.
      win32().setCursor(x, y);
      if (isThere()) return;
    }
    const at = cursorAt();
    throw new ToolError("timeout", `The pointer stopped at ${at.x},${at.y} on the way to ${x},${y}.`, {
      hint: "A program confines it, or a person is moving it; try again.",
    });
  }

  async down(button: Button, { signal }: CallOptions = {}): Promise<void> {
    throwIfCancelled(signal);
    needReachAt(cursorAt());
    this.#held.add(button);
    this.#guardian?.begin(`button ${button}`);
    sendInputs([...this.#aim(), press(button, true)]);
  }

  async tap(button: Button, { signal }: CallOptions = {}): Promise<void> {
    throwIfCancelled(signal);
    needReachAt(cursorAt());
    sendInputs([...this.#aim(), press(button, true), press(button, false)]);
  }

  /** The place again, in one batch with the press: under Wine an older movement may still put the pointer back. */
  #aim(): readonly Buffer[] {
    const { to, at } = this.#last ?? { to: undefined, at: 0 };
    return to === undefined || wineVersion() === undefined || performance.now() - at > recentMs ? [] : [moved(to)];
  }

  /** Takes no signal: what is down must be released even if the call was cancelled. */
  async up(button: Button): Promise<void> {
    this.#held.delete(button);
    sendInputs([...this.#aim(), press(button, false)]);
    this.#guardian?.end(`button ${button}`);
  }

  async wheel(notches: { readonly x: number; readonly y: number }, { signal }: CallOptions = {}): Promise<void> {
    needReachAt(cursorAt());
    const turns = [
      // Windows counts away from the person, and to the right.
      { flag: flags.wheel, by: -Math.sign(notches.y), count: Math.round(Math.abs(notches.y)) },
      { flag: flags.sideways, by: Math.sign(notches.x), count: Math.round(Math.abs(notches.x)) },
    ];
    for (const { flag, by, count } of turns) {
      for (let left = count; left > 0; left -= notchesAtOnce) {
        throwIfCancelled(signal);
        const now = Math.min(left, notchesAtOnce);
        sendInputs(Array.from({ length: now }, () => mouseInput({ data: by * notch, flags: flag })));
        const under = windowAt(cursorAt());
        if (under !== 0) drain(under, now);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const button of this.#held) await this.up(button).catch(() => {});
  }
}

/** Under Wine a window that still handles an older movement puts the pointer back for a moment. */
async function stays(isThere: () => boolean): Promise<boolean> {
  if (wineVersion() === undefined) return true;
  for (let look = 0; look < looksAtRest; look++) {
    await sleep(betweenLooksMs);
    drain(windowAt(cursorAt()), 1);
    if (!isThere()) return false;
  }
  return true;
}

/** A person with swapped buttons presses the right one for what apps call left. */
function press(button: Button, isDown: boolean): Buffer {
  const physical = win32().metric(isSwappedMetric) === 0 ? button : (swapped[button] ?? button);
  const { down, up, data = 0 } = buttons[physical];
  return mouseInput({ data, flags: isDown ? down : up });
}

function moved({ x, y }: { readonly x: number; readonly y: number }): Buffer {
  const screen = screenBounds();
  return mouseInput({
    x: toWhole(x - screen.x, screen.width),
    y: toWhole(y - screen.y, screen.height),
    flags: flags.move | flags.absolute | flags.wholeDesktop,
  });
}

/** 65 536 parts of the desktop; rounded up, because Windows rounds down on the way back. */
const toWhole = (at: number, size: number): number => Math.ceil((at * 65_536) / size);
