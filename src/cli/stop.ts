import type { StopReport } from "../base/stop.ts";

export function describeStop({ stopped }: StopReport): string {
  const who =
    stopped.length === 0
      ? "No handsight process had acted yet"
      : `Stopped ${stopped.map((pid) => `pid ${pid}`).join(", ")}`;
  return `${who}. Input by handsight is refused until "handsight resume".`;
}
