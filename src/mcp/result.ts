import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { ToolError, type ErrorEnvelope } from "../base/errors.ts";
import { answerTexts, errorTexts, type AnswerForm } from "../tools/answers.ts";
import type { CallOutcome } from "../tools/call.ts";
import type { ToolImage } from "../tools/tool.ts";
import { fits, type Limits } from "./limits.ts";
import { frameUri } from "./uri.ts";

type Ended = Exclude<CallOutcome, { kind: "ask" }>;
type Done = Extract<CallOutcome, { kind: "done" }>;

/** Where a program finds the error that the text tells. */
export const errorKey = "handsight/error";

export function toCallToolResult(tool: string, outcome: Ended, form: AnswerForm, limits: Limits): CallToolResult {
  if (outcome.kind === "failed") return failure(outcome.envelope, outcome.isUntrusted, form);
  const result = success(tool, outcome, form, limits);
  const structure = mostPerUnit * JSON.stringify(outcome.data).length;
  const most = result.content.reduce((sum, block) => sum + mostBytes(block), structure);
  return most <= limits.maxMessageBytes || fits(result, limits)
    ? result
    : failure(tooLarge(tool, limits).toEnvelope(), false, form);
}

// An escaped character takes six bytes; one of JSON that is escaped already, three.
const mostPerCharacter = 6;
const mostPerUnit = 3;
const aroundBlock = 10_000;

/** The maximum size of a block: nearly every result is so small that it need not be serialised to be measured. */
function mostBytes(block: ContentBlock): number {
  if (block.type === "text") return aroundBlock + mostPerCharacter * block.text.length;
  return block.type === "image" ? aroundBlock + block.data.length : aroundBlock;
}

/** Pictures first, then the data, then remarks, then links. */
function success(tool: string, done: Done, form: AnswerForm, limits: Limits): CallToolResult {
  const { stepId, data, images } = done;
  const pictures: ContentBlock[] = [];
  const links: ContentBlock[] = [];
  const remarks: string[] = [];
  // Half of the message, so that many small pictures cannot crowd out the data.
  let room = limits.maxMessageBytes / 2;
  for (const [index, image] of images.entries()) {
    const id = image.frameId ?? `${stepId}-${index + 1}`;
    const encodedBytes = Math.ceil(image.bytes.length / 3) * 4;
    const isInline = image.bytes.length <= limits.maxInlineBytes && encodedBytes <= room;
    if (isInline) {
      room -= encodedBytes;
      pictures.push({ type: "image", data: toBase64(image.bytes), mimeType: image.mimeType });
    } else {
      remarks.push(
        `The picture (${image.bytes.length} bytes) is too large to send along; read it from ${frameUri(id)}.`,
      );
    }
    // The lines name the picture already; a program may want the address.
    if (!isInline || (form === "json" && image.frameId !== undefined)) links.push(frameLink(id, image));
  }
  const told = answerTexts(tool, done, form).map(text);
  return { content: [...pictures, ...told, ...remarks.map(text), ...links], structuredContent: data };
}

// Without `structuredContent`: clients built on the 1.x SDK check it against the tool's output schema even when
// `isError` is set, and would report a schema violation instead of the error.
function failure(envelope: ErrorEnvelope, isUntrusted: boolean, form: AnswerForm): CallToolResult {
  const content = errorTexts(envelope, isUntrusted, form).map(text);
  return { isError: true, content, _meta: { [errorKey]: envelope } };
}

function tooLarge(tool: string, { maxMessageBytes }: Limits): ToolError {
  const limit = `${Math.round(maxMessageBytes / 1024)} KB`;
  return new ToolError("invalid_argument", `The result of ${tool} is larger than one message may be (${limit}).`, {
    hint: "Ask for less: one window or region instead of the screen, or a smaller limit on nodes, bytes or image size.",
  });
}

const text = (value: string): ContentBlock => ({ type: "text", text: value });

function frameLink(id: string, { mimeType }: ToolImage): ContentBlock {
  return { type: "resource_link", uri: frameUri(id), name: id, title: "Full picture", mimeType };
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
