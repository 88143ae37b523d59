import { openSession } from "../app.ts";
import type { Config } from "../config/options.ts";
import { selectTools } from "../tools/registry.ts";
import type { Session } from "../tools/session.ts";
import { offerApproval } from "./approval.ts";
import { EmergencyStop } from "./emergency.ts";

/** The session behind a server: its tools obey the emergency stop, and its questions can be answered in a terminal. */
export function openServed(config: Config): Session {
  const emergency = new EmergencyStop();
  const session = openSession(config, { tools: emergency.guard(selectTools(config.tools)) });
  emergency.protect(session);
  if (config.approvalPage) offerApproval(session);
  return session;
}
