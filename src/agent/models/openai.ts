import { z } from "zod";
import type { AgentAction } from "../action.ts";
import { MalformedAnswer, type Decision, type Picture, type Turn, type Usage, type VisionModel } from "../model.ts";
import { actTool, readActions, readAnswer, strictSchema } from "./answer.ts";
import { dataUrl, forRecord, toDialogue, type Said } from "./dialogue.ts";
import type { ModelFacts } from "./facts.ts";
import { post } from "./http.ts";
import { computerCall, safetyChecks, toOpenAiActions } from "./openai-computer.ts";
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

const message = z.object({
  type: z.literal("message"),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() })),
});
const functionCall = z.object({
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const reply = z.object({
  status: z.string().nullish(),
  error: z.object({ message: z.string() }).nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(z.looseObject({ type: z.string() })),
  usage: z
    .object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

type Item = z.output<typeof reply>["output"][number];

/** The items of an answer; a call must be sent back with the encrypted reasoning before it. */
interface Memory {
  readonly items: readonly Item[];
}

/** OpenAI's Responses API, without storing anything on its servers. */
export function openOpenAi({ name, model, facts, endpoint, system }: WireOptions): VisionModel {
  const common = { model, store: false, max_output_tokens: longestAnswerTokens };
  return {
    name,
    sees: facts.sees,
    limits: facts.limits,
    async next(turn): Promise<Decision> {
      const picture = turn.observation.picture;
      const isNative = facts.computer !== undefined && picture !== undefined;
      const request = {
        ...common,
        include: ["reasoning.encrypted_content"],
        instructions: isNative
          ? toolInstructions(facts.coordinates)
          : jsonInstructions(facts.coordinates, picture !== undefined),
        input: toDialogue(turn).flatMap((said) => itemsOf(said, turn, isNative, detailOf(facts))),
        ...(isNative
          ? {
              tools: toolsOf(facts, picture, system ?? "browser"),
              // The preview tool is refused without it.
              ...(facts.computer === "computer_use_preview" ? { truncation: "auto" } : {}),
            }
          : { text: { format: { type: "json_schema", name: "action", strict: true, schema: strictSchema } } }),
      };
      const answer = await post(endpoint, request, turn.signal);
      const { items, text, usage } = readReply(answer, endpoint.who);
      return {
        actions: (isNative ? readCalls(items, text, usage) : readAnswer(text, usage)).map((action) =>
          toPixels(action, facts, picture?.size),
        ),
        usage,
        memory: { items } satisfies Memory,
        prompt: forRecord(request),
        answer: forRecord(answer),
        mustConfirm: items.flatMap(safetyChecks).map((check) => check.message ?? check.code ?? check.id),
      };
    },
    async describe(picture, question, signal) {
      const input = [{ role: "user", content: contentOf(question, picture, detailOf(facts)) }];
      return readReply(
        await post(endpoint, { ...common, instructions: describeInstructions, input }, signal),
        endpoint.who,
      );
    },
  };
}

type Detail = "original" | "high";

/** Only models with the newer computer tool support "original"; it keeps coordinates one to one. */
const detailOf = ({ computer }: ModelFacts): Detail => (computer === "computer" ? "original" : "high");

function toolsOf({ computer }: ModelFacts, { size }: Picture, system: string): readonly unknown[] {
  const act = { type: "function", ...actTool, strict: true, parameters: strictSchema };
  if (computer === "computer") return [{ type: computer }, act];
  return [{ type: computer, display_width: size.width, display_height: size.height, environment: system }, act];
}

function itemsOf(said: Said, turn: Turn, isNative: boolean, detail: Detail): readonly unknown[] {
  const nativeItems = (step: Said & object): readonly Item[] => {
    const past = step.by === "model" ? step.step : step.after;
    const items = (past?.memory as Memory | undefined)?.items ?? [];
    // The output of a computer call must be a picture. If it was dropped, the step is described in words instead.
    return isNative && past && (followedByPicture(past, turn) || !items.some(isComputerCall)) ? items : [];
  };
  if (said.by === "model") {
    const items = nativeItems(said);
    return items.length > 0 ? items : [{ role: "assistant", content: said.text }];
  }
  const items = nativeItems(said);
  const { picture } = said;
  const outputs = items.flatMap((item) => outputsOf(item, picture, said.text));
  if (outputs.length === 0) return [{ role: "user", content: contentOf(said.text, picture, detail) }];
  const isShown = items.some(isComputerCall);
  return [...outputs, { role: "user", content: contentOf(said.text, isShown ? undefined : picture, detail) }];
}

const isComputerCall = (item: Item): boolean => item.type === "computer_call";

/** Whether the look after a step still has its picture. */
function followedByPicture(step: Turn["history"][number], { history, observation }: Turn): boolean {
  const next = history[history.indexOf(step) + 1];
  return next === undefined ? observation.picture !== undefined : next.keepsPicture && !!next.observation.picture;
}

function outputsOf(item: Item, picture: Picture | undefined, text: string): readonly unknown[] {
  const called = functionCall.safeParse(item);
  if (called.success) return [{ type: "function_call_output", call_id: called.data.call_id, output: text }];
  const computer = computerCall.safeParse(item);
  if (!computer.success || picture === undefined) return [];
  const { call_id, pending_safety_checks: checks } = computer.data;
  return [
    {
      type: "computer_call_output",
      call_id,
      output: { type: "computer_screenshot", image_url: dataUrl(picture) },
      // The loop has already asked a person; a refusal ends the run and never gets here.
      ...(checks.length > 0 ? { acknowledged_safety_checks: checks } : {}),
    },
  ];
}

function contentOf(text: string, picture: Picture | undefined, detail: Detail): readonly unknown[] {
  return [
    { type: "input_text", text },
    ...(picture === undefined ? [] : [{ type: "input_image", image_url: dataUrl(picture), detail }]),
  ];
}

function readCalls(items: readonly Item[], text: string, usage: Usage): readonly AgentAction[] {
  const actions = items.flatMap((item) => {
    const called = functionCall.safeParse(item);
    if (called.success) return readActions(parseArguments(called.data.arguments, usage), called.data.arguments, usage);
    const computer = computerCall.safeParse(item);
    return computer.success ? toOpenAiActions(computer.data, usage, text) : [];
  });
  if (actions.length === 0) throw noCall(text, usage);
  return withoutNeedlessLooks(actions);
}

function parseArguments(text: string, usage: Usage): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedAnswer(text, "The arguments of act are not JSON.", usage);
  }
}

function readReply(answer: unknown, who: string): { items: readonly Item[]; text: string; usage: Usage } {
  const parsed = reply.safeParse(answer);
  if (!parsed.success) throw notThisWire(who, "OpenAI's Responses API");
  const { output, usage: used, incomplete_details, error } = parsed.data;
  const usage: Usage = {
    inputTokens: used?.input_tokens ?? 0,
    outputTokens: used?.output_tokens ?? 0,
    cachedTokens: used?.input_tokens_details?.cached_tokens ?? 0,
  };
  const contents = output.flatMap((item) => message.safeParse(item).data?.content ?? []);
  const text = contents.flatMap((part) => part.text ?? []).join("\n");
  const refusal = contents.flatMap((part) => part.refusal ?? []).join(" ");
  if (refusal !== "") throw refused(who, refusal);
  if (error) throw refused(who, error.message);
  if (incomplete_details?.reason === "content_filter") throw refused(who, "its content filter stopped the answer");
  if (incomplete_details?.reason === "max_output_tokens") throw cutOff(text, usage);
  return { items: output, text, usage };
}
