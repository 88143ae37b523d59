import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Decision, Picture, Turn, Usage, VisionModel } from "../model.ts";
import { looseSchema, readAnswer } from "./answer.ts";
import { dataUrl, forRecord, toDialogue } from "./dialogue.ts";
import type { ModelFacts } from "./facts.ts";
import { post, type Endpoint } from "./http.ts";
import { describeInstructions, jsonInstructions } from "./prompt.ts";
import { cutOff, longestAnswerTokens, notThisWire, refused, toPixels, type WireOptions } from "./wire.ts";

const reply = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().nullish(),
      completion_tokens: z.number().nullish(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

/** Any server with OpenAI's chat completions API: Ollama, vLLM, LM Studio, llama.cpp, gateways. */
export function openChat({ name, model, facts, endpoint }: WireOptions): VisionModel {
  // Old servers refuse a schema; from then on they are asked without one, and zod still checks.
  let takesSchema = true;

  const ask = async (messages: readonly unknown[], schema: boolean, signal: AbortSignal) => {
    const body = (withSchema: boolean) => ({
      model,
      messages,
      max_tokens: longestAnswerTokens,
      ...(withSchema
        ? { response_format: { type: "json_schema", json_schema: { name: "action", schema: looseSchema } } }
        : {}),
    });
    const request = body(schema && takesSchema);
    try {
      return { request, answer: await post(endpoint, request, signal) };
    } catch (error) {
      if (!schema || !takesSchema || !isAboutSchema(error)) throw error;
      takesSchema = false;
      const plain = body(false);
      return { request: plain, answer: await post(endpoint, plain, signal) };
    }
  };

  return {
    name,
    sees: facts.sees,
    limits: facts.limits,
    async next(turn): Promise<Decision> {
      const { request, answer } = await ask(messagesOf(turn, facts), true, turn.signal);
      const { text, usage } = readReply(answer, endpoint);
      const actions = readAnswer(text, usage).map((action) => toPixels(action, facts, turn.observation.picture?.size));
      return {
        actions,
        usage,
        memory: undefined,
        prompt: forRecord(request),
        answer: forRecord(answer),
        mustConfirm: [],
      };
    },
    async describe(picture, question, signal) {
      const messages = [
        { role: "system", content: describeInstructions },
        { role: "user", content: contentOf(question, picture) },
      ];
      const { answer } = await ask(messages, false, signal);
      return readReply(answer, endpoint);
    },
  };
}

const isAboutSchema = (error: unknown): boolean =>
  error instanceof ToolError &&
  error.code === "invalid_argument" &&
  /response_format|json_schema|structured|grammar/i.test(error.message);

function messagesOf(turn: Turn, { coordinates, sees }: ModelFacts): readonly unknown[] {
  return [
    { role: "system", content: jsonInstructions(coordinates, sees) },
    ...toDialogue(turn).map((said) =>
      said.by === "user"
        ? { role: "user", content: contentOf(said.text, said.picture) }
        : { role: "assistant", content: said.text },
    ),
  ];
}

/** Plain text if there is no picture: servers for models that do not see do not accept a list. */
function contentOf(text: string, picture: Picture | undefined): unknown {
  if (picture === undefined) return text;
  return [
    { type: "text", text },
    { type: "image_url", image_url: { url: dataUrl(picture) } },
  ];
}

function readReply(answer: unknown, { who }: Endpoint): { text: string; usage: Usage } {
  const parsed = reply.safeParse(answer);
  const choice = parsed.data?.choices[0];
  if (!parsed.success || choice === undefined) throw notThisWire(who, "chat completions");
  const used = parsed.data.usage;
  const usage: Usage = {
    inputTokens: used?.prompt_tokens ?? 0,
    outputTokens: used?.completion_tokens ?? 0,
    cachedTokens: used?.prompt_tokens_details?.cached_tokens ?? 0,
  };
  const { content, refusal } = choice.message;
  if (typeof refusal === "string" && refusal !== "") throw refused(who, refusal);
  if (choice.finish_reason === "content_filter") throw refused(who, "its content filter stopped the answer");
  const text = content ?? "";
  if (choice.finish_reason === "length") throw cutOff(text, usage);
  return { text, usage };
}
