import { withAnySignal } from "../../base/async.ts";
import type { ScreenPoint } from "../../base/geometry.ts";
import type { Key } from "../../base/keys.ts";
import type { Apps, Button, Keyboard, Pointer, Touch, Windows } from "../../platform/backend.ts";
import { needOpen, noSuchWindow } from "../choose-window.ts";
import { hide, type BlockedWindows } from "./blocked.ts";
import type { GuardedWindows } from "./guarded.ts";

// A drag of many small steps must not list all windows before each one.
const maxAgeMs = 50;

/** A pointer that is kept off windows that must not be used. Letting go of what was pressed is always allowed. */
export function guardPointer(pointer: Pointer, windows: BlockedWindows): Pointer {
  const needUsableHere = (signal: AbortSignal | undefined): Promise<void> =>
    windows.needUsableAt(() => pointer.position({ signal }), "input", { signal, maxAgeMs });
  // While a button is held, a move ends in a drop.
  const held = new Set<Button>();
  // Letting go of a button that was never pressed would drop what a person is dragging.
  const refused = new Set<Button>();
  const tap = pointer.tap?.bind(pointer);
  return {
    position: (options) => pointer.position(options),
    async move(to, options = {}) {
      const by = held.size > 0 ? "input" : "passing";
      await windows.needUsableAt(to, by, { signal: options.signal, maxAgeMs });
      await pointer.move(to, options);
    },
    async down(button, options = {}) {
      refused.add(button);
      await needUsableHere(options.signal);
      refused.delete(button);
      held.add(button);
      await pointer.down(button, options);
    },
    async up(button, options) {
      held.delete(button);
      if (refused.delete(button)) return;
      await pointer.up(button, options);
    },
    ...(tap
      ? {
          async tap(button, options = {}) {
            await needUsableHere(options.signal);
            await tap(button, options);
          },
        }
      : {}),
    async wheel(notches, options = {}) {
      await needUsableHere(options.signal);
      await pointer.wheel(notches, options);
    },
  };
}

/** Keys go to whatever has the focus, so check that window. */
export function guardKeyboard(keyboard: Keyboard, windows: BlockedWindows): Keyboard {
  const refused = new Set<Key>();
  return {
    async down(key, options = {}) {
      refused.add(key);
      await windows.needUsableFocus({ signal: options.signal, maxAgeMs });
      refused.delete(key);
      await keyboard.down(key, options);
    },
    async up(key, options) {
      if (!refused.delete(key)) await keyboard.up(key, options);
    },
    async text(text, options = {}) {
      await windows.read(options);
      await windows.needUsableFocus({ signal: options.signal, maxAgeMs });
      await whileUsable(windows, options.signal, (signal) => keyboard.text(text, { ...options, signal }));
    },
  };
}

/** The device itself refuses touches on a blocked app; this checks the other limits. */
export function guardTouch(touch: Touch, windows: BlockedWindows): Touch {
  const needUsable = async (at: ScreenPoint, signal: AbortSignal | undefined): Promise<void> => {
    if (windows.hasLimits) await windows.needUsableAt(at, "input", { signal, maxAgeMs });
  };
  return {
    shown: (displayId) => touch.shown(displayId),
    async tap(at, options = {}) {
      await needUsable(at, options.signal);
      return touch.tap(at, options);
    },
    async swipe(from, to, options) {
      for (const at of [from, to]) await needUsable(at, options.signal);
      return touch.swipe(from, to, options);
    },
    press: (key, options) => touch.press(key, options),
    type: (text, options) => touch.type(text, options),
  };
}

// A prompt accepts no answer until it has been shown ten times as long.
const lookEveryMs = 50;

/** Stops typing when the focus moves to a window that must not be used. */
async function whileUsable(
  windows: BlockedWindows,
  outer: AbortSignal | undefined,
  type: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const refused = new AbortController();
  const look = async (): Promise<void> => {
    try {
      await windows.needUsableFocus({ signal: outer, maxAgeMs });
    } catch (error) {
      refused.abort(error);
    }
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  try {
    await withAnySignal([...(outer ? [outer] : []), refused.signal], type);
  } catch (error) {
    throw refused.signal.aborted && outer?.aborted !== true ? refused.signal.reason : error;
  } finally {
    clearInterval(timer);
  }
}

export function guardWindows(windows: Windows, blocked: BlockedWindows): GuardedWindows {
  const drained = windows.drained?.bind(windows);
  const takes = windows.takes?.bind(windows);
  return {
    list: async (options) => (await blocked.read(options)).map(hide),
    // An id that is not listed may be a part of a blocked window.
    get: async (id, options) => {
      const window = (await blocked.read(options)).find((each) => each.id === id);
      return window && hide(window);
    },
    active: (options) => windows.active(options),
    async change(id, change, options) {
      if ((await blocked.blocked(options)).some((window) => window.id === id)) throw noSuchWindow(id);
      await blocked.needUsableOwner({ id }, "passing", { signal: options?.signal });
      await windows.change(id, change, options);
    },
    ...(drained ? { drained } : {}),
    ...(takes ? { takes } : {}),
  };
}

/** Apps without those whose windows are all blocked: whoever may not see an app need not know that it runs. */
export function guardApps(apps: Apps, windows: BlockedWindows): Apps {
  const resolve = apps.resolve?.bind(apps);
  const written = apps.written?.bind(apps);
  return {
    ...(resolve ? { resolve } : {}),
    ...(written ? { written } : {}),
    async running(options) {
      const [running, blocked] = await Promise.all([apps.running(options), windows.blocked(options)]);
      const ids = new Set(blocked.map(({ id }) => id));
      return running.flatMap((app) => {
        const windowIds = app.windowIds.filter((id) => !ids.has(id));
        return windowIds.length === 0 && app.windowIds.length > 0 ? [] : [{ ...app, windowIds }];
      });
    },
    installed: (options) => apps.installed(options),
    launch: (app, args, options) => apps.launch(app, args, options),
    async quit(pid, options) {
      const own = (await windows.blocked(options)).find((window) => window.pid === pid);
      if (own) needOpen(own);
      await windows.needUsableOwner({ pid }, "passing", { signal: options?.signal });
      await apps.quit(pid, options);
    },
  };
}
