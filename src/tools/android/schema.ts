import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../../platform/backend.ts";
import type { Device, Devices, ScreenState } from "../../platform/devices.ts";
import type { Surface } from "../../surface/surface.ts";
import { actionResult } from "../schema.ts";
import type { ToolContext } from "../tool.ts";

export const serialText = z
  .string()
  .max(120)
  .regex(/^[\x21-\x7e]+$/, "must be a serial from android_list_devices");
export const serial = serialText.optional().describe("A device other than the one connected last");

export const display = z
  .int()
  .min(0)
  .max(1_000)
  .optional()
  .describe("A display other than the first, if several are on (list_displays)");

/** The answer of every acting tool of a device: the common result, and the device. */
export const deviceResult = actionResult.extend({ message: z.string(), device: z.string() });

export async function needDevices({ session }: ToolContext): Promise<Devices> {
  if (session.devices) return session.devices();
  throw new ToolError("not_connected", "No Android device is connected.", {
    hint: "This session has no Android support.",
  });
}

export async function needDevice(
  context: ToolContext,
  wanted: string | undefined,
): Promise<{ readonly device: Device; readonly surface: Surface }> {
  const device = (await needDevices(context)).device(wanted);
  return { device, surface: await context.session.surface(device.id) };
}

/** Why nothing can be seen or done there, if the screen is the reason. */
export const screenTrouble = async (device: Device, options: CallOptions): Promise<string | undefined> =>
  troubleOf(await device.screenState(options));

export function troubleOf({ isOn, isLocked }: ScreenState): string | undefined {
  if (!isOn) return "The screen is off: android_press_key KEYCODE_WAKEUP switches it on.";
  if (isLocked) return "The device is locked: a person has to unlock it (without a PIN, a swipe up may be enough).";
  return undefined;
}
