import { sleep } from "../../../base/async.ts";
import type { App } from "./app.ts";
import { BoundedMap } from "./bounded.ts";
import { hasState, stateBit } from "./names.ts";
import { quirksOf } from "./quirks.ts";
import { becomes, type Target } from "./target.ts";

const pressedAt = new WeakMap<App, BoundedMap<number>>();

/**
 * Waits until the previous press of the element has taken effect. GTK 4 and Qt show a button as pressed for a while
 * before they act, and ignore another press meanwhile.
 */
export async function afterLastPress(target: Target): Promise<void> {
  const { app, element, options } = target;
  const { pressShows } = quirksOf(app.toolkit);
  if (pressShows === "as a state") {
    const isUp = ({ states }: typeof element): boolean => !hasState(states, stateBit.pressed);
    if (!isUp(element)) await becomes(target, isUp);
    return;
  }
  const since = performance.now() - (pressedAt.get(app)?.get(element.path) ?? -Infinity);
  if (since < pressShows) await sleep(pressShows - since, options.signal);
}

export function notePress({ app, element }: Target): void {
  const known = pressedAt.get(app) ?? new BoundedMap<number>();
  pressedAt.set(app, known);
  known.set(element.path, performance.now());
}
