import type { Connection, RequestOptions } from "../x11/connection.ts";
import { isGone } from "../x11/errors.ts";
import { eventMask } from "../x11/events.ts";
import { clientMessage, getProperty, sendEvent, toNumbers } from "../x11/requests.ts";

/** A running window manager that follows the EWMH specification. */
export interface WindowManager {
  readonly name: string;
  /** Its own invisible window, which has the keyboard focus while no other does. */
  readonly window: number;
  /** Atoms it lists in `_NET_SUPPORTED`. */
  readonly supported: ReadonlySet<number>;
}

/** Undefined when none is running. Not cached: window managers crash and get replaced. */
export async function findWindowManager(c: Connection, options?: RequestOptions): Promise<WindowManager | undefined> {
  const atoms = await c.atoms("_NET_SUPPORTING_WM_CHECK", "_NET_SUPPORTED", "_NET_WM_NAME");
  const [check, supported] = await Promise.all([
    getProperty(c, c.root, atoms._NET_SUPPORTING_WM_CHECK, options),
    getProperty(c, c.root, atoms._NET_SUPPORTED, options),
  ]);
  const [window] = toNumbers(check);
  if (window === undefined) return undefined;
  try {
    const [same, name] = await Promise.all([
      getProperty(c, window, atoms._NET_SUPPORTING_WM_CHECK, options),
      getProperty(c, window, atoms._NET_WM_NAME, options),
    ]);
    if (toNumbers(same)[0] !== window) return undefined;
    return { name: name?.value.toString("utf8") ?? "unnamed", window, supported: new Set(toNumbers(supported)) };
  } catch (error) {
    // A crashed window manager leaves its properties on the root window.
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** What the specification calls a message from a pager or taskbar: it acts on behalf of the user. */
export const fromPager = 2;

/** Sends the window manager a request about a window. */
export async function askWindowManager(
  c: Connection,
  window: number,
  message: string,
  data: readonly number[],
  options?: RequestOptions,
): Promise<void> {
  const bytes = clientMessage(window, await c.atom(message), data);
  await sendEvent(c, bytes, {
    ...options,
    to: c.root,
    mask: eventMask.substructureNotify | eventMask.substructureRedirect,
  });
}
