import { expect } from "vitest";
import type { ErrorCode } from "../../../src/base/errors.ts";
import type { RpcAnswer } from "../../support/raw-server.ts";
import { errorKey } from "../../../src/mcp/result.ts";

/** One way to stop, hang or bloat a server. It throws if the server did not answer as it should. */
export interface Attack<Stage> {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<void>;
}

/** Errors have no structured content; a program gets them beside it. */
function outcomeOf({ result, error }: RpcAnswer): unknown {
  return error ? { rpc: error } : (result?.structuredContent ?? result?._meta?.[errorKey] ?? result);
}

/** The call was refused with one of these codes, in the common error form. */
export function expectRefused(answer: RpcAnswer, ...codes: readonly ErrorCode[]): void {
  const { error } = outcomeOf(answer) as { error?: { code: ErrorCode; message: string } };
  expect(codes, JSON.stringify(outcomeOf(answer)).slice(0, 500)).toContain(error?.code);
  expect(error?.message.length).toBeLessThan(10_000);
}

/** The protocol's own error, with the id of the request. */
export function expectProtocolError(answer: RpcAnswer): void {
  expect(answer.error?.code, JSON.stringify(answer).slice(0, 500)).toBeLessThan(0);
}

/** Any answer of ours except an internal error. */
export function expectNoFault(answer: RpcAnswer): void {
  const told = outcomeOf(answer) as { error?: { code?: string } } | undefined;
  expect(told).toBeDefined();
  expect(told?.error?.code, JSON.stringify(told).slice(0, 500)).not.toBe("internal");
}

export function expectDone(answer: RpcAnswer): Record<string, unknown> {
  expect(answer.result?.isError ?? false, JSON.stringify(outcomeOf(answer)).slice(0, 500)).toBe(false);
  return outcomeOf(answer) as Record<string, unknown>;
}
