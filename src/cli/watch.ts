import { openSession } from "../app.ts";
import type { Config } from "../config/options.ts";
import { callTool } from "../tools/call.ts";
import { allTools } from "../tools/registry.ts";
import { callFromTerminal, printFailure } from "./call.ts";
import { ownCaller } from "./caller.ts";
import { EmergencyStop } from "./emergency.ts";
import { exitCodes } from "./exit.ts";
import { printable } from "./text.ts";

export interface WatchFlags {
  readonly json?: boolean;
  readonly window?: string;
  readonly windowId?: string;
  readonly app?: string;
  readonly surface?: string;
}

const starting = { name: "start_watching", title: "Watching" };
const waitMs = 10_000;
const aDay = 86_400_000;

interface Event {
  readonly timestamp_ms: number;
  readonly kind: string;
  readonly change?: string;
  readonly element?: string;
  readonly app_name?: string;
  readonly title?: string;
  readonly was?: string;
  readonly elements?: readonly { readonly element: string }[];
}

/** Prints what changes, one line each, until Ctrl-C. */
export async function runWatch(config: Config, flags: WatchFlags): Promise<number> {
  const { json = false } = flags;
  const emergency = new EmergencyStop();
  await using session = openSession(config, { tools: emergency.guard(allTools) });
  emergency.protect(session);
  const caller = ownCaller();
  const started = await callFromTerminal(session, starting, inputOf(flags), caller);
  if (started.kind === "failed") return printFailure(started.envelope, json, caller);
  const { watch, warning } = started.data;
  if (typeof warning === "string") caller.err.write(`handsight: ${printable(warning)}\n`);
  using interrupt = caller.interrupt("Ending the watch");
  for (;;) {
    const read = await callTool(session, {
      tool: "get_ui_events",
      arguments: { watch, wait_ms: waitMs, max_events: 200, max_nodes: 20_000 },
      signal: interrupt.signal,
      client: "cli",
      canAsk: false,
    });
    // Ctrl-C is how it ends.
    if (interrupt.signal.aborted) return exitCodes.ok.code;
    if (read.kind === "failed") return printFailure(read.envelope, json, caller);
    if (read.kind === "ask") return exitCodes.failed.code;
    const { events, missed, active, ended, message } = read.data as {
      readonly events: readonly Event[];
      readonly missed?: number;
      readonly active: boolean;
      readonly ended?: string;
      readonly message?: string;
    };
    if (missed !== undefined) caller.err.write(`handsight: ${missed} events were too fast and are left out.\n`);
    for (const event of events) caller.out.write(`${json ? JSON.stringify(event) : printable(lineOf(event))}\n`);
    if (active) continue;
    caller.err.write(`handsight: ${printable(message ?? "It has ended.")}\n`);
    return ended === "emergency_stop" ? exitCodes.cancelled.code : exitCodes.failed.code;
  }
}

function inputOf({ window, windowId, app, surface }: WatchFlags): object {
  return {
    ...(window === undefined ? {} : { window_title: window }),
    ...(windowId === undefined ? {} : { window_id: Number(windowId) }),
    ...(app === undefined ? {} : { app_name: app }),
    ...(surface === undefined ? {} : { surface }),
    max_duration_ms: aDay,
  };
}

/** `12:30:01.250 element_changed ~ button "Play" → "Pause"` */
function lineOf({ timestamp_ms, kind, change, element, app_name = "no app", title, was, elements }: Event): string {
  const time = new Date(timestamp_ms).toISOString().slice(11, 23);
  const window = title === undefined ? app_name : `${app_name} ${JSON.stringify(title)}`;
  const what = elements ? `${window}: ${elements.length} elements` : (change ?? element ?? window);
  return `${time} ${kind} ${what}${was === undefined ? "" : ` (was ${JSON.stringify(was)})`}`;
}
