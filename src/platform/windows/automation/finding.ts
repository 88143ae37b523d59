import type { Finding } from "../../backend.ts";
import type { AutomationChannel } from "./channel.ts";

const patienceMs = 300;

/** How elements are read here, and how each window that is open now answers. */
export async function findRungs(channel: AutomationChannel): Promise<Finding> {
  try {
    const { rungs, windows, references } = await channel.ask("state", { timeoutMs: patienceMs });
    const counts = new Map<string, number>();
    for (const rung of windows) counts.set(rung, (counts.get(rung) ?? 0) + 1);
    const now = [...counts].map(([rung, count]) => `${count} by ${rung}`).join(", ");
    const stuck = channel.replaced === 0 ? "" : ` ${channel.replaced} stuck threads were replaced.`;
    const detail = `Elements by ${rungs.join(", else ")}. Windows open now: ${now || "none"}. ${references} COM references held.${stuck}`;
    return { ability: "elements", status: rungs.length === 3 ? "ok" : "limited", detail };
  } catch (error) {
    return { ability: "elements", status: "missing", detail: error instanceof Error ? error.message : String(error) };
  }
}
