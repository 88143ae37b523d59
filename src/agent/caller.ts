import { ToolError } from "../base/errors.ts";
import { callTool, type Answer, type CallOutcome, type CallRequest, type Question } from "../tools/call.ts";
import type { Session } from "../tools/session.ts";

export type Called = Extract<CallOutcome, { kind: "done" }>;
export type Arguments = Readonly<Record<string, unknown>>;

/** Asks a person a question from the policy. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

/** Calls a tool and returns its answer; throws its error. */
export type Caller = (tool: string, args?: Arguments) => Promise<Called>;

export interface CallerOptions {
  readonly signal: AbortSignal;
  /** Without it, whatever the policy would ask about is refused. */
  readonly ask: Ask | undefined;
}

/** The agent's only access to the screen: the same entrance as for everyone, so that no rule can be bypassed. */
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
        // If nobody could be asked after all, the question must not stay open.
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
