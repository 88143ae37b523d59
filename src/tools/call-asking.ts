import { ToolError, type ErrorEnvelope } from "../base/errors.ts";
import type { CallOutcome, CallRequest } from "./call.ts";
import type { Gate } from "./permission/gate.ts";
import type { ToolContext } from "./tool.ts";

type Ended = Exclude<CallOutcome, { kind: "ask" }>;

/** Makes a call inside another one; a question of the policy is put to the person of the outer call. */
export async function callAsking(
  { questions }: Pick<Gate, "questions">,
  request: Omit<CallRequest, "canAsk" | "ask"> & { readonly signal: AbortSignal; readonly ask: ToolContext["ask"] },
  call: (request: CallRequest) => Promise<CallOutcome>,
): Promise<Ended> {
  const { ask, ...rest } = request;
  const inner = { ...rest, canAsk: ask !== undefined };
  const first = await call(inner);
  if (first.kind !== "ask") return first;
  const { question } = first;
  try {
    if (!ask) throw new ToolError("denied", `${request.tool} needs permission: ${question.text}`);
    const second = await call({ ...inner, answer: await ask(question, request.signal), questionId: question.id });
    if (second.kind !== "ask") return second;
    throw new ToolError("denied", `${request.tool} needed permission a second time: ${second.question.text}`);
  } finally {
    // If nobody could be asked after all, the question must not stay open.
    questions.close(question.id);
  }
}

/** The error of a call, to be thrown by whoever made it. */
export function errorOf({ error: { code, message, hint, candidates } }: ErrorEnvelope): ToolError {
  return new ToolError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(candidates ? { candidates } : {}),
  });
}
