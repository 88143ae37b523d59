import type { WindowInfo } from "../../platform/backend.ts";
import type { Session } from "../session.ts";
import type { AnyTool } from "../tool.ts";

/** A rule about an app or window applies wherever the pointer goes, not only where it was at the start. */
export function permitsWindow(
  { name: tool, title, access, captures }: Pick<AnyTool, "name" | "title" | "access" | "captures">,
  { gate }: Session,
): (window: WindowInfo) => boolean {
  const about = { tool, title, access, captures };
  return ({ id, title: shown, appName: app }) => gate.mayGoOn(about, { ...about, window: { id, title: shown, app } });
}
