import { ToolError } from "../base/errors.ts";
import type { Pixels } from "../base/frame.ts";
import type { Backend } from "./backend.ts";
import type { Browsers } from "./browser.ts";
import type { DevicesOptions } from "./android/index.ts";
import type { BrowsersOptions } from "./cdp/index.ts";
import type { Devices } from "./devices.ts";
import { displayOf as displayOfX11 } from "./linux/display-name.ts";

export interface OpenOptions {
  /** The environment that names the display: the process's own, or a private desktop's. */
  readonly env: NodeJS.ProcessEnv;
  /** Decodes pictures that the system encodes itself, as macOS does. */
  readonly decode?: (png: Uint8Array) => Promise<Pixels>;
  /** Keep what was put on the clipboard after the process ends (one-shot commands). */
  readonly keepClipboard?: boolean;
  /** Keys of the emergency stop; none when empty or missing. */
  readonly stopKeys?: string | undefined;
}

/** The only code that knows the backends and checks which machine this is. Connects to nothing yet. */
export async function openBackend(options: OpenOptions): Promise<Backend> {
  if (process.platform === "linux") {
    const { openLinux } = await import("./linux/index.ts");
    return openLinux(options.env, options);
  }
  if (process.platform === "win32") {
    const { openWindows } = await import("./windows/index.ts");
    return openWindows(options.env, options);
  }
  if (process.platform === "darwin") {
    const { openMacos } = await import("./macos/index.ts");
    const { env, decode } = options;
    if (!decode) throw new TypeError("A Mac's pictures cannot be used without `decode`.");
    return openMacos({ env, decode });
  }
  throw new ToolError("not_supported", `handsight has no desktop backend for ${process.platform} yet.`, {
    hint: "There are backends for Linux (X11), Windows and macOS.",
  });
}

/** Private desktops are made of programs for Linux. */
export const canOpenPrivateDesktop = (): boolean => process.platform === "linux";

/** What people call the operating system. */
export function systemName(): string {
  const names: Partial<Record<NodeJS.Platform, string>> = { darwin: "mac", win32: "windows" };
  return names[process.platform] ?? process.platform;
}

/** Identifies the display on which these processes show their windows, by the same name for all of them. */
export function displayOf(env: NodeJS.ProcessEnv): string | undefined {
  return process.platform === "linux" ? displayOfX11(env) : undefined;
}

/** Does not connect to any browser yet. */
export async function openBrowsers(options: BrowsersOptions): Promise<Browsers> {
  const { openBrowsers: open } = await import("./cdp/index.ts");
  return open(options);
}

/** Does not contact adb yet. */
export async function openDevices(options: DevicesOptions): Promise<Devices> {
  const { openDevices: open } = await import("./android/index.ts");
  return open(options);
}
