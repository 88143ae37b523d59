import type { WindowInfo } from "../../platform/backend.ts";
import type { Access } from "../../policy/decide.ts";
import { isCommandWindow } from "../../policy/programs.ts";
import type { AnyTool } from "../tool.ts";
import type { Programs } from "./programs.ts";

const hands: readonly string[] = ["pointer", "keyboard", "elements", "commands"];

/**
 * The access class of a call: its tool's, unless it starts something other than an installed app, or puts input into
 * a window that can run any command. Both count as running code.
 */
export function accessOf(tool: AnyTool, windows: readonly WindowInfo[], started: Programs | undefined): Access {
  if (tool.access === "observe" || tool.access === "execute") return tool.access;
  if (started) return started.isCode ? "execute" : tool.access;
  const isInput = tool.access === "act" && tool.needs.some((need) => hands.includes(need));
  return isInput && windows.some(isCommandWindow) ? "execute" : tool.access;
}
