import type { WindowInfo } from "../../platform/backend.ts";
import type { Access } from "../../policy/decide.ts";
import { isCommandWindow } from "../../policy/programs.ts";
import type { AnyTool } from "../tool.ts";
import type { Programs } from "./programs.ts";

const hands: readonly string[] = ["pointer", "keyboard", "elements"];

/**
 * How far a call reaches: as far as its tool says, unless it starts something else than an installed app, or puts input into
 * a window where that can run any command. Both are running code.
 */
export function accessOf(tool: AnyTool, windows: readonly WindowInfo[], started: Programs | undefined): Access {
  if (tool.access === "observe" || tool.access === "execute") return tool.access;
  if (started) return started.isCode ? "execute" : tool.access;
  const isInput = tool.access === "act" && tool.needs.some((need) => hands.includes(need));
  return isInput && windows.some(isCommandWindow) ? "execute" : tool.access;
}
