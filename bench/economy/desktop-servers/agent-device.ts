import { join } from "node:path";
import { nameOf, type Contender, type DesktopAgent, type Step, type Target } from "../agent.ts";
import { desktopAgent, type DesktopSpeech } from "../desktop-agent.ts";
import { escaped, need } from "../known.ts";
import { newerNode, peerFile } from "../page-servers/place.ts";
import { openWire, type Wire } from "../wire.ts";
import type { DesktopPlace } from "./place.ts";

/** agent-device on Linux: AT-SPI by its helper, clicks by xdotool, and no keys. */
export const agentDevice = contender("agent-device", false);
export const agentDeviceBatch = contender("agent-device, batch", true);

function contender(name: string, isBatching: boolean): Contender<DesktopPlace, DesktopAgent> {
  return {
    name,
    isOurs: false,
    isBatching,
    async start({ folder, env }) {
      // Its helper needs the system's Python, which has the bindings.
      const own = {
        ...env,
        AGENT_DEVICE_STATE_DIR: join(folder, "agent-device"),
        PATH: `/usr/bin:${env["PATH"] ?? ""}`,
      };
      const entry = peerFile("agent-device", "bin", "agent-device.mjs");
      const wire = await openWire({ command: newerNode, args: [entry, "mcp"], env: own, folder });
      await wire.call("open", { platform: "linux", surface: "frontmost-app" });
      return desktopAgent(wire, speak(wire, isBatching));
    },
  };
}

function speak(wire: Wire, isBatching: boolean): DesktopSpeech {
  const look = (): Promise<string> => wire.call("snapshot", { interactiveOnly: true });
  const refAnew = async (step: Step): Promise<Where> => {
    const target = need(nameOf(step), "a target");
    return { kind: "ref", ref: need(pattern(target).exec(await look())?.[1], JSON.stringify(target)) };
  };
  return {
    hasKeys: false,
    keepsRefs: false,
    pattern,
    look,
    async perform(steps) {
      // Every action makes all refs stale, so only the first step can use one; the others say what they mean.
      const canBatch = isBatching && steps.length > 1 && steps.every(({ step }) => selectorOf(step) !== undefined);
      if (canBatch) {
        const listed = steps
          .map(({ step }) => single(step, selectorOf(step)))
          .map(([command, input]) => ({ command, input }));
        return needDone(await wire.call("batch", { steps: listed }));
      }
      let text = "";
      for (const [index, { step, ref }] of steps.entries()) {
        const target = index === 0 ? { kind: "ref", ref } : (selectorOf(step) ?? (await refAnew(step)));
        const [tool, args] = single(step, target);
        const settles = index === steps.length - 1 && tool !== "type" ? { settle: true } : {};
        text = needDone(await wire.call(tool, { ...args, ...settles }));
      }
      return text;
    },
    close: async () => void (await wire.call("close")),
  };
}

function pattern({ role = "[a-z-]+", name, label }: Target): RegExp {
  const ref = "(@e\\d+(?:~s\\d+)?)";
  const text = `\\[text\\] "${escaped(name)}`;
  if (label === "before") return new RegExp(`${text}.*\\n(?:.*combo-?box.*\\n)?.*?${ref} \\[${role}\\]`);
  if (label === "after") return new RegExp(`${ref} \\[${role}\\].*\\n.*${text}`);
  return new RegExp(`${ref} \\[${role}\\]${name === "" ? "" : ` "${escaped(name)}[^"\\n]*"`}`);
}

function needDone(text: string): string {
  if (/^Error|FAILED/m.test(text)) throw new Error(text.slice(0, 200));
  // What was typed comes back, and nothing about the screen.
  return text.startsWith("{") || text.startsWith("Batch") ? "" : text;
}

type Where = Readonly<Record<string, string>>;

/** By its label, where it has one of its own; nothing for steps without a target. */
function selectorOf(step: Step): Where | undefined {
  const target = nameOf(step);
  if (!target) return {};
  if (target.name === "" || target.label !== undefined) return undefined;
  const role = target.role?.endsWith("button") ? "role=button " : "";
  return { kind: "selector", selector: `${role}label="${target.name}"` };
}

function single(step: Step, target: Where | undefined): readonly [string, Record<string, unknown>] {
  if ("press" in step) throw new Error(`it has no tool to press ${step.press} on Linux`);
  if ("type" in step) return ["type", { text: step.type }];
  if ("fill" in step) return ["fill", { target, text: step.text }];
  return ["click", { target }];
}
