import { ToolError } from "../../base/errors.ts";
import type { ScreenPoint } from "../../base/geometry.ts";
import type { CallOptions } from "../backend.ts";
import type { Connection } from "./connection.ts";
import type { ShellResult } from "./shell.ts";

/** Throws when the device's command complained: `input` and its like say so in words, not always in an exit code. */
export function needTaken({ stdout, stderr, exit }: ShellResult): void {
  const said = `${stderr}\n${stdout.subarray(0, 2_000).toString("utf8")}`;
  const isBad =
    (exit !== undefined && exit !== 0) || /^(Error|Exception|java\.|usage:|Usage:|Unknown command)/m.test(said);
  if (!isBad) return;
  if (/INJECT_EVENTS/.test(said)) {
    throw new ToolError("permission_missing", "The device does not let adb send input.", {
      hint: 'Switch on "USB debugging (Security settings)" in the developer options.',
    });
  }
  const line = said.split("\n").find((each) => each.trim() !== "");
  throw new ToolError(
    "not_dispatchable",
    `The device refused the input: ${line?.trim().slice(0, 200) ?? `exit code ${exit}`}.`,
    {
      hint: "Take a screenshot to see what is there.",
    },
  );
}

const whole = ({ x, y }: ScreenPoint): string => `${Math.round(x)} ${Math.round(y)}`;

export async function tap(connection: Connection, at: ScreenPoint, { signal }: CallOptions): Promise<string> {
  needTaken(await connection.send(`input tap ${whole(at)}`, { signal, what: "The tap" }));
  return "input tap";
}

export async function swipe(
  connection: Connection,
  from: ScreenPoint,
  to: ScreenPoint,
  { durationMs, signal }: CallOptions & { readonly durationMs: number },
): Promise<string> {
  const command = `input swipe ${whole(from)} ${whole(to)} ${Math.round(durationMs)}`;
  needTaken(await connection.send(command, { signal, timeoutMs: durationMs + 10_000, what: "The swipe" }));
  return "input swipe";
}

/** Several keys in one call: on older versions each call starts a virtual machine. */
export async function pressKeys(
  connection: Connection,
  codes: readonly string[],
  { signal }: CallOptions,
): Promise<string> {
  const timeoutMs = 10_000 + codes.length * 50;
  needTaken(await connection.send(`input keyevent ${codes.join(" ")}`, { signal, timeoutMs, what: "The key" }));
  return "input keyevent";
}

/** Held together; since Android 13. */
export async function pressChord(
  connection: Connection,
  codes: readonly string[],
  { signal }: CallOptions,
): Promise<string> {
  try {
    needTaken(await connection.send(`input keycombination ${codes.join(" ")}`, { signal, what: "The keys" }));
    return "input keycombination";
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "not_dispatchable") throw error;
    throw new ToolError("not_supported", "This version of Android cannot press keys together.", {
      hint: "Press them one after the other, or use the app's own buttons.",
      cause: error,
    });
  }
}
