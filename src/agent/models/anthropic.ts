import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { AgentAction } from "../action.ts";
import type { Decision, Picture, Turn, Usage, VisionModel } from "../model.ts";
import { actTool, looseSchema, readActions, readAnswer } from "./answer.ts";
import { toComputerActions } from "./anthropic-computer.ts";
import { base64, forRecord, toDialogue } from "./dialogue.ts";
import type { ComputerTool } from "./facts.ts";
import { post } from "./http.ts";
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

const toolUse = z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() });
const reply = z.object({
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  stop_details: z.object({ explanation: z.string().nullish() }).nullish(),
  usage: z
    .object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_read_input_tokens: z.number().nullish(),
      cache_creation_input_tokens: z.number().nullish(),
    })
    .partial()
    .nullish(),
});

type Block = z.output<typeof reply>["content"][number];

/** The blocks of an answer; thoughts are signed and must be sent back unchanged. */
interface Memory {
  readonly blocks: readonly Block[];
}

export function openAnthropic({ name, model, facts, endpoint }: WireOptions): VisionModel {
  const { computer } = facts;
  const beta = computer?.startsWith("computer_2") ? `computer-use-${betaDate(computer)}` : undefined;
  const reached = { ...endpoint, headers: { ...endpoint.headers, ...(beta ? { "anthropic-beta": beta } : {}) } };

  return {
    name,
    sees: facts.sees,
    limits: facts.limits,
    async next(turn): Promise<Decision> {
      const picture = turn.observation.picture;
      // Without a picture, a computer tool has nothing to point at.
      const tool = picture === undefined ? undefined : computer;
      const request = {
        model,
        max_tokens: longestAnswerTokens,
        system: systemOf(
          tool ? toolInstructions(facts.coordinates) : jsonInstructions(facts.coordinates, picture !== undefined),
        ),
        messages: messagesOf(turn, tool !== undefined),
        ...(tool && picture
          ? { tools: toolsOf(tool, picture) }
          : { output_config: { format: { type: "json_schema", schema: looseSchema } } }),
      };
      const answer = await post(tool ? reached : endpoint, request, turn.signal);
      const { blocks, text, usage } = readReply(answer, endpoint.who);
      return {
        actions: (tool ? readCalls(blocks, text, usage) : readAnswer(text, usage)).map((action) =>
          toPixels(action, facts, picture?.size),
        ),
        usage,
        memory: { blocks } satisfies Memory,
        prompt: forRecord(request),
        answer: forRecord(answer),
        mustConfirm: [],
      };
    },
    async describe(picture, question, signal) {
      const request = {
        model,
        max_tokens: longestAnswerTokens,
        system: systemOf(describeInstructions),
        messages: [{ role: "user", content: contentOf(question, picture) }],
      };
      return readReply(await post(endpoint, request, signal), endpoint.who);
    },
  };
}

const betaDate = (tool: ComputerTool): string => tool.replace(/^computer_(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");

const systemOf = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];

/** Tools that our vocabulary cannot express; the model does not try what is not offered. */
const switchedOff = ["cursor_position", "mouse_move", "left_mouse_down", "left_mouse_up", "hold_key", "zoom"];

function toolsOf(tool: ComputerTool, { size }: Picture): readonly unknown[] {
  const act = { ...actTool, input_schema: looseSchema };
  if (tool === "computer_toolset_20260801") {
    const configs = Object.fromEntries(switchedOff.map((member) => [member, { enabled: false }]));
    return [{ type: tool, configs }, act];
  }
  return [{ type: tool, name: "computer", display_width_px: size.width, display_height_px: size.height }, act];
}

function messagesOf(turn: Turn, isNative: boolean): readonly unknown[] {
  return toDialogue(turn).map((said) => {
    if (said.by === "model") {
      const blocks = isNative ? (said.step?.memory as Memory | undefined)?.blocks : undefined;
      return { role: "assistant", content: blocks && blocks.length > 0 ? blocks : [{ type: "text", text: said.text }] };
    }
    const calls = isNative ? callsIn((said.after?.memory as Memory | undefined)?.blocks ?? []) : [];
    if (calls.length === 0) return { role: "user", content: contentOf(said.text, said.picture) };
    return {
      role: "user",
      content: calls.map(({ id, toolset }, index) => ({
        type: "tool_result",
        tool_use_id: id,
        ...(toolset === undefined ? {} : { toolset_name: toolset }),
        // The picture taken after all of them comes with the last.
        content: index < calls.length - 1 ? [{ type: "text", text: "Done." }] : contentOf(said.text, said.picture),
      })),
    };
  });
}

function contentOf(text: string, picture: Picture | undefined): readonly unknown[] {
  return [
    { type: "text", text },
    ...(picture === undefined
      ? []
      : [{ type: "image", source: { type: "base64", media_type: picture.mimeType, data: base64(picture) } }]),
  ];
}

function callsIn(blocks: readonly Block[]) {
  return blocks.flatMap((block) => {
    const parsed = toolUse.safeParse(block);
    const toolset = typeof block["toolset_name"] === "string" ? block["toolset_name"] : undefined;
    return parsed.success ? [{ ...parsed.data, toolset }] : [];
  });
}

function readCalls(blocks: readonly Block[], text: string, usage: Usage): readonly AgentAction[] {
  const calls = callsIn(blocks);
  if (calls.length === 0) throw noCall(text, usage);
  return withoutNeedlessLooks(
    calls.flatMap(({ name, input, toolset }) =>
      name === actTool.name && toolset === undefined
        ? readActions(input, JSON.stringify(input), usage)
        : toComputerActions(name, input, usage, text),
    ),
  );
}

function readReply(answer: unknown, who: string): { blocks: readonly Block[]; text: string; usage: Usage } {
  const parsed = reply.safeParse(answer);
  if (!parsed.success) throw notThisWire(who, "Anthropic's Messages API");
  const { content, stop_reason, stop_details, usage: used } = parsed.data;
  const cachedTokens = used?.cache_read_input_tokens ?? 0;
  const usage: Usage = {
    // Anthropic counts cache reads and writes separately.
    inputTokens: (used?.input_tokens ?? 0) + cachedTokens + (used?.cache_creation_input_tokens ?? 0),
    outputTokens: used?.output_tokens ?? 0,
    cachedTokens,
  };
  const text = content.flatMap((block) => (typeof block["text"] === "string" ? [block["text"]] : [])).join("\n");
  if (stop_reason === "refusal") throw refused(who, stop_details?.explanation ?? (text || "no reason given"));
  if (stop_reason === "max_tokens") throw cutOff(text, usage);
  if (stop_reason === "model_context_window_exceeded") {
    throw new ToolError("invalid_argument", `The conversation no longer fits the model of ${who}.`, {
      hint: "Use fewer steps, smaller pictures, or a model with a larger context.",
    });
  }
  return { blocks: content, text, usage };
}
