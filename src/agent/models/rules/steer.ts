import type { AgentAction } from "../../action.ts";
import type { SeenElement } from "../../eyes.ts";
import { Refusal } from "../../stop.ts";
import { toNumber } from "./proof.ts";
import { describe } from "./words.ts";

/** From where, and with how many keys, a value was moved last. */
export interface Steered {
  readonly from: number;
  readonly keys: number;
}

const mostKeys = 20;

/** Moves a value that cannot be set with the arrow keys: one press first, to see how far it goes. */
export function steer(
  element: SeenElement,
  wanted: string,
  last: Steered | undefined,
): { readonly actions: readonly AgentAction[]; readonly steered: Steered } {
  const now = toNumber(element.value);
  const away = toNumber(wanted) - now;
  // A click gives it the focus, and may move it.
  if (!last) return { actions: [{ action: "click", ref: element.uid }], steered: { from: now, keys: 0 } };
  const pace = last.keys === 0 ? 0 : Math.abs(now - last.from) / last.keys;
  const isStuck = last.keys > 0 && (pace === 0 || Math.abs(away) < pace * 0.99);
  if (Number.isNaN(away) || isStuck) {
    throw new Refusal(`${describe(element)} does not take the value ${wanted}; it is ${element.value ?? "not known"}.`);
  }
  const keys = pace === 0 ? 1 : Math.min(mostKeys, Math.round(Math.abs(away) / pace));
  const [more, less] = element.role === "slider" ? ["right", "left"] : ["up", "down"];
  const key = away > 0 ? more : less;
  return {
    actions: Array.from({ length: keys }, () => ({ action: "key" as const, key })),
    steered: { from: now, keys },
  };
}
