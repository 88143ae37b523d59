import { z } from "zod";
import type { AgentAction } from "../action.ts";
import type { Decision, Picture, Turn, Usage, VisionModel } from "../model.ts";
import { actTool, looseSchema, readActions, readAnswer } from "./answer.ts";
import { base64, forRecord, toDialogue } from "./dialogue.ts";
import { toGeminiActions } from "./gemini-computer.ts";
import type { ComputerTool, ModelFacts } from "./facts.ts";
import { post, type Endpoint } from "./http.ts";
import { describeInstructions, jsonInstructions, toolInstructions } from "./prompt.ts";
import {
  cutOff,
  longestAnswerTokens,
  noCall,
  notThisWire,
  refused,
  toPixels,
  withoutNeedlessLooks,
  type WireOptions,
} from "./wire.ts";

const decision = z.looseObject({ decision: z.string().optional(), explanation: z.string().optional() });
const functionCall = z.object({
  id: z.string().nullish(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
});
const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: functionCall.optional(),
});
const reply = z.object({
  candidates: z
    .array(
      z.object({
        content: z.object({ role: z.string().optional(), parts: z.array(part).default([]) }).optional(),
        finishReason: z.string().nullish(),
        finishMessage: z.string().nullish(),
      }),
    )
    .default([]),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z
    .object({
      promptTokenCount: z.number(),
      candidatesTokenCount: z.number(),
      thoughtsTokenCount: z.number(),
      toolUsePromptTokenCount: z.number(),
      cachedContentTokenCount: z.number(),
    })
    .partial()
    .nullish(),
});

type Part = z.output<typeof part>;
type Call = z.output<typeof functionCall>;

/** The parts of an answer; their thought signatures must be sent back unchanged. */
interface Memory {
  readonly parts: readonly Part[];
}

/** Gemini's generateContent. */
export function openGemini({ name, model, facts, endpoint }: WireOptions): VisionModel {
  return {
    name,
    sees: facts.sees,
    limits: facts.limits,
    async next(turn): Promise<Decision> {
      const picture = turn.observation.picture;
      const tool = picture === undefined ? undefined : facts.computer;
      const request = {
        systemInstruction: textContent(
          tool ? toolInstructions(facts.coordinates) : jsonInstructions(facts.coordinates, picture !== undefined),
        ),
        contents: contentsOf(turn, tool !== undefined),
        ...(tool ? { tools: toolsOf(tool) } : {}),
        generationConfig: {
          maxOutputTokens: longestAnswerTokens,
          ...(tool ? {} : { responseMimeType: "application/json", responseJsonSchema: looseSchema }),
        },
      };
      const answer = await post(addressed(endpoint, model), request, turn.signal);
      const { parts, text, usage } = readReply(answer, endpoint.who);
      return {
        actions: tool
          ? readCalls(parts, text, usage, facts, picture)
          : readAnswer(text, usage).map((action) => toPixels(action, facts, picture?.size)),
        usage,
        memory: { parts } satisfies Memory,
        prompt: forRecord(request),
        answer: forRecord(answer),
        mustConfirm: callsIn(parts).flatMap(confirmation),
      };
    },
    async describe(picture, question, signal) {
      const request = {
        systemInstruction: textContent(describeInstructions),
        contents: [{ role: "user", parts: partsOf(question, picture) }],
        generationConfig: { maxOutputTokens: longestAnswerTokens },
      };
      return readReply(await post(addressed(endpoint, model), request, signal), endpoint.who);
    },
  };
}

const addressed = (endpoint: Endpoint, model: string): Endpoint => ({
  ...endpoint,
  url: `${endpoint.url}/models/${encodeURIComponent(model.replace(/^models\//, ""))}:generateContent`,
});

const textContent = (text: string) => ({ parts: [{ text }] });

/** Functions that our vocabulary cannot express; the model does not try what is not offered. */
const excluded: Readonly<Partial<Record<ComputerTool, readonly string[]>>> = {
  computerUse: ["mouse_down", "mouse_up", "move", "key_down", "key_up"],
  "computerUse-2.5": ["open_web_browser", "search", "navigate", "go_back", "go_forward", "hover_at"],
};

