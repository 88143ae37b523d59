import { ToolError } from "../base/errors.ts";
import type { Device, Devices, Permit } from "../platform/devices.ts";
import type { Rules } from "../policy/rules.ts";
import { needPackage } from "../policy/urls.ts";
import { findBlocked, ruleAgainstTitle } from "../policy/windows.ts";
import type { FindBlocked } from "../surface/guard/blocked.ts";

/** The same devices, on which nobody uses an app that the rules block by its package or activity. */
export function guardDevices(devices: Devices, rules: Rules): Devices {
  if (!restricts(rules)) return devices;
  const guarded = new WeakMap<Device, Device>();
  const guard = (device: Device): Device => {
    const made = guarded.get(device) ?? guardDevice(device, rules);
    guarded.set(device, made);
    return made;
  };
  return {
    list: (options) => devices.list(options),
    connect: async (serial, options) => guard(await devices.connect(serial, options)),
    disconnect: (serial) => devices.disconnect(serial),
    device: (serial) => guard(devices.device(serial)),
    find: (serial) => devices.find(serial),
    diagnose: () => devices.diagnose(),
    [Symbol.asyncDispose]: () => devices[Symbol.asyncDispose](),
  };
}

/** Where every app may be used, finding out which one is in front would only cost time. */
const restricts = ({ packages, allowedWindowPatterns, blockedWindowPatterns }: Rules): boolean =>
  packages.block.length > 0 ||
  blockedWindowPatterns.length > 0 ||
  !packages.allow.includes("*") ||
  !allowedWindowPatterns.includes("*");

/** Which apps in front may not be seen or used, by the rules for titles and packages; undefined where all may. */
export function blockedApps(rules: Rules): FindBlocked | undefined {
  if (!restricts(rules)) return undefined;
  return (windows) => {
    const blocked = new Map(findBlocked(windows, rules));
    for (const window of windows) {
      const rule = window.appName === "" ? undefined : ruleAgainstPackage(window.appName, rules);
      if (rule !== undefined) blocked.set(window, rule);
    }
    return blocked;
  };
}

function guardDevice(device: Device, rules: Rules): Device {
  const permit: Permit = (front) => {
    if (!front) return;
    if (front.package !== "") needPackage(front.package, rules);
    const rule = ruleAgainstTitle(front.activity, rules);
    if (rule === undefined) return;
    throw new ToolError("denied", `${front.activity} is blocked by ${rule}.`, {
      hint: "It can be neither seen nor used. android_press_key KEYCODE_HOME leaves it.",
    });
  };
  return {
    serial: device.serial,
    id: device.id,
    facts: device.facts,
    backend: device.backend,
    get readsElementsQuickly() {
      return device.readsElementsQuickly;
    },
    display: (options) => device.display(options),
    foreground: (options) => device.foreground(options),
    shownPackage: (display) => device.shownPackage(display),
    screenState: (options) => device.screenState(options),
    tap: (at, options) => device.tap(at, { ...options, permit }),
    swipe: (from, to, options) => device.swipe(from, to, { ...options, permit }),
    keyCode: (name) => device.keyCode(name),
    press(keyCode, options) {
      // Going home is how one leaves an app that must not be used.
      const isLeaving = keyCode === "KEYCODE_HOME" || keyCode === "3";
      return device.press(keyCode, isLeaving ? options : { ...options, permit });
    },
    type: (text, options) => device.type(text, { ...options, permit }),
    apps: (options) => device.apps(options),
    users: (options) => device.users(options),
    async launch(name, options) {
      needPackage(name, rules);
      return device.launch(name, options);
    },
    forwardBrowser: (socket, options) => device.forwardBrowser(socket, options),
  };
}

function ruleAgainstPackage(name: string, rules: Rules): string | undefined {
  try {
    needPackage(name, rules);
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return "packages";
  }
}
