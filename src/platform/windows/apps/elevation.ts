import { ToolError } from "../../../base/errors.ts";
import type { ScreenPoint } from "../../../base/geometry.ts";
import { windowAt } from "../input/cursor.ts";
import { win32, type Handle } from "../win32.ts";
import { pidOf } from "../windows/list.ts";
import { withProcess } from "./processes.ts";

const queryLimited = 0x1000;
const query = 0x8;
const integrityLevel = 25;

/**
 * How much Windows trusts a process. Input and messages to one that it trusts more than the sender are dropped in silence, so it is
 * asked before.
 */
export function integrityOf(pid: number): number | undefined {
  const api = win32();
  return withProcess(pid, queryLimited, (process) => {
    const token = Buffer.alloc(8);
    if (api.openToken(process, query, token) === 0) return undefined;
    const handle = Number(token.readBigUInt64LE());
    try {
      const info = Buffer.alloc(128);
      const length = Buffer.alloc(4);
      if (api.tokenInfo(handle, integrityLevel, info, info.length, length) === 0) return undefined;
      // TOKEN_MANDATORY_LABEL, followed by the SID that it points to: its last number is the level.
      return info.readUInt32LE(length.readUInt32LE() - 4);
    } finally {
      api.closeHandle(handle);
    }
  });
}

const own = integrityOnce();

function integrityOnce(): () => number | undefined {
  let known: number | undefined;
  return () => (known ??= integrityOf(process.pid));
}

export function needReach(pid: number, what: string): void {
  const [theirs, ours] = [integrityOf(pid), own()];
  if (theirs === undefined || ours === undefined || theirs <= ours) return;
  throw new ToolError("permission_missing", `${what}: process ${pid} runs as administrator, and handsight does not.`, {
    hint: "Start handsight from a terminal that runs as administrator.",
  });
}

export function needReachInFront(): void {
  needReachWindow(win32().foreground());
}

export function needReachAt(point: ScreenPoint): void {
  needReachWindow(windowAt(point));
}

function needReachWindow(hwnd: Handle): void {
  if (hwnd !== 0) needReach(pidOf(hwnd), "The input would not arrive");
}
