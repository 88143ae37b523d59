import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { WindowInfo, Windows } from "../backend.ts";
import type { AndroidDevice } from "./device.ts";
import type { Glance, Panel } from "./display.ts";
import { pidOfDisplay, windowOfDisplay } from "./identity.ts";

/** The app in front on each display, as large as the display. */
export function windowsOf(device: AndroidDevice): Windows {
  const list: Windows["list"] = async (options = {}) => {
    // A cached answer returns without waiting, so check the signal here.
    throwIfCancelled(options.signal);
    return (await (options.isFresh ? device.look(options) : device.glance(options))).panels.map(toWindow);
  };
  return {
    list,
    get: async (id, options = {}) => (await list(options)).find((window) => window.id === id),
    active: async () => windowOfDisplay(0),
    async change(id, { to }, options = {}) {
      throwIfCancelled(options.signal);
      const { id: display } = needWindow(await device.glance(options), id);
      if (to === "focus" || to === "front" || to === "restore" || to === "maximize") return;
      if (to === "minimize") {
        await device.press("KEYCODE_HOME", { ...options, display });
        return;
      }
      if (to === "close") {
        await device.press("KEYCODE_BACK", { ...options, display });
        return;
      }
      throw new ToolError("not_supported", `A window on a device cannot be changed with "${to}".`);
    },
  };
}

/** The app in front on a display. */
export function needWindow({ panels }: Glance, windowId: number): Panel {
  const found = panels.find(({ id }) => windowOfDisplay(id) === windowId);
  if (found) return found;
  throw new ToolError("window_gone", `The device has no window ${windowId}.`, {
    hint: "list_windows shows what is in front on each display.",
  });
}

const toWindow = ({ id, front, bounds }: Panel): WindowInfo => ({
  id: windowOfDisplay(id),
  title: front?.activity ?? "",
  appName: front?.package ?? "",
  className: front?.activity ?? "",
  pid: pidOfDisplay(id),
  processName: front?.package ?? "",
  kind: "normal",
  bounds,
  isVisible: true,
  isMinimized: false,
  isMaximized: true,
  isFullscreen: true,
  isForeground: id === 0,
  canMinimize: false,
  canMaximize: false,
  displayId: id,
});
