import type { Backend } from "../backend.ts";
import { AccessibilityBus } from "./atspi/bus.ts";
import { LinuxApps } from "./apps.ts";
import { XClipboard } from "./clipboard.ts";
import { LinuxCommands } from "./commands.ts";
import { diagnose } from "./diagnose.ts";
import { XDisplay } from "./display.ts";
import { AtspiElements } from "./elements.ts";
import { AtspiEvents } from "./events.ts";
import { Guardian } from "../guardian.ts";
import { XInput } from "./input.ts";
import { XKeyboard } from "./keyboard.ts";
import { XOverlay } from "./overlay.ts";
import { XPointer } from "./pointer.ts";
import { XScreen } from "./screen.ts";
import { XWindows } from "./windows.ts";

export interface LinuxOptions {
  /** Keep what was put on the clipboard after the process ends. */
  readonly keepClipboard?: boolean;
  /** Keys of the emergency stop, watched from the first action on. */
  readonly stopKeys?: string | undefined;
  /** Default true; false lets captures show the overlay, to see the leak probe report it. */
  readonly hidesOverlays?: boolean;
}

/** The desktop on the X display that `env` names. Connects on first use. */
export function openLinux(env: NodeJS.ProcessEnv, options: LinuxOptions = {}): Backend {
  const { keepClipboard = false, stopKeys = "", hidesOverlays = true } = options;
  const display = new XDisplay(env);
  const windows = new XWindows(display);
  const guardian = new Guardian(new URL("./input/guardian-process.js", import.meta.url), env, stopKeys);
  const keyboard = new XKeyboard(display, guardian);
  const pointer = new XPointer(display, guardian);
  const accessibility = new AccessibilityBus(env, display);
  const clipboard = new XClipboard(display, { env, keepAfterExit: keepClipboard });
  const screen = new XScreen(display, { hidesOverlays });
  const overlay = new XOverlay(display, screen);
  const commands = new LinuxCommands(env, accessibility, display);
  return {
    id: "linux-x11",
    screen,
    windows,
    keyboard,
    pointer,
    input: new XInput(display),
    clipboard,
    traces: (windowId, options) => clipboard.copies(windowId, options),
    apps: new LinuxApps({ env, windows }),
    elements: new AtspiElements(accessibility, display),
    events: new AtspiEvents(accessibility, display),
    commands,
    overlay,
    diagnose: () => diagnose(display, overlay),
    async [Symbol.asyncDispose]() {
      // Dispose of the parts first: they release keys, buttons and the clipboard over the connection.
      await Promise.allSettled(
        [keyboard, pointer, clipboard, commands, accessibility, overlay].map((part) => part[Symbol.asyncDispose]()),
      );
      guardian[Symbol.dispose]();
      await display[Symbol.asyncDispose]();
    },
  };
}
