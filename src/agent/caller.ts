import { ToolError } from "../base/errors.ts";
import { callTool, type Answer, type CallOutcome, type CallRequest, type Question } from "../tools/call.ts";
import type { Session } from "../tools/session.ts";

export type Called = Extract<CallOutcome, { kind: "done" }>;
export type Arguments = Readonly<Record<string, unknown>>;

/** Puts a question of the policy to a person. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

/** Calls a tool and gives what it answered; throws what it failed with. */
export type Caller = (tool: string, args?: Arguments) => Promise<Called>;

export interface CallerOptions {
  readonly signal: AbortSignal;
  /** Without it, what the policy would ask for is refused. */
  readonly ask: Ask | undefined;
}

/** The agent's only way to the screen: the same door as everybody's, so that no rule can be passed by. */
export function openCaller(session: Session, { signal, ask }: CallerOptions): Caller {
  return async (tool, args = {}) => {
    const request: CallRequest = {
      tool,
      arguments: withoutAbsent(args),
      signal,
      client: "agent",
      canAsk: ask !== undefined,
    };
    let outcome = await callTool(session, request);
    if (outcome.kind === "ask" && ask) {
      const { question } = outcome;
      try {
        outcome = await callTool(session, { ...request, answer: await ask(question, signal), questionId: question.id });
      } finally {
        // Where nobody could be asked after all it must not stay open.
        session.gate.questions.close(question.id);
      }
    }
    if (outcome.kind === "done") return outcome;
    if (outcome.kind === "ask")
      throw new ToolError("denied", `${tool} needed permission a second time: ${outcome.question.text}`);
    const { code, message, hint, candidates } = outcome.envelope.error;
    throw new ToolError(code, message, {
      ...(hint === undefined ? {} : { hint }),
      ...(candidates ? { candidates } : {}),
    });
  };
}

function withoutAbsent(args: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null));
}
