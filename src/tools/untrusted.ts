import type { ErrorCode, ErrorEnvelope } from "../base/errors.ts";
import { screenMarks, type ScreenMarks } from "../base/screen-content.ts";
import { findOrders } from "../policy/suspicious.ts";
import type { Session } from "./session.ts";
import { compatSets, readsScreen, type AnyTool } from "./tool.ts";

export interface Marked {
  readonly data: Record<string, unknown>;
  /** The data contains text that somebody else put on the screen. */
  readonly isUntrusted: boolean;
  /** Excerpts that read like orders to an agent. */
  readonly orders: readonly string[];
}

/**
 * Marks data that was read from a screen. Text that the caller passed in is ignored, so an agent that types a
 * suspicious text gets no warning about it.
 */
export function markUntrusted(tool: AnyTool, data: Record<string, unknown>, input: unknown): Marked {
  if (!readsScreen(tool)) return { data, isUntrusted: false, orders: [] };
  const own = [...textsIn(input)];
  const orders = findOrders([...textsIn(data)].filter((text) => !own.includes(text)));
  // The compatibility sets must answer exactly as another contract says.
  if (compatSets.includes(tool.set)) return { data, isUntrusted: true, orders };
  const marks = { untrusted_text: true, ...(orders.length > 0 ? { suspicious_text: orders } : {}) };
  return { data: { ...data, ...marks }, isUntrusted: true, orders };
}

/** The marks around a tree or step that is read as a resource; orders in it are noticed as in an answer. */
export function markKept({ gate }: Pick<Session, "gate">, kept: string): ScreenMarks {
  const orders = findOrders([kept]);
  gate.notice(orders);
  return screenMarks({ hasOrders: orders.length > 0 });
}

/** Errors whose wording is entirely ours. */
const ownWords: ReadonlySet<ErrorCode> = new Set([
  "cancelled",
  "denied",
  "internal",
  "not_connected",
  "not_supported",
  "permission_missing",
  "rate_limited",
]);

/** An error from a tool that works on a screen may quote titles and names it found there. */
export function markError(
  tool: AnyTool | undefined,
  envelope: ErrorEnvelope,
  input: unknown,
): { readonly envelope: ErrorEnvelope; readonly isUntrusted: boolean; readonly orders: readonly string[] } {
  if (!tool || !readsScreen(tool) || ownWords.has(envelope.error.code))
    return { envelope, isUntrusted: false, orders: [] };
  // Our errors quote the caller's own words; no order is shorter than this.
  const own = [...textsIn(input)].filter((text) => text.length >= 10);
  const told = [...textsIn(envelope)].map((text) => own.reduce((rest, each) => rest.replaceAll(each, " "), text));
  const orders = findOrders(told);
  const marks = { untrusted_text: true, ...(orders.length > 0 ? { suspicious_text: orders } : {}) } as const;
  return { envelope: { ...envelope, ...marks }, isUntrusted: true, orders };
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner);
}
