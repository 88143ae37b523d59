import { nothingToDo } from "../../base/node.ts";
import { verify } from "../verify.ts";
import type { Expectation } from "../judge.ts";
import type { Subject } from "../state.ts";
import type { Surface } from "../surface.ts";
import type { Acted, Dispatch, PerformOptions, Where } from "./action.ts";

export interface Observed extends Where {
  readonly subject: Subject;
  readonly expect: Expectation;
  /** The same text for the same action; together with the resulting state it detects an agent that repeats itself. */
  readonly signature: string;
}

// Pages wait for a pause in the typing before they look for suggestions.
const suggestionsMs = 350;

/** A field with a closed list that opens when something is entered. */
const maySuggest = ({ node }: Subject): boolean =>
  node?.role === "combobox" && node.states.includes("editable") && node.states.includes("collapsed");

/** Performs an action and reports its effect. */
export async function observe(
  surface: Surface,
  { subject, expect, signature, ...where }: Observed,
  { settleMs, signal }: Pick<PerformOptions, "settleMs" | "signal">,
  act: () => Promise<Dispatch>,
): Promise<Acted> {
  if (settleMs === 0) {
    surface.unrest.noteAction();
    return { ...where, ...(await act()), effect: "unverifiable", changes: {}, suspectedLoop: false };
  }
  const floorMs = Math.min(settleMs ?? suggestionsMs, maySuggest(subject) ? suggestionsMs : 0);
  const options = { ...expect, signature, capMs: settleMs, floorMs, signal };
  const seen = await verify(surface, subject, options, act);
  const { value, suspectedLoop } = seen;
  // What changed while nothing was sent has another cause, such as a browser's hint of an address that goes by itself.
  const { effect, changes } = value.via === nothingToDo ? ({ effect: "no_change", changes: {} } as const) : seen;
  const reason = effect === "unverifiable" ? seen.reason : undefined;
  const warning = [value.warning, reason].filter((text) => text !== undefined).join(" ");
  return {
    ...where,
    ...value,
    ...(warning === "" ? {} : { warning }),
    effect,
    changes,
    ...(subject.node ? { before: seen.before.node ?? null, after: seen.after.node ?? null } : {}),
    settleMs: seen.settleMs,
    suspectedLoop,
  };
}
