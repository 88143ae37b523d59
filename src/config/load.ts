import { dirname, join, resolve } from "node:path";
import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { readOwnFile } from "../base/own-file.ts";
import { tooLargeFor } from "../base/screen-size.ts";
import { configFile, envOf, flagOf, options, type Config, type Option, type OptionName } from "./options.ts";
import { findPlaces } from "./places.ts";

export interface LoadInput {
  /** Flag values by option name, as written on the command line; `config` names the file. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

interface Given {
  readonly name: OptionName;
  /** Where it came from, for messages: a flag, a variable, or a key and its file. */
  readonly from: string;
  readonly value: unknown;
  /** What a relative path is relative to. */
  readonly base: string;
}

/** Defaults < config file < environment < flags. Throws `invalid_argument` naming the origin of anything wrong. */
export function loadConfig({ flags = {}, env = process.env, cwd = process.cwd() }: LoadInput = {}): Config {
  const places = findPlaces(env);
  const declared: Readonly<Record<OptionName, Option<unknown>>> = options(places);
  const names = Object.keys(declared) as OptionName[];
  const given = [
    ...fromFile(flags["config"], env, join(places.config, "handsight", "config.json"), { names, cwd }),
    ...fromEnvironment(env, { names, cwd, declared }),
    ...fromFlags(flags, { names, cwd, declared }),
  ];
  const config = Object.fromEntries(
    names.map((name) => {
      const option = declared[name];
      const last = given.findLast((one) => one.name === name);
      return [name, last === undefined ? option.schema.parse(option.default) : read(option, last)];
    }),
  );
  needScreen(config as Config);
  return deepFreeze(config) as Config;
}

function needScreen({ size, monitors }: Config): void {
  const tooLarge = tooLargeFor(size, monitors);
  if (tooLarge === undefined) return;
  throw new ToolError("invalid_argument", `A private desktop cannot have these monitors, ${tooLarge}.`, {
    hint: `See ${flagOf("size")} and ${flagOf("monitors")}.`,
  });
}

function fromFile(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  standard: string,
  { names, cwd }: { readonly names: readonly OptionName[]; readonly cwd: string },
): Given[] {
  const named = flag ?? (env[configFile.env] || undefined);
  const file = named === undefined ? standard : resolve(cwd, named);
  const content = readIfThere(file);
  if (content === undefined) {
    if (named === undefined) return [];
    throw new ToolError("invalid_argument", `There is no config file ${file}.`, {
      hint: `It was named by ${flag === undefined ? configFile.env : configFile.flag}.`,
    });
  }
  return Object.entries(parseObject(content, file)).map(([key, value]) => {
    if (!isOneOf(key, names)) throw unknown(`option "${key}" in ${file}`, key, names);
    return { name: key, from: `"${key}" in ${file}`, value, base: dirname(file) };
  });
}

const prefix = "HANDSIGHT_";

interface TextSource {
  readonly names: readonly OptionName[];
  readonly cwd: string;
  readonly declared: Readonly<Record<OptionName, Option<unknown>>>;
}

function fromEnvironment(env: Readonly<Record<string, string | undefined>>, source: TextSource): Given[] {
  const byVariable = new Map(source.names.map((name) => [envOf(name), name]));
  return Object.entries(env).flatMap(([variable, value]) => {
    if (!variable.startsWith(prefix) || variable === configFile.env) return [];
    const name = byVariable.get(variable);
    if (name === undefined) {
      refuseTypo(variable, [...byVariable.keys()]);
      return [];
    }
    // An empty variable counts as unset, as in a shell.
    if (value === undefined || value === "") return [];
    return [{ name, from: variable, value: source.declared[name].fromText(value), base: source.cwd }];
  });
}

/**
 * Unlike a key or a flag, a variable may belong to another program: only a near miss of one of ours is surely meant
 * for us.
 */
function refuseTypo(variable: string, known: readonly string[]): void {
  const bare = (name: string): string => name.slice(prefix.length);
  if (nearest(bare(variable), known.map(bare)) !== undefined) throw unknown(`variable ${variable}`, variable, known);
}

function fromFlags(flags: Readonly<Record<string, string | undefined>>, source: TextSource): Given[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || name === "config") return [];
    if (!isOneOf(name, source.names)) throw unknown(`flag ${flagOf(name)}`, flagOf(name), source.names.map(flagOf));
    return [{ name, from: flagOf(name), value: source.declared[name].fromText(value), base: source.cwd }];
  });
}

function read(option: Option<unknown>, { from, value, base }: Given): unknown {
  const parsed = option.schema.safeParse(value);
  if (parsed.success)
    return option.isPath && typeof parsed.data === "string" ? resolve(base, parsed.data) : parsed.data;
  const reason = parsed.error.issues[0]?.message ?? "is not valid";
  const got = option.isSecret ? "" : `; it is ${JSON.stringify(value)}`;
  const near = typeof value === "string" && option.choices ? nearest(value, option.choices) : undefined;
  throw new ToolError("invalid_argument", `${from}: ${reason}${got}.`, {
    hint: near === undefined ? option.help : `Did you mean "${near}"?`,
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readOwnFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ToolError("invalid_argument", `The config file ${file} cannot be read: ${(error as Error).message}.`, {
      hint: "Make it readable for this user, or name another with --config.",
      cause: error,
    });
  }
}

function parseObject(content: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new ToolError("invalid_argument", `The config file ${file} is not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ToolError("invalid_argument", `The config file ${file} must hold one JSON object.`, {
    hint: 'For example {"policy": "allow"}.',
  });
}

function unknown(what: string, name: string, known: readonly string[]): ToolError {
  const near = nearest(name, known);
  return new ToolError("invalid_argument", `There is no ${what}.`, {
    hint: near === undefined ? `Known: ${known.join(", ")}.` : `Did you mean ${near}?`,
  });
}

const isOneOf = <Name extends string>(name: string, names: readonly Name[]): name is Name =>
  (names as readonly string[]).includes(name);

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
