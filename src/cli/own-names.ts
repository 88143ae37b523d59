/** Commands that never belong to a session; everything else may name a tool. */
export const ownCommands: ReadonlySet<string> = new Set([
  "agent",
  "approve",
  "bench",
  "close",
  "completion",
  "desktop",
  "doctor",
  "help",
  "log",
  "mcp",
  "resume",
  "session",
  "skill",
  "stop",
  "trace",
]);
