import { ToolError } from "../../base/errors.ts";
import { screenPoint, type ScreenPoint } from "../../base/geometry.ts";
import { needDisplay, needPanel, type Glance, type Panel } from "./display.ts";
import type { Input, Sender, SendOptions } from "./sender.ts";
import type { ShellResult } from "./shell.ts";

/**
 * Throws when the device's command reported an error: `input` and similar commands do so in words, not always in the
 * exit code.
 */
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

type InputOptions = Omit<SendOptions, "what" | "timeoutMs">;

/** `-d` exists since Android 10; the main display needs none. */
const onDisplay = (program: string, id: number): string => (id === 0 ? program : `${program} -d ${id}`);

const pixel = ({ bounds }: Panel, { x, y }: ScreenPoint): string =>
  `${Math.round(x) - bounds.x} ${Math.round(y) - bounds.y}`;

/** From one point to another on the same display. */
function gesture(
  glance: Glance,
  program: string,
  name: "tap" | "swipe",
  [from, to]: readonly [ScreenPoint, ScreenPoint?],
): ReturnType<Input> {
  const panel = needPanel(glance, rounded(from));
  if (to && needPanel(glance, rounded(to)) !== panel) {
    throw new ToolError("invalid_argument", "A swipe cannot go from one display to another.");
  }
  return {
    command: `${onDisplay(program, panel.id)} ${name} ${pixel(panel, from)}${to ? ` ${pixel(panel, to)}` : ""}`,
    panel,
  };
}

const rounded = ({ x, y }: ScreenPoint): ScreenPoint => screenPoint(Math.round(x), Math.round(y));

export async function tap(sender: Sender, at: ScreenPoint, options: InputOptions): Promise<string> {
  needTaken(await sender.send((...on) => gesture(...on, "tap", [at]), { ...options, what: "The tap" }));
  return "input tap";
}

export async function swipe(
  sender: Sender,
  from: ScreenPoint,
  to: ScreenPoint,
  { durationMs, ...options }: InputOptions & { readonly durationMs: number },
): Promise<string> {
  const input: Input = (...on) => {
    const { command, panel } = gesture(...on, "swipe", [from, to]);
    return { command: `${command} ${Math.round(durationMs)}`, panel };
  };
  needTaken(await sender.send(input, { ...options, timeoutMs: durationMs + 10_000, what: "The swipe" }));
  return "input swipe";
}

export interface KeyOptions extends InputOptions {
  /** The display whose focus gets the input; default: the main one. */
  readonly display?: number | undefined;
}

/** Goes to whatever has the focus on that display. */
export const toDisplay =
  (id: number, rest: string): Input =>
  (glance, program) => ({ command: `${onDisplay(program, id)} ${rest}`, panel: needDisplay(glance, id) });

/** Several keys in one call: in older versions each call starts a virtual machine. */
export async function pressKeys(
  sender: Sender,
  codes: readonly string[],
  { display = 0, ...options }: KeyOptions,
): Promise<string> {
  const timeoutMs = 10_000 + codes.length * 50;
  const input = toDisplay(display, `keyevent ${codes.join(" ")}`);
  needTaken(await sender.send(input, { ...options, timeoutMs, what: "The key" }));
  return "input keyevent";
}

/** Presses the keys together; since Android 13. */
export async function pressChord(sender: Sender, codes: readonly string[], options: InputOptions): Promise<string> {
  try {
    const input = toDisplay(0, `keycombination ${codes.join(" ")}`);
    needTaken(await sender.send(input, { ...options, what: "The keys" }));
    return "input keycombination";
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "not_dispatchable") throw error;
    throw new ToolError("not_supported", "This version of Android cannot press keys together.", {
      hint: "Press them one after the other, or use the app's own buttons.",
      cause: error,
    });
  }
}
