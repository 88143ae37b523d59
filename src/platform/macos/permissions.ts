import { execFileSync } from "node:child_process";
import { ToolError } from "../../base/errors.ts";
import type { Mac } from "./mac.ts";

/** What macOS must have allowed. Without it events are dropped silently and pictures are empty. */
export type Permission = "Accessibility" | "Screen Recording";

const isGranted: Readonly<Record<Permission, (mac: Mac) => boolean>> = {
  Accessibility: ({ native }) => native.AXIsProcessTrusted() !== 0 && native.CGPreflightPostEventAccess(),
  // A window list with titles proves nothing; only this call does.
  "Screen Recording": ({ native }) => native.CGPreflightScreenCaptureAccess(),
};

const purposes: Readonly<Record<Permission, string>> = {
  Accessibility: "read elements of other apps and send them input",
  "Screen Recording": "take pictures of the screen",
};

export const hasPermission = (mac: Mac, permission: Permission): boolean => isGranted[permission](mac);

export function needPermission(mac: Mac, permission: Permission): void {
  if (hasPermission(mac, permission)) return;
  throw new ToolError("permission_missing", `macOS has not allowed handsight to ${purposes[permission]}.`, {
    hint: howToGrant(permission),
  });
}

export function howToGrant(permission: Permission): string {
  const [self = "node", ...starters] = processChain();
  const app = starters.at(-1) ?? self;
  return (
    `System Settings → Privacy & Security → ${permission}: allow ${app}, which started handsight ` +
    `(${[self, ...starters].join(" ← ")}), then restart ${app}.`
  );
}

/** A locked screen takes input meant for the password, and shows none of the apps. */
export function needUnlocked({ native, burst, name }: Pick<Mac, "native" | "burst" | "name">): void {
  const isLocked = burst((own) => {
    const session = own(native.CGSessionCopyCurrentDictionary());
    if (session === null) return true;
    const locked = native.CFDictionaryGetValue(session, name("CGSSessionScreenIsLocked"));
    return locked !== null && native.CFBooleanGetValue(locked) !== 0;
  });
  if (!isLocked) return;
  throw new ToolError("not_supported", "The screen is locked, or nobody is logged in.", {
    hint: "Unlock the Mac; nothing can be seen or used until then.",
  });
}

let chain: readonly string[] | undefined;

/** From the host upwards. The last one before the system is what a person must allow. */
function processChain(): readonly string[] {
  chain ??= readChain();
  return chain;
}

function readChain(): readonly string[] {
  const names: string[] = [];
  let pid = process.ppid;
  while (pid > 1 && names.length < 12) {
    const line = psLine(pid);
    if (!line) break;
    names.push(line.name);
    pid = line.parent;
  }
  return names;
}

function psLine(pid: number): { readonly parent: number; readonly name: string } | undefined {
  try {
    const out = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8", timeout: 2000 });
    const [, parent, command = ""] = /^\s*(\d+)\s+(.+)$/m.exec(out) ?? [];
    // .../Terminal.app/Contents/MacOS/Terminal
    const name = /([^/]+)\.app\//.exec(command)?.[1] ?? command.split("/").at(-1) ?? command;
    return parent === undefined ? undefined : { parent: Number(parent), name: name.trim() };
  } catch {
    return undefined;
  }
}
