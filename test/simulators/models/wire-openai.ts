import { fromDataUrl, objectsIn, pictureSize } from "./picture.ts";
import { testKey, type Json, type Simulated, type Wire } from "./wire.ts";

const usage = {
  input_tokens: 120,
  input_tokens_details: { cached_tokens: 30 },
  output_tokens: 15,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 135,
};

let count = 0;
const response = (output: readonly unknown[], more: Json = {}): unknown => ({
  id: "resp_01",
  object: "response",
  created_at: 1_790_000_000,
  status: "completed",
  error: null,
  incomplete_details: null,
  output,
  usage,
  ...more,
});
const reasoning = () => ({ type: "reasoning", id: `rs_${++count}`, summary: [], encrypted_content: "B".repeat(600) });
const says = (content: Json): unknown => ({
  type: "message",
  id: `msg_${++count}`,
  status: "completed",
  role: "assistant",
  content: [content],
});
const text = (said: string): unknown => says({ type: "output_text", text: said, annotations: [] });
const computerCall = (actions: readonly Json[], checks: readonly Json[] = []): unknown => ({
  type: "computer_call",
  id: `cu_${++count}`,
  call_id: `call_${count}`,
  status: "completed",
  pending_safety_checks: checks,
  actions,
});

const urlsIn = (body: Json): readonly string[] =>
  [...objectsIn(body["input"])].flatMap(({ image_url: url }) => (typeof url === "string" ? [url] : []));

const typeOf = (item: Json | undefined): string => (typeof item?.["type"] === "string" ? item["type"] : "message");

function examine(body: Json): Simulated | undefined {
  const wrong = (message: string): Simulated => ({ status: 400, message });
  const input = body["input"] as readonly Json[];
  const outputs = input.filter((item) => typeOf(item).endsWith("_call_output"));
  for (const [index, item] of input.entries()) {
    const type = item["type"];
    if (type === "reasoning" && !/_call$|^message$/.test(typeOf(input[index + 1]))) {
      return wrong(
        `Item '${JSON.stringify(item["id"])}' of type 'reasoning' was provided without its required following item.`,
      );
    }
    if (type === "computer_call" || type === "function_call") {
      const output = outputs.find(({ call_id: id }) => id === item["call_id"]);
      if (output === undefined)
        return wrong(`No tool output found for ${type.replace("_", " ")} ${JSON.stringify(item["call_id"])}.`);
      const pending = (item["pending_safety_checks"] ?? []) as readonly Json[];
      const acknowledged = (output["acknowledged_safety_checks"] ?? []) as readonly Json[];
      if (pending.some(({ id }) => !acknowledged.some((one) => one["id"] === id))) {
        return wrong("Computer call was not acknowledged: pending safety checks.");
      }
    }
    if (type === "computer_call_output") {
      const shot = item["output"] as Json;
      if (typeof shot["image_url"] !== "string")
        return wrong(`Missing required parameter: 'input[${index}].output.image_url'.`);
    }
  }
  for (const id of outputs.map((output) => output["call_id"])) {
    if (!input.some((item) => item["call_id"] === id && typeOf(item).endsWith("_call"))) {
      return wrong(`No tool call found for call output with call_id ${JSON.stringify(id)}.`);
    }
  }
  return examineSchemas(body) ?? examinePictures(body);
}

/** The rules of `strict`: every property required, no others, no lengths. */
function examineSchemas(body: Json): Simulated | undefined {
  const format = (body["text"] as { readonly format?: Json } | undefined)?.format;
  const tools = ((body["tools"] ?? []) as readonly Json[]).filter(({ type }) => type === "function");
  for (const { strict, ...rest } of [...(format ? [format] : []), ...tools]) {
    const schema = (rest["schema"] ?? rest["parameters"]) as Json;
    const names = Object.keys(schema["properties"] as Json);
    const required = schema["required"] as readonly string[];
    const missing = names.find((name) => !required.includes(name));
    if (strict !== true) return { status: 400, message: "the test wants strict schemas" };
    if (missing)
      return { status: 400, message: `Invalid schema: 'required' must include every key; missing '${missing}'.` };
    if (schema["additionalProperties"] !== false) {
      return {
        status: 400,
        message: "Invalid schema: 'additionalProperties' is required to be supplied and to be false.",
      };
    }
    if ("oneOf" in schema || "anyOf" in schema) return { status: 400, message: "Invalid schema: a union at the root." };
    if ([...objectsIn(schema)].some((one) => "maxLength" in one)) {
      return { status: 400, message: "Invalid schema: 'maxLength' is not permitted." };
    }
  }
  return undefined;
}

function examinePictures(body: Json): Simulated | undefined {
  for (const url of urlsIn(body)) {
    const size = pictureSize(fromDataUrl(url));
    if (size === undefined) return { status: 400, message: "Invalid image data." };
    if (Math.max(size.width, size.height) > 8000) {
      return { status: 400, message: "The image you provided is too large: its dimensions exceed the limit." };
    }
  }
  return undefined;
}

export const openaiWire: Wire = {
  vendor: "openai",
  path: /^\/v1\/responses$/,
  base: "/v1",
  keyHeader: "authorization",
  keyValue: `Bearer ${testKey}`,
  plainModel: "gpt-4.1",
  computerModel: "gpt-5.4",
  examine,
  error: (status, message) => ({
    error: { message, type: status >= 500 ? "server_error" : "invalid_request_error", param: null, code: null },
  }),
  rateLimit: (seconds) => ({
    body: { error: { message: "Rate limit reached.", type: "tokens", param: null, code: "rate_limit_exceeded" } },
    headers: { "retry-after-ms": String(seconds * 1_000), "retry-after": String(Math.ceil(seconds)) },
  }),
  says: (said) => response([reasoning(), text(said)]),
  refuses: (why) => response([says({ type: "refusal", refusal: why })]),
  isCutOff: (said) =>
    response([text(said)], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
  clicks: (x, y) => response([reasoning(), computerCall([{ type: "click", button: "left", x, y }])]),
  acts: (args) =>
    response([
      reasoning(),
      {
        type: "function_call",
        id: `fc_${++count}`,
        call_id: `call_${count}`,
        name: "act",
        arguments: JSON.stringify(args),
      },
    ]),
  asksFirst: (why) =>
    response([
      reasoning(),
      computerCall(
        [{ type: "click", button: "left", x: 5, y: 6 }],
        [{ id: "sc_1", code: "malicious_instructions", message: why }],
      ),
    ]),
  pictures: (body) => urlsIn(body).map(fromDataUrl),
};
