import { eventMask } from "../src/platform/linux/x11/events.ts";
import { openConnection } from "../src/platform/linux/x11/open.ts";
import { createWindow, mapWindow } from "../src/platform/linux/x11/requests.ts";
import { now } from "./measure.ts";

const deadlineMs = 30_000;

export interface Release {
  /** When the window had it. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
}

export interface ButtonWindow extends Disposable {
  /** The next so many releases of a button over the window. */
  releases(count: number): Promise<readonly Release[]>;
}

/** A plain X client that does nothing but note when clicks reach it. */
export async function openButtonWindow(env: NodeJS.ProcessEnv): Promise<ButtonWindow> {
  const c = await openConnection(env["DISPLAY"], { env });
  const window = createWindow(c, {
    x: 100,
    y: 100,
    width: 1200,
    height: 800,
    values: {
      backgroundPixel: c.setup.whitePixel,
      overrideRedirect: 1,
      eventMask: eventMask.buttonPress | eventMask.buttonRelease,
    },
  });
  mapWindow(c, window);
  await c.sync();
  return {
    releases: (count) =>
      new Promise((resolve, reject) => {
        const seen: Release[] = [];
        const finish = (settle: () => void) => {
          stop();
          clearTimeout(timer);
          settle();
        };
        const stop = c.on((event) => {
          if (event.type !== "ButtonRelease") return;
          seen.push({ at: now(), x: event.rootX, y: event.rootY });
          if (seen.length === count) finish(() => resolve(seen));
        });
        const timer = setTimeout(
          () => finish(() => reject(new Error(`only ${seen.length} of ${count} clicks arrived`))),
          deadlineMs,
        );
      }),
    [Symbol.dispose]: () => c.close(),
  };
}
