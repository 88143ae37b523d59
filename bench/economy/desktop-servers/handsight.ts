import { join } from "node:path";
import type { Contender, DesktopAgent, Target } from "../agent.ts";
import { desktopAgent, type AimedStep, type DesktopSpeech } from "../desktop-agent.ts";
import { escaped, roleAndName } from "../known.ts";
import { toSteps } from "../run-steps.ts";
import { openWire, type Wire } from "../wire.ts";
import type { DesktopPlace } from "./place.ts";

export const handsightDesktop = (
  name: string,
  build: string,
  isBatching = false,
): Contender<DesktopPlace, DesktopAgent> => ({
  name,
  isOurs: true,
  isBatching,
  async start({ folder, env }) {
    const args = [join(build, "dist", "main.js"), "mcp", "--policy", "allow", "--journal", "off", "--desktop", "real"];
    const wire = await openWire({ command: process.execPath, args, env, folder });
    return desktopAgent(wire, speak(wire, isBatching));
  },
});

function speak(wire: Wire, isBatching: boolean): DesktopSpeech {
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const text = await wire.call(tool, args);
    return text.startsWith("{") || text.includes('\n{"') ? text.replaceAll("\\n", "\n").replaceAll('\\"', '"') : text;
  };
  return {
    hasKeys: true,
    keepsRefs: true,
    pattern,
    // The goal names it, and the listing may have left it out.
    missing: ({ role, name }) => (role === undefined ? `text ${name}` : undefined),
    look: () => call("take_ax_snapshot"),
    async perform(steps) {
      if (isBatching && steps.length > 1) return call("run_steps", { steps: toSteps(steps) });
      const texts: string[] = [];
      for (const each of steps) texts.unshift(await call(...single(each)));
      return texts.join("\n");
    },
  };
}

function pattern(target: Target): RegExp {
  const { role = "\\w+", name, label } = target;
  const text = `text "${escaped(name)}`;
  if (label === "before") return new RegExp(`${text}.*\\n(?:.*combobox.*\\n)?.*${role} (a\\d+g\\d+)`);
  if (label === "after") return new RegExp(`${role} (a\\d+g\\d+).*\\n[+ ]*${text}`);
  return name === ""
    ? new RegExp(`\\b${role}(?: ".*?")? (a\\d+g\\d+)`)
    : new RegExp(`${roleAndName(target)} (a\\d+g\\d+)`);
}

function single({ step, ref: uid }: AimedStep): readonly [string, Record<string, unknown>] {
  if ("type" in step) return ["type_text", { text: step.type }];
  if ("press" in step) return ["press_key", { key: step.press }];
  if ("fill" in step) return ["ax_set_value", { uid, value: step.text }];
  if ("choose" in step || "hold" in step) throw new Error("no job of the desktop chooses an option");
  return ["click", uid.startsWith("text ") ? { text: uid.slice(5) } : { uid }];
}
