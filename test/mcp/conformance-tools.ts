import { randomBytes } from "node:crypto";
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
  type ServerContext,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { sleep } from "../../src/base/async.ts";

export interface Help {
  readonly context: ServerContext;
  readonly args: Readonly<Record<string, unknown>>;
  readonly announce: (event: ServerEvent) => void;
}

export interface Fixture {
  readonly description: string;
  readonly inputSchema?: Record<string, unknown>;
  run(help: Help): Promise<CallToolResult | InputRequiredResult> | CallToolResult | InputRequiredResult;
}

/** One red pixel, and a tenth of a second of silence. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

export const stateCodec = createRequestStateCodec<string>({ key: randomBytes(32) });

const text = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });

const ask = (message: string, properties: Record<string, object>, required?: string[]): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, ...(required ? { required } : {}) } as never,
  });

const askName = ask("What is your name?", { name: { type: "string" } }, ["name"]);
const askOk = ask("Please confirm", { ok: { type: "boolean" } }, ["ok"]);
const sample = (question: string, maxTokens = 100): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens });

/** Asks one question and shows the answer. */
function elicitation(
  description: string,
  message: (help: Help) => string,
  properties: Record<string, object>,
): Fixture {
  return {
    description,
    inputSchema: { type: "object", properties: { message: { type: "string" } } },
    run(help) {
      const answer = inputResponse(help.context.mcpReq.inputResponses, "input");
      if (answer.kind !== "elicit") {
        return inputRequired({ inputRequests: { input: ask(message(help), properties, Object.keys(properties)) } });
      }
      const content = JSON.stringify(acceptedContent(help.context.mcpReq.inputResponses, "input") ?? {});
      return text(`User response: action=${answer.action}, content=${content}`);
    },
  };
}

const titled = (names: readonly string[]) => names.map((title, index) => ({ const: `value${index + 1}`, title }));
const options = ["option1", "option2", "option3"];
const choices = ["First Choice", "Second Choice", "Third Choice"];

