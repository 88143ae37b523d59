import { Option, type Command } from "commander";
import { loadConfig } from "../config/load.ts";
import type { Caller } from "./caller.ts";
import {
  configFile,
  flagOf,
  flagWithValue,
  options,
  type Config,
  type Option as Declared,
  type OptionCommand,
} from "../config/options.ts";

/** What help shows; the rest is in docs/options.md. In the help of a tool its own arguments matter more. */
const shown: Readonly<Record<OptionCommand | "program", ReadonlySet<string>>> = {
  mcp: new Set(["tools", "policy", "desktop", "size", "monitors", "scale", "overlay", "http", "token", "config"]),
  desktop: new Set(["size", "monitors", "scale"]),
  tool: new Set(["policy", "desktop"]),
  agent: new Set([
    "model",
    "maxSteps",
    "maxTime",
    "maxTokens",
    "maxCost",
    "minConfidence",
    "policy",
    "desktop",
    "size",
    "overlay",
  ]),
  program: new Set(),
};

const heading = "Settings:";
const declared: Readonly<Record<string, Declared<unknown>>> = options({ config: "", state: "" });

/**
 * Adds the config options for this kind of command, unless the command itself uses the same flag. All of them may
 * also come before the command.
 */
export function addSettings(command: Command, kind: OptionCommand | "program"): Command {
  const taken = new Set(command.options.map(({ long }) => long));
  const add = (name: string, option: Option): void => {
    if (taken.has(flagOf(name))) return;
    command.addOption(shown[kind].has(name) ? option.helpGroup(heading) : option.helpGroup(heading).hideHelp());
  };
  for (const [name, option] of Object.entries(declared)) {
    if (kind !== "program" && !option.commands.includes(kind)) continue;
    add(name, new Option(flagWithValue(name, option), option.help));
  }
  if (kind === "tool" || kind === "program")
    add("noSession", new Option("--no-session", "Run without a session: what the command opens ends with it."));
  add("config", new Option(`${configFile.flag} <file>`, configFile.help));
  return command;
}

/** Reads the settings given with a command and before it. */
export function readSettings(command: Command, { env, folder }: Partial<Pick<Caller, "env" | "folder">> = {}): Config {
  return loadConfig({ flags: givenFlags(command), ...(env && { env }), ...(folder !== undefined && { cwd: folder }) });
}

/** The given settings that another kind of command also takes, as words for its command line. */
export function settingWords(command: Command, kind: OptionCommand): readonly string[] {
  return Object.entries(givenFlags(command)).flatMap(([name, value]) =>
    name === "config" || (declared[name]?.commands.includes(kind) && declared[name].isSecret !== true)
      ? [flagOf(name), ...(declared[name]?.isSwitch ? [] : [value])]
      : [],
  );
}

function givenFlags(command: Command): Readonly<Record<string, string>> {
  const own = command.opts<Record<string, unknown>>();
  const before = command.parent?.optsWithGlobals<Record<string, unknown>>() ?? {};
  const isSetting = (name: string): boolean =>
    command.options.some((option) => option.attributeName() === name && option.helpGroupHeading === heading);
  const flags = ["config", ...Object.keys(declared)].flatMap((name): [string, string][] => {
    const value = (isSetting(name) ? own[name] : undefined) ?? before[name];
    if (value === true) return [[name, "on"]];
    return typeof value === "string" ? [[name, value]] : [];
  });
  return Object.fromEntries(flags);
}
