import type { Connection, RequestOptions } from "./connection.ts";
import { eventMask } from "./events.ts";
import { changeProperty, createWindow, getWindowAttributes, predefined, selectInput } from "./requests.ts";

/**
 * Events are selected per connection and window with one mask, so parts that select on the same window must extend
 * each other's mask. For the root window that happens here, once.
 */
export function watchRoot(c: Connection): Promise<void> {
  return c.memo("watch root", () =>
    selectInput(c, c.root, eventMask.structureNotify | eventMask.substructureNotify | eventMask.propertyChange),
  );
}

/** Adds to the events this connection gets from a window. Rejects with an XError when the window is gone. */
export async function watchWindow(
  c: Connection,
  window: number,
  mask: number,
  options?: RequestOptions,
): Promise<void> {
  const { yourEventMask } = await getWindowAttributes(c, window, options);
  if ((yourEventMask & mask) !== mask) await selectInput(c, window, yourEventMask | mask, options);
}

/** An invisible window of our own, for timestamps and selections. One per connection. */
export function helperWindow(c: Connection): Promise<number> {
  return c.memo("helper window", async () =>
    createWindow(c, {
      x: -10,
      y: -10,
      width: 1,
      height: 1,
      isInputOnly: true,
      values: { overrideRedirect: 1, eventMask: eventMask.propertyChange | eventMask.structureNotify },
    }),
  );
}

/** The server's clock. Window managers refuse to focus a window if the request has no timestamp. */
export async function serverTime(c: Connection, options?: RequestOptions): Promise<number> {
  const [window, atom] = await Promise.all([helperWindow(c), c.atom("_HANDSIGHT_TIME")]);
  let time = 0;
  const stop = c.on((event) => {
    if (event.type === "PropertyNotify" && event.window === window && event.atom === atom) time = event.time;
  });
  try {
    changeProperty(c, window, atom, predefined.string, Buffer.alloc(0), "append");
    await c.sync(options);
    return time;
  } finally {
    stop();
  }
}