export const tools: Readonly<Record<string, Fixture>> = {
  test_simple_text: {
    description: "Plain text.",
    run: () => text("This is a simple text response for testing."),
  },
  test_image_content: {
    description: "A picture.",
    run: () => ({ content: [{ type: "image", data: png, mimeType: "image/png" }] }),
  },
  test_audio_content: {
    description: "A sound.",
    run: () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }),
  },
  test_embedded_resource: {
    description: "A resource inside the result.",
    run: () => ({
      content: [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        },
      ],
    }),
  },
  test_multiple_content_types: {
    description: "Text, picture and resource together.",
    run: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: png, mimeType: "image/png" },
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  },
  test_error_handling: {
    description: "Fails.",
    run: () => ({ isError: true, ...text("This tool intentionally returns an error for testing") }),
  },
  test_tool_with_logging: { description: "Logs while it works.", run: logThrice },
  test_logging_tool: { description: "Logs, for clients that asked for it.", run: logThrice },
  test_tool_with_progress: {
    description: "Reports progress.",
    async run({ context: { mcpReq } }) {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        }
        await sleep(50, mcpReq.signal);
      }
      return text("All 100 of 100 done.");
    },
  },
  test_sampling: {
    description: "Asks the client's model.",
    inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    run({ context, args }) {
      const answer = inputResponse(context.mcpReq.inputResponses, "answer");
      if (answer.kind !== "sampling")
        return inputRequired({ inputRequests: { answer: sample(String(args["prompt"])) } });
      return text(`LLM response: ${JSON.stringify(answer)}`);
    },
  },
  test_missing_capability: {
    description: "Needs a client that samples.",
    run: () => inputRequired({ inputRequests: { answer: sample("Anything?") } }),
  },
  test_elicitation: elicitation("Asks the person.", ({ args }) => String(args["message"]), {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  }),
  test_elicitation_sep1034_defaults: elicitation("Asks with defaults.", () => "Check these", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  }),
  test_elicitation_sep1330_enums: elicitation("Asks with every kind of choice.", () => "Choose", {
    untitledSingle: { type: "string", enum: options },
    titledSingle: { type: "string", oneOf: titled(["First Option", "Second Option", "Third Option"]) },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: options } },
    titledMulti: { type: "array", items: { anyOf: titled(choices) } },
  }),
  test_streaming_elicitation: {
    description: "Asks the person in the middle of a stream.",
    run: () => inputRequired({ inputRequests: { user_name: askName } }),
  },
  test_trigger_tool_change: { description: "Announces a changed tool list.", run: announcer("tools_list_changed") },
  test_trigger_prompt_change: {
    description: "Announces a changed prompt list.",
    run: announcer("prompts_list_changed"),
  },
  test_input_required_result_elicitation: {
    description: "Needs a name.",
    run({ context }) {
      const name = acceptedContent(context.mcpReq.inputResponses, "user_name", z.object({ name: z.string() }));
      return name ? text(`Hello, ${name.name}!`) : inputRequired({ inputRequests: { user_name: askName } });
    },
  },
  test_input_required_result_sampling: {
    description: "Needs the client's model.",
    run({ context }) {
      const answer = inputResponse(context.mcpReq.inputResponses, "capital_question");
      if (answer.kind === "sampling") return text(JSON.stringify(answer));
      return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?") } });
    },
  },
  test_input_required_result_list_roots: {
    description: "Needs the client's roots.",
    run({ context }) {
      const answer = inputResponse(context.mcpReq.inputResponses, "client_roots");
      if (answer.kind === "roots") return text(JSON.stringify(answer));
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    },
  },
  test_input_required_result_request_state: { description: "Carries sealed state.", run: stateful },
  test_input_required_result_tampered_state: { description: "Refuses forged state.", run: stateful },
  test_input_required_result_multiple_inputs: {
    description: "Needs three things at once.",
    async run({ context }) {
      const given = context.mcpReq.inputResponses ?? {};
      if (["user_name", "greeting", "client_roots"].every((key) => key in given)) return text("All three are here.");
      return inputRequired({
        inputRequests: {
          user_name: askName,
          greeting: sample("Generate a greeting", 50),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await stateCodec.mint("three"),
      });
    },
  },
  test_input_required_result_multi_round: {
    description: "Asks twice.",
    async run({ context }) {
      const state = context.mcpReq.requestState<string>();
      const given = context.mcpReq.inputResponses ?? {};
      if (state === "second" && "step2" in given) return text("Both steps are done.");
      if (state === "first" && "step1" in given) {
        const step2 = ask("Step 2: What is your favorite color?", { color: { type: "string" } }, ["color"]);
        return inputRequired({ inputRequests: { step2 }, requestState: await stateCodec.mint("second") });
      }
      const step1 = ask("Step 1: What is your name?", { name: { type: "string" } }, ["name"]);
      return inputRequired({ inputRequests: { step1 }, requestState: await stateCodec.mint("first") });
    },
  },
  test_input_required_result_capabilities: {
    description: "Asks only for what the client can give.",
    run({ context }) {
      const envelope = context.mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined;
      const { elicitation, sampling } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
      const inputRequests = {
        ...(sampling ? { greeting: sample("Generate a greeting") } : {}),
        ...(elicitation ? { user_name: askName } : {}),
      };
      return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : text("Nothing to ask for.");
    },
  },
  json_schema_2020_12_tool: {
    description: "Tool with JSON Schema 2020-12 features",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: () => text("ok"),
  },
};

async function logThrice({ context: { mcpReq } }: Help): Promise<CallToolResult> {
  for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await mcpReq.log("info", message);
    await sleep(50, mcpReq.signal);
  }
  return text("Logged three times.");
}

async function stateful({ context: { mcpReq } }: Help): Promise<CallToolResult | InputRequiredResult> {
  if (mcpReq.requestState<string>() === "sealed" && mcpReq.inputResponses) return text("state-ok");
  return inputRequired({ inputRequests: { confirm: askOk }, requestState: await stateCodec.mint("sealed") });
}

function announcer(kind: "tools_list_changed" | "prompts_list_changed"): Fixture["run"] {
  return ({ announce }) => {
    announce({ kind });
    return text("Announced.");
  };
}
