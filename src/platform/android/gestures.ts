import type { Touch } from "../backend.ts";
import type { AndroidDevice } from "./device.ts";
import { pidOfDisplay, windowOfDisplay } from "./identity.ts";

/** The finger and the keys of a device. */
export function touchOf(device: AndroidDevice): Touch {
  const sent = async (via: Promise<string>) => ({ method: "adb", via: await via }) as const;
  return {
    shown: (displayId = 0) => ({ windowId: windowOfDisplay(displayId), pid: pidOfDisplay(displayId) }),
    tap: (at, options = {}) => sent(device.tap(at, options)),
    swipe: (from, to, options) => sent(device.swipe(from, to, options)),
    press: (key, { displayId: display, ...options } = {}) =>
      sent(device.press(device.keyCode(key), { ...options, display })),
    type: (text, { displayId: display, ...options } = {}) => sent(device.type(text, { ...options, display })),
  };
}
