import type { Contender, DeviceAgent } from "../agent.ts";
import { withAdbItself } from "../../android-peers.ts";
import { deviceAgent, type DeviceSpeech } from "../device-agent.ts";
import { escaped } from "../known.ts";
import { peerFile } from "../page-servers/place.ts";
import { openWire, type Wire } from "../wire.ts";
import type { DevicePlace } from "./place.ts";

/** mobile-mcp by adb: its newer way needs a program of its own on the device, which the simulated one cannot run. */
export const mobileMcp: Contender<DevicePlace, DeviceAgent> = {
  name: "mobile-mcp",
  isOurs: false,
  isBatching: false,
  async start({ folder, env, serial }) {
    const own = { ...withAdbItself(env), MOBILEMCP_LEGACY_ROBOT: "1", MOBILEMCP_DISABLE_TELEMETRY: "1" };
    const entry = peerFile("@mobilenext", "mobile-mcp", "lib", "index.js");
    const wire = await openWire({ command: process.execPath, args: [entry], env: own, folder });
    return deviceAgent(wire, speak(wire, serial));
  },
};

function speak(wire: Wire, device: string): DeviceSpeech {
  const quiet = async (tool: string, args: Record<string, unknown>): Promise<string> => {
    await wire.call(tool, { device, ...args });
    // "Clicked at …": the screen has to be looked at.
    return "";
  };
  const at = (ref: string): Record<string, number> => {
    const [x = 0, y = 0] = ref.split(",").map(Number);
    return { x, y };
  };
  return {
    find: (text, { name }) => {
      const said = `="${escaped(name)}"[^\\n]*`;
      const [, x, y, width, height] = new RegExp(`${said} at=(\\d+),(\\d+) size=(\\d+)x(\\d+)`).exec(text) ?? [];
      if (x === undefined) return undefined;
      return `${Number(x) + Math.round(Number(width) / 2)},${Number(y) + Math.round(Number(height) / 2)}`;
    },
    look: () => wire.call("mobile_list_elements_on_screen", { device }),
    async perform(step, ref) {
      if ("hold" in step) return quiet("mobile_long_press_on_screen_at_coordinates", at(ref));
      await quiet("mobile_click_on_screen_at_coordinates", at(ref));
      return "fill" in step ? quiet("mobile_type_keys", { text: step.text, submit: false }) : "";
    },
    scrollDown: () => quiet("mobile_swipe_on_screen", { direction: "up" }),
    back: () => quiet("mobile_press_button", { button: "BACK" }),
  };
}
