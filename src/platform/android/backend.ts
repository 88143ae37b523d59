import { ToolError } from "../../base/errors.ts";
import type { Apps, Backend } from "../backend.ts";
import type { AndroidDevice } from "./device.ts";
import { elementsOf } from "./elements.ts";
import { pidOfDisplay, windowOfDisplay } from "./identity.ts";
import { touchOf } from "./gestures.ts";
import { keyboardOf } from "./keyboard.ts";
import { pointerOf } from "./pointer.ts";
import { screenOf } from "./screen.ts";
import { windowsOf } from "./windows.ts";

/** A device as a surface: its displays are the screen, the apps in front are the windows, a finger is the pointer. */
export function deviceBackend(device: AndroidDevice): Backend {
  return {
    id: `android ${device.serial}`,
    screen: screenOf(device),
    pointer: pointerOf(device),
    keyboard: keyboardOf(device),
    touch: touchOf(device),
    windows: windowsOf(device),
    elements: elementsOf(device),
    apps: appsOf(device),
    diagnose: async () => [
      {
        ability: "connection",
        status: "ok",
        detail: `${device.serial}: ${device.facts.model}, Android ${device.facts.android}`,
      },
    ],
    [Symbol.asyncDispose]: async () => {},
  };
}

function appsOf(device: AndroidDevice): Apps {
  return {
    async running(options = {}) {
      const front = await device.foreground(options);
      return front
        ? [{ name: front.package, pid: pidOfDisplay(0), executable: front.activity, windowIds: [windowOfDisplay(0)] }]
        : [];
    },
    installed: async (options = {}) =>
      (await device.apps({ ...options, all: false })).map((name) => ({ id: name, name, executable: name })),
    async launch(app, args, options = {}) {
      if (args.length > 0) throw new ToolError("not_supported", "Android apps take no arguments.");
      await device.launch(app, options);
      return { pid: pidOfDisplay(0) };
    },
    async quit() {
      throw new ToolError("not_supported", "Android apps can be left but not quit.", {
        hint: "Press KEYCODE_HOME with android_press_key.",
      });
    },
  };
}
