import { z } from "zod";
import { actionSchema, type AgentAction } from "../action.ts";
import { MalformedAnswer, type Usage } from "../model.ts";

type Schema = Readonly<Record<string, unknown>>;

const kindOf: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(
    (z.toJSONSchema(actionSchema, { io: "input" }) as { properties: Record<string, Schema> }).properties,
  ).map(([name, property]) => [name, bare(property)]),
);

/**
 * Only type and choices: most vendors' strict schemas do not allow lengths and ranges, and zod checks them anyway.
 */
function bare(property: Schema): Schema {
  const { anyOf } = property as { readonly anyOf?: readonly Schema[] };
  const { type, enum: choices } = anyOf?.find((one) => one["type"] !== "null") ?? property;
  return { type, ...(choices === undefined ? {} : { enum: choices }) };
}

/**
 * One action, with absent fields left out. Anthropic refuses more than 16 nullable fields, and local models waste
 * tokens on them.
 */
export const looseSchema: Schema = {
  type: "object",
  properties: kindOf,
  required: ["action"],
  additionalProperties: false,
};

/** One action in OpenAI's strict form: every field is present, null if unused. */
export const strictSchema: Schema = {
  type: "object",
  properties: Object.fromEntries(
    Object.entries(kindOf).map(([name, kind]) => [
      name,
      name === "action" ? kind : { anyOf: [kind, { type: "null" }] },
    ]),
  ),
  required: Object.keys(kindOf),
  additionalProperties: false,
};

/** The tool that offers our own vocabulary beside a vendor's: only it can name regions and refs, and finish. */
export const actTool = {
  name: "act",
  description:
    "Act on what the outline names: by region number, by ref, or by the visible name (target). Also the way to finish " +
    '({"action":"done","why":…}) and to give up ({"action":"noop","confidence":0,"why":…}).',
};

/** The actions a model wrote as JSON: one object, a list, or {"actions": […]}. */
export function readAnswer(text: string, usage: Usage): readonly AgentAction[] {
  const value = findJson(text);
  if (value === undefined) throw new MalformedAnswer(text, "The answer contains no JSON object.", usage);
  return readActions(value, text, usage);
}

export function readActions(value: unknown, answer: string, usage: Usage): readonly AgentAction[] {
  const { actions = value } = (value ?? {}) as { readonly actions?: unknown };
  const list = Array.isArray(actions) ? actions : [actions];
  if (list.length === 0) throw new MalformedAnswer(answer, "The answer contains no action.", usage);
  return list.map((one) => {
    const parsed = actionSchema.safeParse(one);
    if (parsed.success) return parsed.data;
    throw new MalformedAnswer(answer, z.prettifyError(parsed.error), usage);
  });
}

/** Models wrap JSON in fences, thoughts and sentences, whatever they are told. */
function findJson(text: string): unknown {
  const said = text.replaceAll(/<think>[\s\S]*?(<\/think>|$)/g, "").trim();
  for (let start = said.search(/[[{]/); start >= 0;) {
    const value = parsePrefix(said.slice(start));
    if (value !== undefined) return value;
    const next = said.slice(start + 1).search(/[[{]/);
    start = next < 0 ? -1 : start + 1 + next;
  }
  return undefined;
}

/** The JSON value at the beginning of a text. */
function parsePrefix(text: string): unknown {
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const letter = text[index];
    if (isQuoted) {
      if (letter === "\\") index++;
      else if (letter === '"') isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth === 0) return tryParse(text.slice(0, index + 1));
  }
  return undefined;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
