import { sleep } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import type { CallOptions } from "../../backend.ts";
import { pingWindow } from "../windows/ping.ts";
import type { Connection } from "../x11/connection.ts";
import { isGone } from "../x11/errors.ts";
import { getInputFocus, getProperty, queryTree } from "../x11/requests.ts";

/** An app that takes longer than this hangs: its keys wait in its queue, and more would only be added to them. */
const hungAfterMs = 5000;
/** For apps such as xterm that do not support ping; 60 to 100 ms were enough on a busy machine. */
const blindWaitMs = 80;
const pointerRoot = 1;

/** Resolves when the app with the keyboard focus has processed everything sent so far. */
export async function drainFocused(c: Connection, { signal }: CallOptions = {}): Promise<void> {
  const window = await focusedTopLevel(c);
  const answer = window === undefined ? "unsupported" : await pingWindow(c, window, { timeoutMs: hungAfterMs, signal });
  if (answer === "unsupported") return sleep(blindWaitMs, signal);
  if (answer === "timeout") {
    throw new ToolError("timeout", `The app of the focused window has not read its input for ${hungAfterMs} ms.`, {
      hint: "It is hung or busy: look at the window, and check how much of the text arrived before typing again.",
    });
  }
}

/** The focus may be on a child; the ancestor with WM_PROTOCOLS represents the app. */
async function focusedTopLevel(c: Connection): Promise<number | undefined> {
  const protocols = await c.atom("WM_PROTOCOLS");
  try {
    let window = await getInputFocus(c);
    while (window > pointerRoot && window !== c.root) {
      const [property, { parent }] = await Promise.all([getProperty(c, window, protocols), queryTree(c, window)]);
      if (property) return window;
      window = parent;
    }
    return undefined;
  } catch (error) {
    // The window was closed by what was just typed.
    if (isGone(error)) return undefined;
    throw error;
  }
}
