import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { ToolError } from "../base/errors.ts";
import { answerForms, formOf, type AnswerForm } from "../tools/answers.ts";
import { callTool, type CallOutcome, type CallRequest, type Question } from "../tools/call.ts";
import type { Session } from "../tools/session.ts";
import type { Progress } from "../tools/tool.ts";
import { canAsk, clientName, losesContent } from "./client.ts";
import { lentModel } from "./sampling.ts";
import type { Limits } from "./limits.ts";
import { patienceMs, type Permission } from "./permission.ts";
import { toCallToolResult } from "./result.ts";

/** Every `tools/call` of a session, on whichever connection it arrived. */
export class Calls {
  readonly #session: Session;
  readonly #limits: Limits;
  readonly #permission: Permission;
  readonly #running = new Set<Promise<unknown>>();

  constructor(session: Session, limits: Limits, permission: Permission) {
    this.#session = session;
    this.#limits = limits;
    this.#permission = permission;
  }

  async call(
    server: Server,
    { params }: CallToolRequest,
    context: ServerContext,
    connection?: AbortSignal,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { name, arguments: args } = params;
    const ask = this.#permission.asker(server, context);
    const request: CallRequest = {
      tool: name,
      arguments: args,
      signal: context.mcpReq.signal,
      progress: reportProgress(context, this.#session),
      client: clientName(server, context),
      connection,
      canAsk: canAsk(server, context),
      lent: lentModel(server, context),
      ask,
      ...this.#permission.answer(context, name, args),
    };
    const first = await this.#track(callTool(this.#session, request));
    const outcome = first.kind === "ask" && ask ? await this.#track(this.#askNow(first.question, request)) : first;
    if (outcome.kind === "ask") return this.#permission.ask(outcome.question, name, args);
    const tool = this.#session.tools.find((each) => each.name === outcome.tool);
    const form = formOf(tool, askedForm(params) ?? this.#session.answers ?? "text", this.#session);
    const { structuredContent, ...result } = toCallToolResult(outcome.tool, outcome, form, this.#limits);
    return structuredContent === undefined || losesContent(server) ? result : { ...result, structuredContent };
  }

  /** For clients that can be asked while the call waits: the first answer counts, and so does the emergency stop. */
  async #askNow(question: Question, request: CallRequest): Promise<CallOutcome> {
    const { questions } = this.#session.gate;
    const { signal = new AbortController().signal, ask } = request;
    const settled = new AbortController();
    try {
      const here = ask?.(question, AbortSignal.any([signal, settled.signal]));
      const elsewhere = questions.wait(question.id, patienceMs, signal);
      const answer = await Promise.race([here, elsewhere]);
      if (answer === undefined) throw new ToolError("denied", `Nobody answered in ${patienceMs / 1_000} s.`);
      return await callTool(this.#session, { ...request, answer, questionId: question.id });
    } catch (error) {
      this.#session.gate.onNobody();
      const unanswered =
        error instanceof ToolError
          ? error
          : new ToolError("denied", `The client did not show the question: ${(error as Error).message}.`, {
              hint: 'Nothing was done. The person can answer in a terminal: "handsight approve", then call again.',
              cause: error,
            });
      return await callTool(this.#session, { ...request, unanswered });
    } finally {
      settled.abort();
      questions.close(question.id);
    }
  }

  /** Resolves when no call is running. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #track<T>(call: Promise<T>): Promise<T> {
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }
}

/** A request may say for itself in which form it wants its answer. */
const formKey = "handsight/answers";

function askedForm({ _meta: meta }: CallToolRequest["params"]): AnswerForm | undefined {
  return answerForms.find((form) => form === meta?.[formKey]);
}

function reportProgress({ mcpReq }: ServerContext, { log }: Session): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  return ({ done, total, message }) => {
    // The protocol requires progress to increase with every report.
    if (done <= last || mcpReq.signal.aborted) return;
    last = done;
    const params = {
      progressToken,
      progress: done,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    mcpReq
      .notify({ method: "notifications/progress", params })
      .catch((error: unknown) => log.debug("a progress report could not be sent", error));
  };
}
