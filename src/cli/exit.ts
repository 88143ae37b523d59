import type { ErrorCode } from "../base/errors.ts";

/** The exit codes of the command line; printed by --help and in docs/guides/cli.md. */
export const exitCodes = {
  ok: { code: 0, meaning: "done" },
  failed: { code: 1, meaning: "the tool failed" },
  usage: { code: 2, meaning: "unknown command, option or tool, or a bad argument" },
  denied: { code: 3, meaning: "refused by the policy, the person asked, or the operating system" },
  unreachable: { code: 4, meaning: "nothing to connect to: no display, browser or device" },
  cancelled: { code: 130, meaning: "cancelled, by Ctrl-C or the emergency stop" },
} as const;

export function exitCodeOf(code: ErrorCode): number {
  switch (code) {
    case "invalid_argument":
      return exitCodes.usage.code;
    case "denied":
    case "permission_missing":
      return exitCodes.denied.code;
    case "not_connected":
      return exitCodes.unreachable.code;
    case "cancelled":
      return exitCodes.cancelled.code;
    default:
      return exitCodes.failed.code;
  }
}
