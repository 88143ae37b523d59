import { Area } from "./area.ts";
import type { Context } from "./context.ts";
import { needEffect, type ActOptions, type ActionResult } from "./effect.ts";
import { settling } from "./locator.ts";

/** An Android device: elements of the app in front. */
export class Device extends Area {
  readonly serial: string;

  /** @internal */
  constructor(context: Context, serial: string) {
    super(context, { surface: `android:${serial}` });
    this.serial = serial;
  }

  /** Starts an app by its package name. */
  async launch(app: string): Promise<ActionResult> {
    return (await this.context.call("android_launch_app", { serial: this.serial, package: app })).data;
  }

  /** Presses a key of the device, such as `back`, `home` or `enter`. */
  override async press(key: string, options: Omit<ActOptions, "timeoutMs"> = {}): Promise<ActionResult> {
    const input = { serial: this.serial, key, ...settling(options) };
    return needEffect((await this.context.call("android_press_key", input)).data, options);
  }

  /** Types text into the field that has the focus. */
  override async type(text: string, options: Omit<ActOptions, "timeoutMs"> = {}): Promise<ActionResult> {
    const input = { serial: this.serial, text, ...settling(options) };
    return needEffect((await this.context.call("android_type_text", input)).data, options);
  }
}
