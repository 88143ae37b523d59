import { access, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** What makes toolkits publish their elements; without it Firefox and Qt 6 keep them to themselves. */
export const accessibleEnvironment: NodeJS.ProcessEnv = {
  GNOME_ACCESSIBILITY: "1",
  QT_ACCESSIBILITY: "1",
  QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
};

const flag = "--force-renderer-accessibility";
// Start scripts in /usr/bin, with the program itself elsewhere.
const knownNames =
  /^(chromium|chromium-browser|google-chrome|chrome|brave|brave-browser|microsoft-edge|vivaldi|opera)(-\w+)?$/;

/** Chromium, and whatever is built on it, tells about its pages only when it is told to as it starts. */
export async function accessibleArguments(command: string, args: readonly string[]): Promise<readonly string[]> {
  if (args.some((arg) => arg.startsWith(flag)) || !(await isChromium(command))) return args;
  return [flag, ...args];
}

async function isChromium(command: string): Promise<boolean> {
  if (knownNames.test(basename(command))) return true;
  try {
    // Every program made with Electron or CEF has it beside it.
    await access(join(dirname(await realpath(command)), "chrome_100_percent.pak"));
    return true;
  } catch {
    return false;
  }
}
