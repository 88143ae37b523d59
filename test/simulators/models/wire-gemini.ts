import { objectsIn, pictureSize } from "./picture.ts";
import { testKey, type Json, type Simulated, type Wire } from "./wire.ts";

const states: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

const usageMetadata = {
  promptTokenCount: 120,
  candidatesTokenCount: 10,
  thoughtsTokenCount: 5,
  cachedContentTokenCount: 30,
  totalTokenCount: 135,
};
const signature = "C".repeat(600);
const candidate = (parts: readonly unknown[], finishReason = "STOP"): unknown => ({
  candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
  usageMetadata,
  modelVersion: "gemini",
  responseId: "r1",
});
let count = 0;
const call = (name: string, args: Json): unknown =>
  candidate([
    { text: "I see the button.", thought: true },
    { functionCall: { id: `f${++count}`, name, args }, thoughtSignature: signature },
  ]);

const blobsIn = (body: Json): readonly Json[] =>
  [...objectsIn(body["contents"])].flatMap(({ inlineData }) => (inlineData ? [inlineData as Json] : []));

interface Content {
  readonly role: string;
  readonly parts: readonly Json[];
}

function examine(body: Json): Simulated | undefined {
  const wrong = (message: string): Simulated => ({ status: 400, message });
  const contents = body["contents"] as readonly Content[];
  for (const [index, { role, parts }] of contents.entries()) {
    if (role !== (index % 2 === 0 ? "user" : "model")) return wrong("Please ensure that roles alternate.");
    if (parts.length === 0) return wrong("contents.parts must not be empty.");
    const calls = parts.flatMap((part) => (part["functionCall"] ? [part] : []));
    const answers = contents[index + 1]?.parts.filter((part) => part["functionResponse"]) ?? [];
    if (calls.length !== answers.length) {
      return wrong("The number of function response parts must equal the number of function call parts.");
    }
    for (const [at, part] of calls.entries()) {
      const asked = part["functionCall"] as Json;
      const given = answers[at]?.["functionResponse"] as Json;
      if (asked["name"] !== given["name"] || asked["id"] !== given["id"])
        return wrong("A function response has no call.");
      if (part["thoughtSignature"] !== signature) return wrong("Function call is missing a thought_signature.");
      const safety = (asked["args"] as Json)["safety_decision"];
      if (safety && (given["response"] as Json)["safety_acknowledgement"] !== true) {
        return wrong("A safety decision was not acknowledged.");
      }
    }
  }
  const config = body["generationConfig"] as Json | undefined;
  if (body["tools"] && config?.["responseMimeType"]) return wrong("Tool use with a response mime type is unsupported");
  for (const { data, mimeType } of blobsIn(body)) {
    const size = pictureSize(Buffer.from(data as string, "base64"));
    if (!/^image\/(png|jpeg)$/.test(String(mimeType)) || size === undefined)
      return wrong("Unable to process input image.");
    if (Math.max(size.width, size.height) > 8000) return wrong("Unable to process input image: it is too large.");
  }
  return undefined;
}

export const geminiWire: Wire = {
  vendor: "gemini",
  path: /^\/v1beta\/models\/[\w.-]+:generateContent$/,
  base: "/v1beta",
  keyHeader: "x-goog-api-key",
  keyValue: testKey,
  plainModel: "gemini-2.0-flash",
  computerModel: "gemini-3.5-flash",
  examine,
  error: (status, message) => ({ error: { code: status, message, status: states[status] ?? "UNKNOWN" } }),
  rateLimit: (seconds) => ({
    body: {
      error: {
        code: 429,
        message: "You exceeded your current quota.",
        status: "RESOURCE_EXHAUSTED",
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` }],
      },
    },
    headers: {},
  }),
  says: (text) => candidate([{ text }]),
  refuses: (why) => ({
    candidates: [{ finishReason: "SAFETY", finishMessage: why, index: 0 }],
    usageMetadata,
  }),
  isCutOff: (text) => candidate([{ text }], "MAX_TOKENS"),
  clicks: (x, y) => call("click", { x, y, intent: "Press the button" }),
  acts: (args) => call("act", args),
  asksFirst: (why) =>
    call("click", { x: 60, y: 100, safety_decision: { decision: "require_confirmation", explanation: why } }),
  pictures: (body) => blobsIn(body).map(({ data }) => Buffer.from(data as string, "base64")),
};
