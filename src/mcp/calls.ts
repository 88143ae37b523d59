import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { callTool } from "../tools/call.ts";
import type { Session } from "../tools/session.ts";
import type { Progress } from "../tools/tool.ts";
import { canAsk, clientName, losesContent } from "./client.ts";
import { lentModel } from "./sampling.ts";
import type { Limits } from "./limits.ts";
import { Permission } from "./permission.ts";
import { toCallToolResult } from "./result.ts";

/** Every `tools/call` of a session, whichever connection it came over. */
export class Calls {
  readonly permission = new Permission();
  readonly #session: Session;
  readonly #limits: Limits;
  readonly #running = new Set<Promise<unknown>>();

  constructor(session: Session, limits: Limits) {
    this.#session = session;
    this.#limits = limits;
  }

  async call(
    server: Server,
    { params }: CallToolRequest,
    context: ServerContext,
    connection?: AbortSignal,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { name, arguments: args } = params;
    const outcome = await this.#track(
      callTool(this.#session, {
        tool: name,
        arguments: args,
        signal: context.mcpReq.signal,
        progress: reportProgress(context, this.#session),
        client: clientName(server, context),
        connection,
        canAsk: canAsk(server, context),
        lent: lentModel(server, context),
        ask: this.permission.asker(server, context),
        ...this.permission.answer(context, name, args),
      }),
    );
    if (outcome.kind === "ask") return this.permission.ask(outcome.question, name, args);
    const { structuredContent, ...result } = toCallToolResult(name, outcome, this.#limits);
    return structuredContent === undefined || losesContent(server) ? result : { ...result, structuredContent };
  }

  /** Resolves when no call is running any more. */
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

function reportProgress({ mcpReq }: ServerContext, { log }: Session): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  return ({ done, total, message }) => {
    // The protocol wants every report to be further along than the one before.
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
