import { ToolError } from "../base/errors.ts";
import { readStop, runtimeFolders } from "../base/runtime.ts";
import type { Acted } from "./act.ts";
import type { Shot } from "./look.ts";
import type { Verdict } from "./record.ts";
import { Refusal, Stop } from "./stop.ts";
import { toShotRecord } from "./to-record.ts";

/** How the loop ended: with a claim by the model, or with an error. */
export interface Ended {
  readonly claim?: string;
  readonly error?: unknown;
}

export interface Evidence {
  readonly acted: readonly Acted[];
  readonly shot: Shot | undefined;
  readonly signal: AbortSignal;
}

/** Done, with the evidence; stopped, with the reason; or failed. */
export function judge(ended: Ended, { acted, shot, signal }: Evidence): Verdict {
  const sent = acted.filter(({ effect, error }) => effect !== "none" && !error);
  const evidence = {
    claim: ended.claim ?? null,
    confirmed: sent.filter(isConfirmed).length,
    unconfirmed: sent.filter((each) => !isConfirmed(each)).map(describe),
    changes: [...(sent.findLast(({ effect }) => effect === "confirmed")?.changes ?? [])],
    shot: shot ? toShotRecord(shot) : null,
  };
  const common = { hint: null, candidates: [], evidence };
  if (ended.error === undefined) {
    const message =
      ended.claim === "" || ended.claim === undefined ? "The model says the goal is reached." : ended.claim;
    return { ...common, status: "done", reason: null, message };
  }
  const stop = toStop(ended.error, signal);
  if (stop) {
    return {
      ...common,
      status: "stopped",
      reason: stop.reason,
      message: stop.message,
      candidates: [...stop.candidates],
    };
  }
  const { error } = ended;
  if (error instanceof ToolError) {
    const { hint = null, candidates = [] } = error.details;
    return {
      ...common,
      status: "failed",
      reason: error.code,
      message: error.message,
      hint,
      candidates: [...candidates],
    };
  }
  const message = error instanceof Error ? error.message : "Something that is not an error was thrown.";
  return { ...common, status: "failed", reason: "internal", message };
}

/** The stop reason behind an error: a timeout or cancellation surfaces as an error of whatever was in progress. */
function toStop(error: unknown, signal: AbortSignal): Stop | undefined {
  if (error instanceof Stop) return error;
  if (error instanceof Refusal) return new Stop("refused", error.message, error.candidates);
  if (signal.aborted) {
    const { reason } = signal as { readonly reason: unknown };
    if (reason instanceof Stop) return reason;
    return new Stop("cancelled", reason instanceof Error ? reason.message : "The run was cancelled.");
  }
  if (!(error instanceof ToolError)) return undefined;
  // Nobody else cancels our calls.
  if (error.code === "cancelled") return new Stop("emergency_stop", error.message);
  if (error.code !== "denied") return undefined;
  const isStopped = readStop(runtimeFolders()) !== undefined;
  return new Stop(isStopped ? "emergency_stop" : "denied", [error.message, error.details.hint ?? ""].join(" ").trim());
}

const isConfirmed = ({ effect, isPartial = false }: Acted): boolean => effect === "confirmed" && !isPartial;

const describe = ({ action, element, ...seen }: Acted): string =>
  `${action.action}${element === undefined ? "" : ` ${element}`}: ${whyUnconfirmed(seen)}`;

function whyUnconfirmed({ effect, isPartial = false }: Pick<Acted, "effect" | "isPartial">): string {
  if (isPartial) return "only a part of the text arrived";
  return effect === "no_change" ? "nothing changed" : "could not be verified";
}
