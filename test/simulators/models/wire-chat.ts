import { fromDataUrl, objectsIn, pictureSize } from "./picture.ts";
import { testKey, type Json, type Simulated, type Wire } from "./wire.ts";

const completion = (message: Json, finish: string): unknown => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_790_000_000,
  model: "local",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  usage: { prompt_tokens: 120, completion_tokens: 15, total_tokens: 135, prompt_tokens_details: { cached_tokens: 30 } },
});

const urlsIn = (body: Json): readonly string[] =>
  [...objectsIn(body["messages"])].flatMap(({ image_url: image }) =>
    typeof image === "object" && image !== null ? [(image as { url: string }).url] : [],
  );

function examine(body: Json): Simulated | undefined {
  const messages = body["messages"] as readonly { readonly role: string; readonly content: unknown }[];
  const wrong = (message: string): Simulated => ({ status: 400, message });
  const [first, ...rest] = messages;
  if (first?.role !== "system") return wrong("the first message must be the system message");
  // The templates of several open models refuse anything else.
  const stray = rest.findIndex(({ role }, index) => role !== (index % 2 === 0 ? "user" : "assistant"));
  if (stray >= 0) return wrong("Conversation roles must alternate user/assistant/user/assistant/...");
  for (const url of urlsIn(body)) {
    const size = pictureSize(fromDataUrl(url));
    if (size === undefined) return wrong("cannot identify image file");
    if (Math.max(size.width, size.height) > 8000)
      return wrong("The image is too large: it exceeds the context length.");
  }
  return undefined;
}

export const chatWire: Wire = {
  vendor: "chat",
  path: /^\/v1\/chat\/completions$/,
  base: "/v1",
  keyHeader: "authorization",
  keyValue: `Bearer ${testKey}`,
  plainModel: "llava:7b",
  computerModel: undefined,
  examine,
  error: (status, message) => ({ error: { message, type: "BadRequestError", param: null, code: status } }),
  rateLimit: (seconds) => ({
    body: { error: "too many requests" },
    headers: { "retry-after": String(seconds) },
  }),
  says: (text) => completion({ content: text }, "stop"),
  refuses: (why) => completion({ content: null, refusal: why }, "stop"),
  isCutOff: (text) => completion({ content: text }, "length"),
  pictures: (body) => urlsIn(body).map(fromDataUrl),
};
