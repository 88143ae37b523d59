import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import { ToolError } from "../base/errors.ts";
import type { AnyTool } from "../tools/tool.ts";
import { ownCaller, type Caller } from "./caller.ts";
import { commandNames } from "./command-names.ts";
import { isRepeatable, isSwitch, parametersOf, toValue, type Parameter } from "./derive.ts";

export interface ToolInvocation {
  readonly arguments: Record<string, unknown>;
  readonly command: Command;
}

/** The subcommand of a tool, without its options: most runs use one of many tools, and reading schemas takes time. */
export function toolCommand(tool: AnyTool): Command {
  const [name, ...aliases] = commandNames(tool);
  return new Command(name)
    .aliases(aliases)
    .summary(tool.title)
    .description(tool.summary)
    .usage(`${tool.positional.map((name) => `[${name}]`).join(" ")} [options]`.trim());
}

/** Adds arguments and options, and the action. */
export function completeToolCommand(
  command: Command,
  tool: AnyTool,
  run: (invocation: ToolInvocation) => Promise<void>,
  caller: Caller = ownCaller(),
): void {
  const parameters = parametersOf(tool);
  const positional = parameters.filter(({ isPositional }) => isPositional);
  for (const [index, parameter] of positional.entries()) {
    const isRest = index === positional.length - 1 && isRepeatable(parameter);
    command.argument(isRest ? `[${parameter.name}...]` : `[${parameter.name}]`, describe(parameter));
  }
  for (const parameter of parameters) addOptions(command, parameter);
  command.action(async (...received: unknown[]) => {
    const given = command.opts<Record<string, unknown>>();
    const inWords = placeWords(
      received
        .slice(0, positional.length)
        .flat()
        .filter((word) => word !== undefined),
      positional.filter((parameter) => given[attributeOf(parameter)] === undefined),
    );
    const entries: [string, unknown][] = [];
    for (const parameter of parameters) {
      const value = given[attributeOf(parameter)] ?? inWords.get(parameter);
      if (value === undefined) continue;
      const texts = [value]
        .flat()
        .map(String)
        .map((text) => sourceOf(parameter, text, caller));
      entries.push([parameter.name, typeof value === "boolean" ? value : toValue(parameter, await Promise.all(texts))]);
    }
    await run({ arguments: Object.fromEntries(entries), command });
  });
}

/** Words are the values of the positional fields that no flag has given, in their order: `cdp_fill --uid d12 "Ada"`. */
function placeWords(words: readonly unknown[], fields: readonly Parameter[]): ReadonlyMap<Parameter, unknown> {
  const last = fields.at(-1);
  const isRest = last !== undefined && isRepeatable(last);
  if (words.length > fields.length && !isRest) {
    throw new ToolError("invalid_argument", `There is no argument left for ${JSON.stringify(words.at(-1))}.`, {
      hint: "A field that is given as a flag takes no word as well.",
    });
  }
  const placed = fields.map((field, index) => [field, isRest && field === last ? words.slice(index) : words[index]]);
  return new Map((placed as [Parameter, unknown][]).filter(([, value]) => value !== undefined && !isEmpty(value)));
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** A list of objects is long: `-` reads it from standard input, `@steps.json` from a file. */
async function sourceOf({ items }: Parameter, text: string, caller: Caller): Promise<string> {
  if (items?.types.has("object") !== true || !(text === "-" || text.startsWith("@"))) return text;
  if (text === "-") return (await caller.readStdin()).trim();
  try {
    return readFileSync(resolve(caller.folder, text.slice(1)), "utf8").trim();
  } catch (error) {
    throw new ToolError("invalid_argument", `${text} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

function addOptions(command: Command, parameter: Parameter): void {
  const { flag, isPositional } = parameter;
  if (isSwitch(parameter)) {
    const offers = parameter.default === true ? `--no-${flag.slice(2)}` : flag;
    for (const each of [flag, `--no-${flag.slice(2)}`]) {
      const option = new Option(each, describe(parameter));
      command.addOption(each === offers ? option : option.hideHelp());
    }
    return;
  }
  // Choices are only for help: the tool itself checks the value, in the same words as over MCP.
  const option = new Option(`${flag} <${valueName(parameter)}>`, describe(parameter));
  if (isRepeatable(parameter)) {
    option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  }
  command.addOption(isPositional ? option.hideHelp() : option);
}

const attributeOf = ({ flag }: Parameter): string => new Option(flag).attributeName();

function valueName({ types, choices }: Parameter): string {
  if (choices.length > 0 && areShort(choices)) return choices.join("|");
  if (types.has("string") || types.size === 0) return "text";
  if (types.has("number") || types.has("integer")) return types.has("object") ? "number or json" : "number";
  return types.has("array") ? "item" : "json";
}

function describe(parameter: Parameter): string {
  const choices = parameter.choices.length > 0 ? parameter.choices : (parameter.items?.choices ?? []);
  const notes = [
    isRepeatable(parameter) && !parameter.isPositional ? "may be repeated" : "",
    choices.length > 0 && (parameter.isPositional || !areShort(choices)) ? `one of ${choices.join(", ")}` : "",
    parameter.isRequired && !parameter.isPositional ? "required" : "",
    isShown(parameter.default) ? `default ${String(parameter.default)}` : "",
  ].filter((note) => note !== "");
  return [parameter.description, notes.length > 0 ? `(${notes.join("; ")})` : ""]
    .filter((part) => part !== "")
    .join(" ");
}

const areShort = (choices: readonly string[]): boolean => choices.join("|").length <= 24;
const isShown = (value: unknown): boolean => value === true || typeof value === "number" || typeof value === "string";
