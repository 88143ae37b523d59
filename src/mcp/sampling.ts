import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { LentModel, Talk } from "../tools/lent.ts";
import { toBase64 } from "./result.ts";

// What every vendor takes without shrinking it: we are not told whose model it is.
const limits = { maxSide: 1568, maxPixels: 1_150_000 };
// A person may be asked first.
const timeoutMs = 180_000;

/**
 * The client's own model, where it lends it ("sampling"). Only over the 2025 revision: the newer one has deprecated it, and
 * few clients ever offered it.
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
          // The whole conversation, where the client has said that it can give it.
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

/** One block to a message: clients of the first revisions know no list of them. */
function toMessages({ said }: Talk) {
  return said.flatMap(({ by, text, picture }) => {
    const role = by === "user" ? ("user" as const) : ("assistant" as const);
    const words = { role, content: { type: "text" as const, text } };
    if (picture === undefined) return [words];
    const image = { type: "image" as const, data: toBase64(picture.data), mimeType: picture.mimeType };
    return [words, { role, content: image }];
  });
}
