import { sleep } from "../../src/base/async.ts";
import { screenPoint } from "../../src/base/geometry.ts";
import { openLinux } from "../../src/platform/linux/index.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

const steps = 6;
const stepMs = 10;

/** A person with a mouse: another client of the display, whose pointer really travels. */
export function openPerson(env: NodeJS.ProcessEnv) {
  const backend = openLinux(env);
  const { pointer, keyboard } = backend;
  if (!pointer || !keyboard) throw new Error("the display takes no input");
  let at: Point = { x: 0, y: 0 };
  const trail: { readonly at: number; readonly point: Point }[] = [];
  return {
    /** Where the pointer has been since when, in milliseconds. */
    trail: trail as readonly (typeof trail)[number][],
    async moveTo(to: Point): Promise<void> {
      for (let step = 1; step <= steps; step++) {
        const part = (from: number, end: number) => Math.round(from + ((end - from) * step) / steps);
        const point = screenPoint(part(at.x, to.x), part(at.y, to.y));
        await pointer.move(point);
        trail.push({ at: performance.now(), point });
        await sleep(stepMs);
      }
      at = to;
    },
    /** Leaves the mouse alone. */
    rest: (ms: number) => sleep(ms),
    async click(): Promise<void> {
      await pointer.down("left");
      await pointer.up("left");
    },
    /** Types at the pace of somebody who can. */
    type: (text: string) => keyboard.text(text, { delayMs: 25 }),
    /** Presses keys together, such as ctrl and s. */
    async chord(...keys: readonly string[]): Promise<void> {
      for (const key of keys) await keyboard.down(key);
      for (const key of keys.toReversed()) await keyboard.up(key);
    },
    async press(key: string): Promise<void> {
      await keyboard.down(key);
      await keyboard.up(key);
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}
