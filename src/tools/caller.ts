import {
  callAsking,
  callTool,
  errorOf,
  type Answer,
  type CallOutcome,
  type CallRequest,
  type Question,
} from "./call.ts";
import type { ToolName, ToolOutput } from "./registry.ts";
import type { Session } from "./session.ts";

type Done = Extract<CallOutcome, { kind: "done" }>;

/** The answer of a call, its data as that tool declares it. */
export interface Called<Name extends ToolName = ToolName> extends Omit<Done, "data"> {
  readonly data: ToolOutput<Name>;
}
export type Arguments = Readonly<Record<string, unknown>>;

/** Asks a person a question from the policy. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

/** Calls a tool and returns its answer; throws its error. */
export type Caller = <Name extends ToolName>(
  tool: Name,
  args?: Arguments,
  options?: Pick<CallRequest, "patience">,
) => Promise<Called<Name>>;

export interface CallerOptions {
  /** Who calls, for the journal. */
  readonly client: string;
  readonly signal: AbortSignal;
  /** Without it, whatever the policy would ask about is refused. */
  readonly ask: Ask | undefined;
}

/** Programs and agents use the same entrance as everyone, so that no rule can be bypassed. */
export function openCaller(session: Session, { client, signal, ask }: CallerOptions): Caller {
  return async <Name extends ToolName>(
    tool: Name,
    args: Arguments = {},
    options: Pick<CallRequest, "patience"> = {},
  ) => {
    const request = { tool, arguments: withoutAbsent(args), signal, client, ask, ...options };
    const outcome = await callAsking(session.gate, request, (inner) => callTool(session, inner));
    // The entrance has checked the data against the schema that the type is derived from.
    if (outcome.kind === "done") return outcome as Called<Name>;
    throw errorOf(outcome.envelope);
  };
}

function withoutAbsent(args: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null));
}
