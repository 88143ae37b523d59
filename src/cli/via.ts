import { fileURLToPath } from "node:url";
import { runVia, viaClients } from "../agent/via.ts";
import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { Config } from "../config/options.ts";
import { openInterrupt } from "./interrupt.ts";

/** Hands the goal to the person's own agent, which gets `handsight mcp` with the same settings. */
export async function runViaCommand(
  goal: string,
  via: string,
  { model }: Config,
  settings: readonly string[],
): Promise<number> {
  const client = viaClients.find((one) => one === via);
  if (client === undefined) {
    const near = nearest(via, viaClients);
    throw new ToolError("invalid_argument", `There is no client "${via}".`, {
      hint: near ? `Did you mean "${near}"?` : `Clients: ${viaClients.join(", ")}.`,
    });
  }
  using interrupt = openInterrupt();
  const main = fileURLToPath(new URL("../main.js", import.meta.url));
  return runVia({
    client,
    goal,
    // "claude:opus" would name one of our models; a name without a vendor is the client's.
    ...(model === undefined || model.includes(":") || model === "rules" ? {} : { model }),
    server: { command: process.execPath, args: [main, "mcp", ...settings] },
    env: process.env,
    signal: interrupt.signal,
  });
}
