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

export const commandNames = Object.keys(commands);

export async function runCommand(name: string, args: readonly string[], device: Device): Promise<Output> {
  return (await commands[name]?.(args, device)) ?? { stderr: `${name}: inaccessible or not found\n`, code: 127 };
}
