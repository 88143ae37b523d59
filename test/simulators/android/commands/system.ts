import { helperKeyboard, stockKeyboard } from "../screen/apps.ts";
import { lines, type Command, type Output } from "./command.ts";

// frameworks/base/services/core/java/com/android/server/wm/WindowManagerShellCommand.java
export const wm: Command = (args, { phone }) => {
  const [name, value] = args.filter((arg, index) => arg !== "-d" && args[index - 1] !== "-d");
  const { size, density } = phone.options;
  if (name === "size") {
    if (value === "reset") phone.overrideSize = undefined;
    else if (value !== undefined) {
      const [, width, height] = /^(\d+)x(\d+)$/.exec(value) ?? [];
      if (width === undefined) return { stderr: lines(`Error: bad size ${value}`), code: 255 };
      phone.overrideSize = { width: Number(width), height: Number(height) };
    } else {
      const over = phone.overrideSize;
      const physical = `Physical size: ${size.width}x${size.height}`;
      return { stdout: lines(physical, ...(over ? [`Override size: ${over.width}x${over.height}`] : [])) };
    }
    return {};
  }
  if (name === "density") {
    if (value === "reset") phone.overrideDensity = undefined;
    else if (value !== undefined) phone.overrideDensity = Number(value);
    else {
      const over = phone.overrideDensity;
      return {
        stdout: lines(`Physical density: ${density}`, ...(over === undefined ? [] : [`Override density: ${over}`])),
      };
    }
    return {};
  }
  if (name === "dismiss-keyguard") {
    phone.isLocked = false;
    return {};
  }
  return { stdout: lines(`Unknown command: ${name ?? ""}`), code: 255 };
};

export const ime: Command = (args, { phone }) => {
  const [name, method = ""] = args;
  const methods = [stockKeyboard.method, ...(phone.hasHelperKeyboard ? [helperKeyboard.method] : [])];
  const enabled = (phone.settings.get("secure enabled_input_methods") ?? stockKeyboard.method).split(":");
  if (name === "list")
    return { stdout: lines(...methods.filter((one) => args.includes("-a") || enabled.includes(one))) };
  if (!methods.includes(method)) {
    const what = name === "set" ? "selected" : "enabled";
    return { stderr: lines(`Unknown input method ${method} cannot be ${what} for user #0`), code: 255 };
  }
  if (name === "enable") {
    phone.settings.set("secure enabled_input_methods", [...new Set([...enabled, method])].join(":"));
    return { stdout: lines(`Input method ${method}: now enabled for user #0`) };
  }
  if (name === "disable") {
    phone.settings.set("secure enabled_input_methods", enabled.filter((one) => one !== method).join(":"));
    return { stdout: lines(`Input method ${method}: now disabled for user #0`) };
  }
  if (name === "set") {
    if (!enabled.includes(method))
      return { stderr: lines(`Unknown input method ${method} cannot be selected for user #0`), code: 255 };
    phone.inputMethod = method;
    phone.isKeyboardShown = phone.focused !== undefined && method === stockKeyboard.method;
    return { stdout: lines(`Input method ${method} selected for user #0`) };
  }
  return { stdout: lines(`Unknown command: ${name ?? ""}`), code: 255 };
};

export const settings: Command = (args, { phone }): Output => {
  const [verb, space = "", key = "", value = ""] = args.filter(
    (arg, index) => arg !== "--user" && args[index - 1] !== "--user",
  );
  const name = `${space} ${key}`;
  if (name === "secure default_input_method" && verb === "get") return { stdout: lines(phone.inputMethod) };
  if (verb === "get") return { stdout: lines(phone.settings.get(name) ?? defaults[name] ?? "null") };
  if (verb === "put") phone.settings.set(name, value);
  else if (verb === "delete") return { stdout: lines(`Deleted ${phone.settings.delete(name) ? 1 : 0} rows`) };
  else if (verb !== "list") return { stderr: lines(`Invalid command: ${verb ?? ""}`), code: 255 };
  return {};
};

const defaults: Readonly<Record<string, string>> = {
  "global window_animation_scale": "1.0",
  "global transition_animation_scale": "1.0",
  "global animator_duration_scale": "1.0",
  "secure enabled_input_methods": stockKeyboard.method,
};

// frameworks/native/cmds/cmd/cmd.cpp
export const cmd: Command = (args, device) => {
  const [service = "", ...rest] = args;
  if (service === "clipboard") return { stdout: lines("No shell command implementation."), code: 255 };
  if (service === "display" && rest[0] === "get-displays") {
    const shown = device.panels.map(({ phone, physical, name }, id) => {
      const { width, height } = phone.size;
      const state = phone.isAwake ? "ON" : "OFF";
      const info = `displayId ${id}, displayGroupId 0, FLAG_SECURE, real ${width} x ${height}, state ${state}, type INTERNAL, uniqueId "local:${physical}"`;
      return `Display id ${id}: DisplayInfo{"${name}", ${info}}, isValid=true`;
    });
    return { stdout: lines("Displays:", ...shown) };
  }
  return { stderr: lines(`cmd: Can't find service: ${service}`), code: 20 };
};
