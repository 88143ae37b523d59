import type { CallEntry } from "../journal/journal.ts";
import { redact, redacted, type Conceal } from "../journal/redact.ts";
import type { Acted } from "../surface/engine/action.ts";
import { enteredFields } from "./entered-fields.ts";
import type { AnyTool } from "./tool.ts";

/** What happened in a call, as far as its record has to know. */
export interface Happened {
  readonly tool: AnyTool | undefined;
  readonly arguments: unknown;
  /** The arguments passed validation; what a caller meant by others nobody knows. */
  readonly isValid: boolean;
  readonly ok: boolean;
  /** The answer, or the error. */
  readonly result: unknown;
  readonly entered: Entered;
  /** It looks for what an action that entered hidden text is expected to do. */
  readonly isAfterHidden?: boolean | undefined;
}

/** What the actions of one call entered. */
export class Entered {
  #shown = 0;
  #hidden = 0;

  note({ showsText }: Acted): void {
    if (showsText === true) this.#shown++;
    if (showsText === false) this.#hidden++;
  }

  /** The fields it went into were seen to show all of it. */
  get isShown(): boolean {
    return this.#shown > 0 && this.#hidden === 0;
  }
}

/** Whether the call entered something that no record may show. */
export function hidesText({ tool, arguments: given, isValid, ok, entered }: Omit<Happened, "result">): boolean {
  if (!tool || !isValid) return false;
  return enteredFields(tool, given).length > 0 && !(ok && entered.isShown);
}

/**
 * The one place that decides what of a call is written down. Text that was entered is kept only where a field was seen to
 * show it; else its place is held in the arguments, and of the answer only words of our own are kept.
 */
export function recordCall(happened: Happened, conceal: Conceal): Pick<CallEntry, "arguments" | "result" | "typed"> {
  const { tool, arguments: given, isValid, result } = happened;
  const secret = tool?.secret ?? [];
  const kept = (value: unknown, hidden: readonly string[]) => redact(value, hidden, conceal);
  if (!tool) return { arguments: kept(namesOnly(given), []), result: kept(result, []) };
  if (!isValid) {
    const mayQuote = tool.enters !== undefined || tool.keys !== undefined;
    return { arguments: kept(namesOnly(given), []), result: kept(mayQuote ? ownWords(result) : result, secret) };
  }
  const typed = enteredFields(tool, given);
  // What is expected of a field is often what was entered into it.
  const hides = hidesText(happened) || (happened.isAfterHidden === true && isExpecting(given));
  return {
    arguments: kept(given, hides ? [...secret, ...typed, "expect"] : secret),
    result: kept(hides ? ownWords(result) : result, secret),
    ...(typed.length === 0 ? {} : { typed }),
  };
}

const isExpecting = (given: unknown): boolean => typeof given === "object" && given !== null && "expect" in given;

/** A misspelt tool or field may hold anything, a password included. */
function namesOnly(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given === undefined ? {} : redacted;
  return Object.fromEntries(Object.keys(given).map((name) => [name, redacted]));
}

/** Fields of answers that cannot repeat what was entered: none is read from the app after it. */
const own: ReadonlySet<string> = new Set([
  "ok",
  "effect",
  "changed",
  "method",
  "dispatched_via",
  "target",
  "bbox",
  "characters",
  "device",
  "settle_ms",
  "suspected_loop",
  "surface",
  "step_id",
  "untrusted_text",
  "code",
  "fallback",
  "retryable",
  "retry_after_ms",
  "Success",
  "Effect",
  "Changed",
  "success",
]);

function ownWords(result: unknown): unknown {
  if (typeof result !== "object" || result === null) return redacted;
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, own.has(name) ? value : redacted]));
}
