import { findOrders } from "../policy/suspicious.ts";
import { compatSets, readsScreen, type AnyTool } from "./tool.ts";

export interface Marked {
  readonly data: Record<string, unknown>;
  /** The data holds text that somebody else put on the screen. */
  readonly isUntrusted: boolean;
  /** Excerpts that read like orders to an agent. */
  readonly orders: readonly string[];
}

/**
 * Marks data that was read from a screen. What the caller itself passed in says nothing about the screen, so an agent
 * that types a suspicious text is not warned of it.
 */
export function markUntrusted(tool: AnyTool, data: Record<string, unknown>, input: unknown): Marked {
  if (!readsScreen(tool)) return { data, isUntrusted: false, orders: [] };
  const own = [...textsIn(input)];
  const orders = findOrders([...textsIn(data)].filter((text) => !own.includes(text)));
  // The compatibility sets answer in the exact words of another contract.
  if (compatSets.includes(tool.set)) return { data, isUntrusted: true, orders };
  const marks = { untrusted_text: true, ...(orders.length > 0 ? { suspicious_text: orders } : {}) };
  return { data: { ...data, ...marks }, isUntrusted: true, orders };
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner);
}
