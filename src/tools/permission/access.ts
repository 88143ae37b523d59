import { existsSync } from "node:fs";
import type { WindowInfo } from "../../platform/backend.ts";
import type { Access } from "../../policy/decide.ts";
import { isCommandWindow } from "../../policy/programs.ts";
import type { Session } from "../session.ts";
import type { AnyTool, Launch } from "../tool.ts";

const hands: readonly string[] = ["pointer", "keyboard", "elements"];

/**
 * How far a call reaches: as far as its tool says, unless it starts something else than an installed app, or puts input into
 * a window where that can run any command. Both are running code.
 */
export async function accessOf(
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  windows: readonly WindowInfo[],
  session: Session,
  signal: AbortSignal,
): Promise<Access> {
  if (tool.access === "observe" || tool.access === "execute") return tool.access;
  const launch = tool.launches?.(input as never);
  if (launch) return (await isInstalledApp(launch, session, signal)) ? tool.access : "execute";
  const isInput = tool.access === "act" && tool.needs.some((need) => hands.includes(need));
  return isInput && windows.some(isCommandWindow) ? "execute" : tool.access;
}

/** Options of a program, and what some take for one, can make it run another; files and web pages to open cannot. */
async function isInstalledApp({ program, args }: Launch, session: Session, signal: AbortSignal): Promise<boolean> {
  if (!args.every(isFileOrPage)) return false;
  if (program === undefined) return true;
  const surface = await session.surface("desktop");
  const resolved = surface.can("apps") ? await surface.need("apps").resolve?.([program], { signal }) : undefined;
  const found = resolved?.[0];
  return found?.isInstalled === true && !found.runsCommands;
}

const isFileOrPage = (word: string): boolean => /^https?:\/\//i.test(word) || (!/^[-+]/.test(word) && existsSync(word));
