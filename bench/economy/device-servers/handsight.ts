import { join } from "node:path";
import type { Contender, DeviceAgent, Target } from "../agent.ts";
import { deviceAgent, type Aimed, type DeviceSpeech } from "../device-agent.ts";
import { escaped } from "../known.ts";
import { toSteps } from "../run-steps.ts";
import { openWire, type Wire } from "../wire.ts";
import type { DevicePlace } from "./place.ts";

export const handsightDevice = (
  name: string,
  build: string,
  isBatching = false,
): Contender<DevicePlace, DeviceAgent> => ({
  name,
  isOurs: true,
  isBatching,
  async start({ folder, env, serial }) {
    const args = [join(build, "dist", "main.js"), "mcp", "--policy", "allow", "--journal", "off"];
    const wire = await openWire({ command: process.execPath, args, env, folder });
    await wire.call("android_connect", { serial });
    return deviceAgent(wire, speak(wire, `android:${serial}`, isBatching));
  },
});

function speak(wire: Wire, surface: string, isBatching: boolean): DeviceSpeech {
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const text = await (wire.tools.includes(tool)
      ? wire.call(tool, args)
      : wire.call("call_tool", { name: tool, input: args }));
    return text.startsWith("{") || text.includes('\n{"') ? text.replaceAll("\\n", "\n").replaceAll('\\"', '"') : text;
  };
  return {
    // `switch "Wi-Fi" n5g1` or, for a field that shows its hint, `textbox #name n2g1 ="Full name"`.
    find: (text, { name }) => {
      const quoted = `"${escaped(name)}"`;
      const [, first, second] =
        new RegExp(`^[^-\\n]*(?:${quoted} (n\\d+g\\d+)|\\b(n\\d+g\\d+) =${quoted})`, "m").exec(text) ?? [];
      return first ?? second;
    },
    look: () => call("take_ax_snapshot", { surface }),
    ...(isBatching
      ? {
          together: (steps: readonly Aimed[]) => call("run_steps", { surface, steps: toSteps(steps) }),
          scrollUntil: ({ name }: Target) => call("run_steps", { surface, steps: [{ scroll: { until: name } }] }),
        }
      : {}),
    perform: (step, uid) => {
      if ("fill" in step) return call("type_text", { uid, text: step.text });
      return "hold" in step ? call("android_long_press", { uid }) : call("click", { uid });
    },
    scrollDown: () => call("scroll", { surface, x: 540, y: 1200, direction: "down", amount: 10 }),
    back: () => call("android_press_key", { key: "KEYCODE_BACK" }),
  };
}
