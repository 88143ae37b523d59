import {
  acceptedContent,
  inputRequired,
  InMemoryServerEventBus,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type GetPromptResult,
  type InputRequiredResult,
  type McpRequestContext,
  type Prompt,
  type ReadResourceResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Serving } from "../../src/mcp/server.ts";
import { png, stateCodec, tools } from "./conformance-tools.ts";

const bus = new InMemoryServerEventBus();

/** The diagnostic tools, resources and prompts that the official suite requires, served by our own transports. */
export const conformanceServing: Serving = {
  create,
  idle: async () => {},
  onEvent: (listener) => bus.subscribe(listener),
};

function create({ era }: McpRequestContext): Server {
  const server = new Server(
    { name: "handsight-conformance", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: (state, context) => stateCodec.verify(state, context) },
    },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(tools).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      inputSchema: { type: "object", ...inputSchema },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools[params.name];
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    return tool.run({ context, args: params.arguments ?? {}, announce: (event) => bus.publish(event) });
  });
  server.setRequestHandler("resources/list", () => ({
    resources: [
      { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
      { uri: "test://static-binary", name: "static-binary", description: "A picture.", mimeType: "image/png" },
      { uri: "test://watched-resource", name: "watched", description: "A text to watch.", mimeType: "text/plain" },
    ],
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", description: "By id." }],
  }));
  server.setRequestHandler("resources/read", ({ params }) => read(params.uri));
  server.setRequestHandler("prompts/list", () => ({ prompts }));
  server.setRequestHandler("prompts/get", ({ params }, context) => get(params.name, params.arguments ?? {}, context));
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park", "party"], total: 3 },
  }));
  if (era === "legacy") {
    server.setRequestHandler("resources/subscribe", () => ({}));
    server.setRequestHandler("resources/unsubscribe", () => ({}));
  }
  return server;
}

function read(uri: string): ReadResourceResult {
  if (uri === "test://static-text") {
    return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] };
  }
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: png }] };
  if (uri === "test://watched-resource") return { contents: [{ uri, mimeType: "text/plain", text: "Watched." }] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: "application/json", text }] };
}

const prompts: Prompt[] = [
  { name: "test_simple_prompt", description: "Without arguments." },
  {
    name: "test_prompt_with_arguments",
    description: "With two arguments.",
    arguments: [
      { name: "arg1", description: "First test argument", required: true },
      { name: "arg2", description: "Second test argument", required: true },
    ],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "With a resource inside.",
    arguments: [{ name: "resourceUri", description: "Uri of the resource", required: true }],
  },
  { name: "test_prompt_with_image", description: "With a picture inside." },
  { name: "test_input_required_result_prompt", description: "Needs to ask first." },
];

function get(
  name: string,
  args: Readonly<Record<string, string>>,
  { mcpReq }: ServerContext,
): GetPromptResult | InputRequiredResult {
  const say = (text: string) => ({ role: "user" as const, content: { type: "text" as const, text } });
  switch (name) {
    case "test_simple_prompt":
      return { messages: [say("This is a simple prompt for testing.")] };
    case "test_prompt_with_arguments":
      return { messages: [say(`Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'`)] };
    case "test_prompt_with_embedded_resource": {
      const text = "Embedded resource content for testing.";
      const resource = { uri: args["resourceUri"] ?? "", mimeType: "text/plain", text };
      const embedded = { role: "user" as const, content: { type: "resource" as const, resource } };
      return { messages: [embedded, say("Please process the embedded resource above.")] };
    }
    case "test_prompt_with_image": {
      const image = { type: "image" as const, data: png, mimeType: "image/png" };
      return { messages: [{ role: "user", content: image }, say("Please analyze the image above.")] };
    }
    case "test_input_required_result_prompt": {
      const given = acceptedContent<{ context: string }>(mcpReq.inputResponses, "user_context");
      if (given) return { messages: [say(`Use this context: ${given.context}`)] };
      const user_context = inputRequired.elicit({
        message: "What context should the prompt use?",
        requestedSchema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
      });
      return inputRequired({ inputRequests: { user_context } });
    }
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`);
  }
}
