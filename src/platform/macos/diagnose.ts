import { ToolError } from "../../base/errors.ts";
import type { Finding } from "../backend.ts";
import { listDisplays } from "./displays.ts";
import type { Mac } from "./mac.ts";
import { hasPermission, howToGrant, needUnlocked, type Permission } from "./permissions.ts";

/** Until a real Mac has run it, nobody may take this for proven. */
const label = "This backend has run against a simulator of the frameworks, not on a real Mac.";

export function diagnose(mac: Mac): readonly Finding[] {
  const displays = listDisplays(mac).length;
  const session = lockedFinding(mac) ?? {
    ability: "connection",
    status: "ok",
    detail: `${label} ${displays} ${displays === 1 ? "display" : "displays"}.`,
  };
  return [
    session,
    permission(mac, "Screen Recording", "screen", "Pictures can be taken."),
    permission(mac, "Accessibility", "elements", "Elements can be read and used, and input can be sent."),
  ];
}

function permission(mac: Mac, name: Permission, ability: Finding["ability"], detail: string): Finding {
  if (hasPermission(mac, name)) return { ability, status: "ok", detail: `${name} is allowed. ${detail}` };
  return { ability, status: "missing", detail: `${name} is not allowed.`, fix: howToGrant(name) };
}

function lockedFinding(mac: Mac): Finding | undefined {
  try {
    needUnlocked(mac);
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return {
      ability: "connection",
      status: "limited",
      detail: error.message,
      fix: error.details.hint ?? "Unlock the Mac.",
    };
  }
}
