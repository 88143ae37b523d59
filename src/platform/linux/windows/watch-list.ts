import { sleep } from "../../../base/async.ts";
import type { CallOptions } from "../../backend.ts";
import type { XDisplay } from "../display.ts";
import type { Connection } from "../x11/connection.ts";
import { WindowListVersion } from "./version.ts";

const reconnectMs = 500;

/** Calls back when a window has opened, closed, moved or been renamed, or another one is active, until disposed. */
export async function watchWindows(
  display: XDisplay,
  listener: () => void,
  { signal }: CallOptions,
): Promise<AsyncDisposable> {
  const ended = new AbortController();
  let stop = (): void => {};
  const follow = async (c: Connection): Promise<void> => {
    const [version, active] = await Promise.all([WindowListVersion.of(c), c.atom("_NET_ACTIVE_WINDOW")]);
    const stops = [
      version.onChange(listener),
      c.on((event) => {
        if (event.type === "PropertyNotify" && event.window === c.root && event.atom === active) listener();
      }),
      c.onClose(() => void again().catch(() => {})),
    ];
    stop = () => stops.forEach((each) => each());
  };
  const again = async (): Promise<void> => {
    stop();
    while (!ended.signal.aborted) {
      await sleep(reconnectMs, ended.signal);
      try {
        await follow(await display.connect({ signal: ended.signal }));
        return listener();
      } catch {
        // There is no display yet.
      }
    }
  };
  await follow(await display.connect({ signal }));
  return {
    async [Symbol.asyncDispose]() {
      ended.abort();
      stop();
    },
  };
}
