import type { Backend, Finding } from "../backend.ts";
import { appsOf } from "./apps.ts";
import { clipboardOf } from "./clipboard.ts";
import { FakeDesktop, type FakeOptions } from "./desktop.ts";
import { FakeEvents } from "./events.ts";
import { inputOf } from "./input.ts";
import { keyboardOf } from "./keyboard.ts";
import { overlayOf } from "./overlay.ts";
import { pointerOf } from "./pointer.ts";
import { FakeScreen } from "./screen.ts";
import { windowsOf } from "./windows.ts";

export interface FakeBackend extends Backend {
  readonly desktop: FakeDesktop;
}

/** A scripted desktop in memory with the full contract: the reference implementation, used by unit tests. */
export function openFake(options: FakeOptions = {}): FakeBackend {
  const desktop = new FakeDesktop(options);
  const { elements } = desktop;
  const pointer = pointerOf(desktop);
  const keyboard = keyboardOf(desktop);
  return {
    id: "fake",
    desktop,
    screen: new FakeScreen(desktop),
    pointer,
    keyboard,
    input: inputOf(desktop),
    windows: windowsOf(desktop),
    apps: appsOf(desktop),
    clipboard: clipboardOf(desktop),
    overlay: overlayOf(desktop),
    ...(elements ? { elements, events: new FakeEvents(desktop, elements) } : {}),
    diagnose: async (): Promise<readonly Finding[]> => [
      { ability: "connection", status: "ok", detail: "A desktop in memory; nothing real is touched." },
    ],
    async [Symbol.asyncDispose]() {
      desktop.grab = undefined;
      for (const button of desktop.buttonsDown) await pointer.up(button);
      for (const key of desktop.keysDown) await keyboard.up(key);
    },
  };
}
