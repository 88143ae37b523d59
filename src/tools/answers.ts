import type { ErrorEnvelope } from "../base/errors.ts";
import { betweenMarks, screenMarks } from "../base/screen-content.ts";
import { answerText } from "./answer/answer.ts";
import { devtoolsError, devtoolsNames, devtoolsTexts } from "./answer/devtools.ts";
import { errorText } from "./answer/error.ts";
import { ocrSummary } from "./answer/ocr-summary.ts";
import { compatSets, type AnyTool } from "./tool.ts";

/** Lines for a model, or JSON for a program. */
export const answerForms = ["text", "json"] as const;
/** Or as the documents of another tool surface spell it. */
export type AnswerForm = (typeof answerForms)[number] | "devtools";

/** Tools of another surface must answer exactly as its documents say, whatever the caller asks for. */
export function formOf(
  tool: AnyTool | undefined,
  asked: AnswerForm,
  { isDevtools = false }: { readonly isDevtools?: boolean | undefined } = {},
): AnswerForm {
  if (isDevtools && (!tool || devtoolsNames.includes(tool.name))) return "devtools";
  return tool && compatSets.includes(tool.set) ? "json" : asked;
}

interface Said {
  readonly data: Record<string, unknown>;
  /** The data contains text that somebody else put on the screen. */
  readonly isUntrusted: boolean;
}

/** The text blocks of an answer. Whatever the form, they are made of the same data. */
export function answerTexts(tool: string, { data, isUntrusted }: Said, form: AnswerForm): readonly string[] {
  if (form === "devtools") return devtoolsTexts(tool, data);
  if (form === "text") return [mark(answerText(data), isUntrusted, data)];
  const { texts: _, texts_note: _note, ...rest } = data;
  return between(rest, ocrSummary(data), isUntrusted);
}

export function errorTexts(envelope: ErrorEnvelope, isUntrusted: boolean, form: AnswerForm): readonly string[] {
  if (form === "devtools") return [devtoolsError(envelope)];
  return form === "text"
    ? [mark(errorText(envelope), isUntrusted, { ...envelope })]
    : between({ ...envelope }, [], isUntrusted);
}

const hasOrders = ({ suspicious_text: orders }: Readonly<Record<string, unknown>>) => ({
  hasOrders: orders !== undefined,
});

const mark = (text: string, isUntrusted: boolean, data: Readonly<Record<string, unknown>>): string =>
  isUntrusted ? betweenMarks(text, hasOrders(data)) : text;

/** The JSON stays a separate block between the marks, so that a program need not look for it. */
function between(data: Record<string, unknown>, notes: readonly string[], isUntrusted: boolean): readonly string[] {
  const blocks = [JSON.stringify(data), ...notes];
  if (!isUntrusted) return blocks;
  const { opening, closing } = screenMarks(hasOrders(data));
  return [opening, ...blocks, closing];
}
