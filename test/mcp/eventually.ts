import { vi } from "vitest";

/** Retries until the expectation holds. Generous, because a busy machine is not a failure. */
export function eventually<T>(check: () => T | Promise<T>, interval = 20): Promise<T> {
  return vi.waitFor(check, { timeout: 15_000, interval });
}
