import type { Backend } from "../backend.ts";
import { Guardian } from "../guardian.ts";
import { Win32Apps } from "./apps.ts";
import { AutomationChannel } from "./automation/channel.ts";
import { findRungs } from "./automation/finding.ts";
import { Win32Clipboard } from "./clipboard.ts";
import { diagnose } from "./diagnose.ts";
import { WindowsElements } from "./elements.ts";
import { WindowsEvents } from "./events.ts";
import { HookedInput } from "./input.ts";
import { Win32Keyboard } from "./keyboard.ts";
import { MessageThread } from "./messages/thread.ts";
import { LayeredOverlay } from "./overlay.ts";
import { Win32Pointer } from "./pointer.ts";
import { GdiScreen } from "./screen.ts";
import { win32 } from "./win32.ts";
import { Win32Windows } from "./windows.ts";

export interface WindowsOptions {
  /** Keys of the emergency stop, watched from the first action on. */
  readonly stopKeys?: string | undefined;
}

const perMonitorAware = -4;
let isAware = false;

/** The desktop of the session that this process runs in. */
export function openWindows(env: NodeJS.ProcessEnv, { stopKeys = "" }: WindowsOptions = {}): Backend {
  // Before the first window call: afterwards Windows keeps telling scaled sizes.
  if (!isAware) win32().setDpiAwareness?.(perMonitorAware);
  isAware = true;
  const messages = new MessageThread();
  const automation = new AutomationChannel(() => events.resume());
  const events = new WindowsEvents(automation);
  const windows = new Win32Windows();
  const guardian = new Guardian(new URL("./input/guardian-process.js", import.meta.url), env, stopKeys);
  const keyboard = new Win32Keyboard(guardian);
  const pointer = new Win32Pointer(guardian);
  const clipboard = new Win32Clipboard(messages);
  const overlay = new LayeredOverlay(messages);
  const screen = new GdiScreen((work) => overlay.without(work));
  overlay.attach(screen);
  return {
    id: "windows",
    screen,
    windows,
    keyboard,
    pointer,
    input: new HookedInput(messages),
    clipboard,
    traces: (windowId, options) => clipboard.copies(windowId, options),
    apps: new Win32Apps({ env, windows }),
    elements: new WindowsElements(automation),
    events,
    overlay,
    diagnose: async () => [...(await diagnose(overlay)), await findRungs(automation)],
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([keyboard, pointer, overlay, automation].map((part) => part[Symbol.asyncDispose]()));
      guardian[Symbol.dispose]();
      await messages[Symbol.asyncDispose]();
    },
  };
}