function toolsOf(tool: ComputerTool): readonly unknown[] {
  return [
    {
      computerUse: {
        environment: tool === "computerUse" ? "ENVIRONMENT_DESKTOP" : "ENVIRONMENT_BROWSER",
        excludedPredefinedFunctions: excluded[tool],
        ...(tool === "computerUse" ? { enablePromptInjectionDetection: true } : {}),
      },
    },
    { functionDeclarations: [{ ...actTool, parametersJsonSchema: looseSchema }] },
  ];
}

function contentsOf(turn: Turn, isNative: boolean): readonly unknown[] {
  return toDialogue(turn).map((said) => {
    if (said.by === "model") {
      const parts = isNative ? (said.step?.memory as Memory | undefined)?.parts : undefined;
      return { role: "model", parts: parts && parts.length > 0 ? parts : [{ text: said.text }] };
    }
    const calls = isNative ? callsIn((said.after?.memory as Memory | undefined)?.parts ?? []) : [];
    if (calls.length === 0) return { role: "user", parts: partsOf(said.text, said.picture) };
    const { picture } = said;
    return {
      role: "user",
      parts: calls.map((call, index) => {
        const isLast = index === calls.length - 1;
        return {
          functionResponse: {
            ...(call.id ? { id: call.id } : {}),
            name: call.name,
            response: {
              output: isLast ? said.text : "Done.",
              // The loop has already asked a person; a refusal ends the run and never gets here.
              ...(confirmation(call).length > 0 ? { safety_acknowledgement: true } : {}),
            },
            // The picture taken after all of them comes with the last.
            ...(isLast && picture ? { parts: [inline(picture)] } : {}),
          },
        };
      }),
    };
  });
}

const inline = (picture: Picture) => ({ inlineData: { mimeType: picture.mimeType, data: base64(picture) } });

const partsOf = (text: string, picture: Picture | undefined): readonly unknown[] => [
  { text },
  ...(picture === undefined ? [] : [inline(picture)]),
];

const callsIn = (parts: readonly Part[]): readonly Call[] => parts.flatMap((one) => one.functionCall ?? []);

/** What Google wants a person to confirm before this call. */
function confirmation({ name, args }: Call): readonly string[] {
  const asked = decision.safeParse(args["safety_decision"]).data;
  if (asked?.decision !== "require_confirmation") return [];
  return [asked.explanation ?? `Gemini asks for a confirmation of ${name}.`];
}

function readCalls(
  parts: readonly Part[],
  text: string,
  usage: Usage,
  facts: ModelFacts,
  picture: Picture | undefined,
): readonly AgentAction[] {
  const actions = callsIn(parts).flatMap(({ name, args }) => {
    const { safety_decision: _, ...rest } = args;
    return name === actTool.name ? readActions(rest, JSON.stringify(rest), usage) : toGeminiActions(name, rest, usage);
  });
  if (actions.length === 0) throw noCall(text, usage);
  return withoutNeedlessLooks(actions).map((action) => toPixels(action, facts, picture?.size));
}

const blocked = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"];

function readReply(answer: unknown, who: string): { parts: readonly Part[]; text: string; usage: Usage } {
  const parsed = reply.safeParse(answer);
  const [candidate] = parsed.data?.candidates ?? [];
  const block = parsed.data?.promptFeedback?.blockReason;
  if (block) throw refused(who, `the request was blocked (${block})`);
  if (!parsed.success || candidate === undefined) throw notThisWire(who, "Gemini's generateContent");
  const used = parsed.data.usageMetadata;
  const usage: Usage = {
    inputTokens: (used?.promptTokenCount ?? 0) + (used?.toolUsePromptTokenCount ?? 0),
    outputTokens: (used?.candidatesTokenCount ?? 0) + (used?.thoughtsTokenCount ?? 0),
    cachedTokens: used?.cachedContentTokenCount ?? 0,
  };
  const parts = candidate.content?.parts ?? [];
  const text = parts.flatMap((one) => (one.text !== undefined && one.thought !== true ? [one.text] : [])).join("");
  const reason = candidate.finishReason ?? "STOP";
  if (blocked.includes(reason)) throw refused(who, candidate.finishMessage ?? `the answer was blocked (${reason})`);
  if (reason === "MAX_TOKENS") throw cutOff(text, usage);
  return { parts, text, usage };
}
