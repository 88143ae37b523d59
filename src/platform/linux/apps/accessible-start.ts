import { access, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Makes toolkits expose their elements; without it Firefox and Qt 6 do not. */
export const accessibleEnvironment: NodeJS.ProcessEnv = {
  GNOME_ACCESSIBILITY: "1",
  QT_ACCESSIBILITY: "1",
  QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
};

const flag = "--force-renderer-accessibility";
// Start scripts in /usr/bin, whose program is installed elsewhere.
const knownNames =
  /^(chromium|chromium-browser|google-chrome|chrome|brave|brave-browser|microsoft-edge|vivaldi|opera)(-\w+)?$/;

/** Chromium, and everything built on it, exposes its pages only when started with this flag. */
export async function accessibleArguments(command: string, args: readonly string[]): Promise<readonly string[]> {
  if (args.some((arg) => arg.startsWith(flag)) || !(await isChromium(command))) return args;
  return [flag, ...args];
}

async function isChromium(command: string): Promise<boolean> {
  if (knownNames.test(basename(command))) return true;
  try {
    // Every program built with Electron or CEF has this file next to it.
    await access(join(dirname(await realpath(command)), "chrome_100_percent.pak"));
    return true;
  } catch {
    return false;
  }
}
