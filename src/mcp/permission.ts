import { createHash, randomBytes } from "node:crypto";
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Answer, CallRequest, Question } from "../tools/call.ts";
import { canAsk } from "./client.ts";

/** What was asked, sealed, and carried by the client between the question and its answer. */
interface Asked {
  readonly call: string;
  readonly nonce: string;
  readonly question: string;
}

export interface Answered {
  readonly answer: Answer;
  readonly questionId: string;
}

const field = "permission";
/** Long enough for people to read the question first. */
export const patienceMs = 180_000;
const labels: Readonly<Record<Answer, string>> = {
  once: "Allow once",
  tool: "Allow this tool until handsight stops",
  window: "Allow everything in this window until handsight stops",
  session: "Allow everything of this kind until handsight stops",
  deny: "Deny",
};
const form = z.object({ answer: z.enum(["once", "tool", "window", "session", "deny"]) });

/**
 * Asks the person in front of the client. An answer is valid only for the exact call it was asked for, and only once:
 * otherwise "once" for one click could be replayed for any other.
 */
export class Permission {
  readonly #codec = createRequestStateCodec<Asked>({ key: randomBytes(32) });
  readonly #pending = new Set<string>();

  /** Refuses anything that this process did not seal itself. */
  verify(state: string, context: ServerContext): Promise<Asked> {
    return this.#codec.verify(state, context);
  }

  async ask({ id, text, offers }: Question, tool: string, args: unknown): Promise<InputRequiredResult> {
    const nonce = randomBytes(12).toString("base64url");
    this.#remember(nonce);
    return inputRequired({
      requestState: await this.#codec.mint({ call: digest(tool, args), nonce, question: id }),
      inputRequests: {
        [field]: inputRequired.elicit(toForm(text, offers)),
      },
    });
  }

  /**
   * Asks during the call, for calls that get to a question only halfway. The 2026 revision has no such request; there
   * a person can allow more at the beginning.
   */
  asker(server: Server, context: ServerContext): CallRequest["ask"] {
    const { mcpReq } = context;
    if (mcpReq.envelope !== undefined || !canAsk(server, context)) return undefined;
    return async ({ text, offers }, signal) => {
      const { action, content } = await mcpReq.elicitInput(toForm(text, offers), { signal, timeout: patienceMs });
      return (action === "accept" && form.safeParse(content).data?.answer) || "deny";
    };
  }

  /** The person's answer to this call; undefined when they have not been asked about it yet. */
  answer(context: ServerContext, tool: string, args: unknown): Answered | undefined {
    const response = context.mcpReq.inputResponses?.[field];
    const asked = context.mcpReq.requestState<Asked>();
    if (response === undefined || asked?.call !== digest(tool, args) || !this.#pending.delete(asked.nonce)) {
      return undefined;
    }
    // Declined, dismissed, or accepted without a choice: only a clear yes is a yes.
    const answer = acceptedContent(context.mcpReq.inputResponses, field, form)?.answer ?? "deny";
    return { answer, questionId: asked.question };
  }

  #remember(nonce: string): void {
    this.#pending.add(nonce);
    const [oldest] = this.#pending;
    if (this.#pending.size > 1000 && oldest !== undefined) this.#pending.delete(oldest);
  }
}

function toForm(message: string, offers: readonly Answer[]) {
  return {
    message,
    requestedSchema: {
      type: "object" as const,
      properties: {
        answer: {
          type: "string" as const,
          title: "Permission",
          // Clients of every revision understand `enumNames`.
          enum: [...offers],
          enumNames: offers.map((offer) => labels[offer]),
        },
      },
      required: ["answer"],
    },
  };
}

function digest(tool: string, args: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, args ?? {}]))
    .digest("base64url");
}
