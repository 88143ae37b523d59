import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the scripted model says next. */
export type Reply = { readonly text: string } | { readonly tool: string; readonly input: Record<string, unknown> };

export interface Request {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Request[];
}

/**
 * A SIMULATOR of the streaming Messages API, for leading a real client through a task: a function decides what the
 * model says to each request.
 */
export async function startScriptedModel(script: (request: Request) => Reply): Promise<ScriptedModel> {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "").replace(/\?.*/, "");
    const body = await readBody(request);
    if (path.endsWith("/count_tokens")) return sendJson(response, { input_tokens: 100 });
    if (path !== "/v1/messages" || request.method !== "POST") return sendJson(response, {});
    const asked = JSON.parse(body) as Request;
    requests.push(asked);
    const message = messageOf(asked.model, script(asked));
    if (asked.stream !== true) return sendJson(response, message);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf(message)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let calls = 0;

function messageOf(model: string, reply: Reply) {
  const block =
    "text" in reply
      ? { type: "text" as const, text: reply.text }
      : { type: "tool_use" as const, id: `toolu_${++calls}`, name: reply.tool, input: reply.input };
  return {
    id: `msg_${calls}`,
    type: "message",
    role: "assistant",
    model,
    content: [block],
    stop_reason: block.type === "text" ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
}

function* eventsOf({ content, stop_reason, usage, ...message }: ReturnType<typeof messageOf>) {
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } };
  for (const [index, block] of content.entries()) {
    const isText = block.type === "text";
    yield {
      type: "content_block_start",
      index,
      content_block: isText ? { ...block, text: "" } : { ...block, input: {} },
    };
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage };
  yield { type: "message_stop" };
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
