import { ToolError } from "../../base/errors.ts";

/** The adb server or the device refused, in its own words. */
export class AdbFailure extends Error {
  override readonly name = "AdbFailure";

  constructor(text: string, cause?: unknown) {
    super(text, cause === undefined ? undefined : { cause });
  }
}

/** A device reached over the network. adb forgets it when its daemon restarts, and can be told to reconnect. */
export const isNetworkSerial = (serial: string): boolean => /^(\[[0-9a-f:]+\]|[^\s:[\]]+):\d{1,5}$/i.test(serial);

const lost = [/^device offline/, /^device '.*' not found/, /^closed/, /^device still connecting/, /^protocol fault/];

/** The connection is lost and may come back; the device did not refuse anything. */
export const isLost = (error: unknown): error is AdbFailure =>
  error instanceof AdbFailure && lost.some((pattern) => pattern.test(error.message));

const reconnectHint = (serial: string): string =>
  isNetworkSerial(serial)
    ? "Is the device on and connected to the network? Then android_connect again."
    : "Plug it in again or run `adb reconnect`, then android_connect.";

/** Turns adb's message (adb 29 to 34) into an error with the next step. */
export function explainFailure(text: string, serial: string): ToolError {
  const say = (...[code, message, hint]: [ToolError["code"], string, string]) => new ToolError(code, message, { hint });
  if (text.startsWith("device offline")) return say("not_connected", `${serial} is offline.`, reconnectHint(serial));
  if (/^device unauthorized|^device still authorizing|failed to authenticate/.test(text)) {
    return say(
      "permission_missing",
      `${serial} has not allowed this computer to debug it.`,
      'Unlock the device and accept "Allow USB debugging?", then android_connect again. If it does not ask, switch USB debugging off and on.',
    );
  }
  if (/no permissions|insufficient permissions/.test(text)) {
    return say(
      "permission_missing",
      `This user may not open the USB device ${serial}.`,
      "Add the udev rules (package android-sdk-platform-tools-common), join the group plugdev, plug it in again, run `adb kill-server`.",
    );
  }
  if (text.startsWith("more than one")) {
    return say(
      "ambiguous_target",
      "More than one device is connected.",
      "Name one: android_list_devices lists the serials.",
    );
  }
  if (/^device '.*' not found|^no devices/.test(text)) {
    const hint = `${reconnectHint(serial)} android_list_devices shows what adb sees.`;
    return say("not_connected", `adb does not see ${serial}.`, hint);
  }
  if (/failed to connect|cannot connect|unable to connect|failed to resolve/.test(text)) {
    const why = /: ([^:]+)$/.exec(text.trim())?.[1];
    return say(
      "not_connected",
      `${serial} does not answer${why === undefined ? "" : ` (${why})`}.`,
      "Is it on, with wireless debugging and this address and port? (`adb pair` first on Android 11 and later.) Then android_connect again.",
    );
  }
  if (/^closed|^device still connecting|^protocol fault/.test(text)) {
    return say("not_connected", `The connection to ${serial} was lost.`, reconnectHint(serial));
  }
  return say(
    "not_connected",
    `adb: ${text.trim().slice(0, 300)} (${serial})`,
    "android_list_devices shows the devices.",
  );
}
