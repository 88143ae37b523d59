import { ToolError } from "../base/errors.ts";
import type { Backend } from "./backend.ts";
import type { Browsers } from "./browser.ts";
import type { DevicesOptions } from "./android/index.ts";
import type { BrowsersOptions } from "./cdp/index.ts";
import type { Devices } from "./devices.ts";

export interface OpenOptions {
  /** The environment that names the display: the process's own, or a private desktop's. */
  readonly env: NodeJS.ProcessEnv;
  /** Leave what was put on the clipboard behind when the process ends (one-shot commands). */
  readonly keepClipboard?: boolean;
  /** Keys of the emergency stop; none when empty or left out. */
  readonly stopKeys?: string | undefined;
}

/** The only place that knows the backends and asks which machine this is. Connects to nothing yet. */
export async function openBackend(options: OpenOptions): Promise<Backend> {
  if (process.platform === "linux") {
    const { openLinux } = await import("./linux/index.ts");
    return openLinux(options.env, options);
  }
  throw new ToolError("not_supported", `handsight has no desktop backend for ${process.platform} yet.`, {
    hint: "Linux with X11 works today.",
  });
}

/** Connects to no browser yet. */
export async function openBrowsers(options: BrowsersOptions): Promise<Browsers> {
  const { openBrowsers: open } = await import("./cdp/index.ts");
  return open(options);
}

/** Asks adb for nothing yet. */
export async function openDevices(options: DevicesOptions): Promise<Devices> {
  const { openDevices: open } = await import("./android/index.ts");
  return open(options);
}
