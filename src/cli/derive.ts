import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { describeTool } from "../tools/describe.ts";
import type { AnyTool } from "../tools/tool.ts";

/** One input field of a tool, as the command line offers it. */
export interface Parameter {
  /** As in the tool's input: `window_id`. */
  readonly name: string;
  /** `--window-id` */
  readonly flag: string;
  readonly isPositional: boolean;
  readonly isRequired: boolean;
  /** Every kind of JSON value it accepts. */
  readonly types: ReadonlySet<string>;
  readonly choices: readonly string[];
  readonly default: unknown;
  readonly description: string;
  /** What the elements of a list may be. */
  readonly items: Accepted | undefined;
}

interface Accepted {
  readonly types: ReadonlySet<string>;
  readonly choices: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

/** The fields of a tool; positional ones first, in order. */
export function parametersOf(tool: AnyTool): readonly Parameter[] {
  const { properties = {}, required = [] } = describeTool(tool).inputSchema as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  const names = [...tool.positional, ...Object.keys(properties).filter((name) => !tool.positional.includes(name))];
  return names.map((name) => {
    const schema = properties[name] ?? {};
    const items = branchesOf(schema).find(({ items }) => items !== undefined)?.["items"];
    return {
      ...acceptedBy(schema),
      name,
      flag: `--${name.replaceAll("_", "-")}`,
      isPositional: tool.positional.includes(name),
      isRequired: required.includes(name),
      default: schema["default"],
      description: typeof schema["description"] === "string" ? schema["description"] : "",
      items: items === undefined ? undefined : acceptedBy(items as Schema),
    };
  });
}

export const isSwitch = ({ types }: Parameter): boolean => types.size === 1 && types.has("boolean");

/** Repeated for each element: `--args a --args b`. */
export const isRepeatable = ({ types }: Parameter): boolean => types.has("array");

/**
 * Converts the texts given for a field into the value for the tool. Invalid values are passed on unchanged: the
 * tool's own check then says what is wrong, in the same words as everywhere else.
 */
export function toValue(parameter: Parameter, texts: readonly string[]): unknown {
  const [first = "", ...more] = texts;
  if (!parameter.types.has("array")) return fromText(texts.at(-1) ?? "", parameter);
  const whole = more.length === 0 ? fromText(first, parameter) : first;
  if (more.length === 0 && (Array.isArray(whole) || parameter.types.has("string"))) return whole;
  return texts.map((text) => fromText(text, parameter.items ?? { types: new Set(["string"]), choices: [] }));
}

/** Arguments written as `key=value` words or as one JSON object. */
export function readWords(tool: AnyTool, words: readonly string[]): Record<string, unknown> {
  const [first] = words;
  if (words.length === 1 && first?.trimStart().startsWith("{")) return parseJson(first);
  const parameters = parametersOf(tool);
  const texts = new Map<Parameter, string[]>();
  for (const word of words) {
    const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (key === "") {
      throw new ToolError("invalid_argument", `"${word}" is neither key=value nor a JSON object.`, {
        hint: `For example: handsight call ${tool.name} ${parameters[0]?.name ?? "key"}=…`,
      });
    }
    const parameter = parameters.find(({ name }) => name === key.replaceAll("-", "_"));
    if (!parameter) throw unknownKey(tool, key, parameters);
    texts.set(parameter, [...(texts.get(parameter) ?? []), value]);
  }
  return Object.fromEntries([...texts].map(([parameter, given]) => [parameter.name, toValue(parameter, given)]));
}

function unknownKey(tool: AnyTool, key: string, parameters: readonly Parameter[]): ToolError {
  const names = parameters.map(({ name }) => name);
  const near = nearest(key, names);
  return new ToolError("invalid_argument", `${tool.name}: unknown argument "${key}".`, {
    hint: near ? `Did you mean "${near}"?` : `Arguments of ${tool.name}: ${names.join(", ") || "none"}.`,
  });
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ToolError("invalid_argument", `The arguments are not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function fromText(text: string, { types, choices }: Accepted): unknown {
  if (choices.includes(text)) return text;
  if (types.has("boolean") && ["true", "false"].includes(text)) return text === "true";
  if (types.has("null") && text === "null") return null;
  if (types.has("number") || types.has("integer")) {
    // Number("") is 0, but an empty value does not mean zero.
    if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  }
  if ((types.has("object") && text.startsWith("{")) || (types.has("array") && text.startsWith("["))) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }
  return text;
}

function acceptedBy(schema: Schema): Accepted {
  const branches = branchesOf(schema);
  const choices = branches.flatMap((branch) => [...listOf(branch["enum"]), ...listOf(branch["const"])]);
  const types = branches.flatMap((branch) => listOf(branch["type"] ?? typesOf(branch)));
  return { types: new Set(types.map(String)), choices: choices.filter((choice) => typeof choice === "string") };
}

const typesOf = (branch: Schema): string[] =>
  [...listOf(branch["enum"]), ...listOf(branch["const"])].map((choice) => (choice === null ? "null" : typeof choice));

function branchesOf(schema: Schema): readonly Schema[] {
  const union = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(union) ? (union as Schema[]).flatMap(branchesOf) : [schema];
}

const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as unknown[]) : [value];
