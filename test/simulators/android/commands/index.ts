import { am } from "./am.ts";
import type { Command, Device, Output } from "./command.ts";
import { dumpsys } from "./dumpsys.ts";
import { input } from "./input.ts";
import { screencap, uiautomator } from "./look.ts";
import { monkey, pm } from "./pm.ts";
import { cmd, ime, settings, wm } from "./system.ts";

const getprop: Command = ([name, otherwise = ""], { properties }) => ({
  stdout:
    name === undefined
      ? Object.entries(properties)
          .map(([key, value]) => `[${key}]: [${value}]\n`)
          .join("")
      : `${properties[name] ?? otherwise}\n`,
});

const commands: Readonly<Record<string, Command>> = {
  am,
  cmd,
  dumpsys,
  getprop,
  ime,
  input,
  logcat: () => ({}),
  monkey,
  pm,
  screencap,
  settings,
  svc: () => ({}),
  uiautomator,
  wm,
};

/** Programs of the device itself; the others are scripts, as on Android 14 (frameworks/base/cmds). */
export const programNames = ["app_process", "cmd", "dumpsys", "getprop", "logcat", "screencap", "svc"];

const services: Readonly<Record<string, string>> = {
  activity: "am",
  input: "input",
  input_method: "ime",
  package: "pm",
  settings: "settings",
  window: "wm",
};

const classes: Readonly<Record<string, string>> = {
  "com.android.commands.monkey.Monkey": "monkey",
  "com.android.commands.uiautomator.Launcher": "uiautomator",
};

/** What each script starts: a command inside system_server, or its own virtual machine. */
export const scripts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(services).map(([service, name]) => [name, `cmd ${service} "$@"`])),
  ...Object.fromEntries(
    Object.entries(classes).map(([main, name]) => [name, `exec app_process /system/bin ${main} "$@"`]),
  ),
};

/** The actual command, whichever way it was started. */
export function resolve(name: string, args: readonly string[]): readonly [string, readonly string[]] {
  const [first = "", second = ""] = args;
  if (name === "cmd" && services[first] !== undefined) return [services[first], args.slice(1)];
  if (name === "app_process" && classes[second] !== undefined) return [classes[second], args.slice(2)];
  return [name, args];
}

export async function runCommand(name: string, args: readonly string[], device: Device): Promise<Output> {
  return (await commands[name]?.(args, device)) ?? { stderr: `${name}: inaccessible or not found\n`, code: 127 };
}
