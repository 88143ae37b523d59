/// <reference lib="dom" />
import type { Dom } from "./dom.ts";

export type Unrest = ReturnType<typeof makeUnrest>;

/** Learns what changes by itself from changes while nobody acts. */
export function makeUnrest(dom: Dom) {
  // The same values as for desktop elements: a clock ticks every second.
  const memoryMs = 6_000;
  const apartMs = 250;
  const tailMs = 1_500;
  // An element that changes without a pause is restless, too, once it has done so for longer than any drawing takes.
  const steadyMs = 1_000;
  const steadyCount = 5;
  let endedAt = 0;
  const unrest = new WeakMap<Node, { at: number; since: number; count: number; again: boolean }>();

  const isRestless = (node: Node): boolean => {
    const now = performance.now();
    for (let at: Node | undefined = node, depth = 0; at && depth < 4; at = dom.parentOf(at), depth++) {
      const known = unrest.get(at);
      if (known && known.again && now - known.at < memoryMs) {
        // It continues while we act; otherwise an agent that acts all the time would forget it.
        known.at = now;
        return true;
      }
    }
    return false;
  };
  const noteUnrest = (node: Node): void => {
    const now = performance.now();
    if (now - endedAt < tailMs) return;
    const last = unrest.get(node);
    const isSteady = last !== undefined && now - last.at < steadyMs;
    const since = isSteady ? last.since : now;
    const count = isSteady ? last.count + 1 : 1;
    const isAgain = last !== undefined && (last.again || now - last.at > apartMs);
    unrest.set(node, { at: now, since, count, again: isAgain || (count >= steadyCount && now - since > steadyMs) });
  };

  return {
    isRestless,
    noteUnrest,
    /** It has changed by itself a moment ago, once at least. */
    hasStirred: (node: Node): boolean => {
      const known = unrest.get(node);
      return known !== undefined && performance.now() - known.at < memoryMs;
    },
    /** What comes right after an action may still be its effect. */
    actionEnded: (): void => {
      endedAt = performance.now();
    },
  };
}
