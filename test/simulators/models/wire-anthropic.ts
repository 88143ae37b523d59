import { objectsIn, pictureSize } from "./picture.ts";
import { testKey, type Json, type Simulated, type Wire } from "./wire.ts";

const kinds: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

const usage = { input_tokens: 80, output_tokens: 15, cache_read_input_tokens: 30, cache_creation_input_tokens: 10 };
const message = (content: readonly unknown[], stop: string, more: Json = {}): unknown => ({
  id: "msg_01",
  type: "message",
  role: "assistant",
  model: "claude",
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage,
  ...more,
});
const thought = { type: "thinking", thinking: "The button is there.", signature: "A".repeat(600) };

let calls = 0;
const toolUse = (name: string, input: Json, toolset?: string): unknown =>
  message(
    [thought, { type: "tool_use", id: `toolu_${++calls}`, name, input, ...(toolset ? { toolset_name: toolset } : {}) }],
    "tool_use",
  );

const sourcesIn = (body: Json): readonly Json[] =>
  [...objectsIn(body["messages"])].filter((one) => one["type"] === "base64" && typeof one["data"] === "string");

interface Message {
  readonly role: string;
  readonly content: readonly Json[];
}

function examine(body: Json, headers: Readonly<Record<string, unknown>>): Simulated | undefined {
  const wrong = (text: string): Simulated => ({ status: 400, message: text });
  if (headers["anthropic-version"] === undefined) return wrong("anthropic-version: header is required");
  if (typeof body["max_tokens"] !== "number") return wrong("max_tokens: Field required");
  const messages = body["messages"] as readonly Message[];
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? "user" : "assistant")) return wrong(`messages.${index}: roles must alternate`);
    if (content.length === 0) return wrong(`messages.${index}: content must not be empty`);
    if (content.some((block) => block["type"] === "text" && block["text"] === "")) {
      return wrong(`messages.${index}: text content blocks must be non-empty`);
    }
    const asked = content.filter((block) => block["type"] === "tool_use").map((block) => block["id"]);
    const answered = messages[index + 1]?.content.filter((block) => block["type"] === "tool_result") ?? [];
    const ids = new Set(answered.map((block) => block["tool_use_id"]));
    const missing = asked.filter((id) => !ids.has(id));
    if (missing.length > 0) return wrong(`messages.${index}: tool_use ids without tool_result: ${missing.join(", ")}`);
    const before = messages[index - 1]?.content.filter((block) => block["type"] === "tool_use") ?? [];
    for (const block of content.filter((one) => one["type"] === "tool_result")) {
      const use = before.find(({ id }) => id === block["tool_use_id"]);
      if (use === undefined) return wrong(`messages.${index}: unexpected tool_use_id in tool_result`);
      if (use["toolset_name"] !== block["toolset_name"]) return wrong(`messages.${index}: toolset_name does not match`);
    }
  }
  return examineSchema(body) ?? examineTools(body, headers) ?? examinePictures(body);
}

function examineSchema(body: Json): Simulated | undefined {
  const config = body["output_config"] as { readonly format?: { readonly schema: Json } } | undefined;
  const schema = config?.format?.schema;
  if (schema === undefined) return undefined;
  const all = [...objectsIn(schema)];
  const unsupported = ["minimum", "maximum", "minLength", "maxLength", "pattern"].find((key) =>
    all.some((one) => key in one),
  );
  if (unsupported) return { status: 400, message: `output_config.format.schema: ${unsupported} is not supported` };
  if (schema["additionalProperties"] !== false) {
    return { status: 400, message: "output_config.format.schema: additionalProperties must be false" };
  }
  const properties = Object.values(schema["properties"] as Json) as Json[];
  if (properties.filter((one) => "anyOf" in one || Array.isArray(one["type"])).length > 16) {
    return { status: 400, message: "output_config.format.schema: too many parameters with union types" };
  }
  const optional = properties.length - (schema["required"] as readonly string[]).length;
  return optional > 24
    ? { status: 400, message: "output_config.format.schema: too many optional parameters" }
    : undefined;
}

function examineTools(body: Json, headers: Readonly<Record<string, unknown>>): Simulated | undefined {
  const wrong = (text: string): Simulated => ({ status: 400, message: text });
  for (const tool of (body["tools"] ?? []) as readonly Json[]) {
    const type = tool["type"];
    if (type === undefined && typeof tool["input_schema"] !== "object")
      return wrong("tools: input_schema: Field required");
    if (type === "computer_toolset_20260801") {
      const stray = Object.keys(tool).find((key) => !["type", "configs", "cache_control"].includes(key));
      if (stray) return wrong(`tools: ${stray}: Extra inputs are not permitted`);
    } else if (typeof type === "string" && type.startsWith("computer_2")) {
      const date = type.replace(/^computer_(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
      if (headers["anthropic-beta"] !== `computer-use-${date}`) return wrong(`tools: ${type} needs its beta header`);
      if (typeof tool["display_width_px"] !== "number") return wrong("tools: display_width_px: Field required");
    }
  }
  return undefined;
}

function examinePictures(body: Json): Simulated | undefined {
  const sources = sourcesIn(body);
  const largest = sources.length > 20 ? 2000 : 8000;
  for (const { data, media_type: kind } of sources) {
    const bytes = Buffer.from(data as string, "base64");
    const size = pictureSize(bytes);
    if (!/^image\/(png|jpeg)$/.test(String(kind)) || size === undefined)
      return { status: 400, message: "Could not process image" };
    if (Math.max(size.width, size.height) > largest) {
      const text = `At least one of the image dimensions exceed max allowed size: ${largest} pixels`;
      return { status: 400, message: `messages.0.content.1.image.source.base64.data: ${text}` };
    }
  }
  return undefined;
}

export const anthropicWire: Wire = {
  vendor: "anthropic",
  path: /^\/v1\/messages$/,
  base: "",
  keyHeader: "x-api-key",
  keyValue: testKey,
  plainModel: "claude-3-5-sonnet",
  computerModel: "claude-opus-5-5",
  examine,
  error: (status, text) => ({
    type: "error",
    error: { type: kinds[status] ?? "api_error", message: text },
    request_id: "req_01",
  }),
  rateLimit: (seconds) => ({
    body: anthropicWire.error(429, "This request would exceed your organization's rate limit."),
    headers: { "retry-after": String(seconds) },
  }),
  says: (text) => message([{ type: "text", text }], "end_turn"),
  refuses: (why) =>
    message([], "refusal", { stop_details: { type: "refusal", category: "general_harms", explanation: why } }),
  isCutOff: (text) => message([{ type: "text", text }], "max_tokens"),
  clicks: (x, y) => toolUse("left_click", { coordinate: [x, y] }, "computer"),
  acts: (args) => toolUse("act", args),
  pictures: (body) => sourcesIn(body).map(({ data }) => Buffer.from(data as string, "base64")),
};
