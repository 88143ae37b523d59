import { ToolError } from "../base/errors.ts";
import type { ToolOutput } from "../tools/registry.ts";
import { report } from "./explain.ts";

/** What an action did, as it was seen. */
export type ActionResult = ToolOutput<"click">;

export interface ActOptions {
  /** How long to wait for the target, in milliseconds; default: what `open` was given, 5000. */
  readonly timeoutMs?: number;
  /** How long to look for an effect; 0 does not look. */
  readonly settleMs?: number;
  /** Throw unless the effect was seen. */
  readonly effect?: "confirmed";
}

/** The same result; throws when text got lost, or when an effect was demanded and not seen. */
export function needEffect(result: ActionResult, { effect }: ActOptions): ActionResult {
  const isWhole = result.ok;
  if (isWhole && (effect === undefined || result.effect === effect)) return result;
  const head = isWhole
    ? `The effect is ${result.effect}, and ${effect} was demanded.`
    : `Part of the text did not arrive; the field took ${JSON.stringify(result.arrived ?? "")}.`;
  const { changes, warning, target, node_after: after } = result;
  const evidence = {
    target: target?.element,
    "done by": `${result.method}, ${result.dispatched_via}`,
    changes: changes && JSON.stringify(changes),
    "element now": after ? JSON.stringify(after) : undefined,
    warning,
  };
  throw new ToolError("not_confirmed", report(head, evidence), { cause: result });
}
