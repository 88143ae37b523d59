import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { LentModel, Talk } from "../tools/lent.ts";
import { toBase64 } from "./result.ts";

// Every vendor accepts this size without shrinking it; we do not know which model it is.
const limits = { maxSide: 1568, maxPixels: 1_150_000 };
// The client may ask a person first.
const timeoutMs = 180_000;

/**
 * The client's own model, if it lends one ("sampling"). Only in the 2025 revision: the newer one has deprecated it,
 * and few clients ever offered it.
 */
export function lentModel(server: Server, { mcpReq }: ServerContext): LentModel | undefined {
  const sampling = server.getClientCapabilities()?.sampling;
  if (sampling === undefined) return undefined;
  return {
    name: "sampling",
    limits,
    async answer(talk, signal) {
      const { content } = await mcpReq.requestSampling(
        {
          messages: toMessages(talk),
          systemPrompt: talk.system,
          // Include the whole conversation if the client supports that.
          ...(sampling.context === undefined ? {} : { includeContext: "allServers" as const }),
          maxTokens: talk.maxTokens,
        },
        { signal, timeout: timeoutMs },
      );
      return [content]
        .flat()
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join("\n");
    },
  };
}

/** One block per message: clients of the first revisions do not support lists. */
function toMessages({ said }: Talk) {
  return said.flatMap(({ by, text, picture }) => {
    const role = by === "user" ? ("user" as const) : ("assistant" as const);
    const words = { role, content: { type: "text" as const, text } };
    if (picture === undefined) return [words];
    const image = { type: "image" as const, data: toBase64(picture.data), mimeType: picture.mimeType };
    return [words, { role, content: image }];
  });
}
