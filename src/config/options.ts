import { join } from "node:path";
import { z } from "zod";
import type { Size } from "../base/geometry.ts";
import { logLevels } from "../base/log.ts";

/** `tool` stands for everything that makes one call: `call`, the derived subcommands and `doctor`. */
export type OptionCommand = "mcp" | "tool" | "desktop" | "agent";

/** This user's folders, from which defaults are built. */
export interface Places {
  readonly config: string;
  readonly state: string;
}

export interface Option<Value> {
  /** Validates the value from the config file; text from a flag or variable goes through `fromText` first. */
  readonly schema: z.ZodType<Value>;
  readonly fromText: (text: string) => unknown;
  /** In the form that the config file uses; undefined leaves the option unset. */
  readonly default: unknown;
  /** The default as documented, if it depends on the machine. */
  readonly defaultText?: string;
  /** The placeholder in help: `--http <port>`. */
  readonly value: string;
  readonly choices?: readonly string[];
  /** Its flag takes no value: given, it means on. */
  readonly isSwitch?: boolean;
  readonly help: string;
  readonly commands: readonly OptionCommand[];
  /** A path: resolved against the working directory, or against the folder of the config file that contains it. */
  readonly isPath?: boolean;
  /** Never echoed in a message. */
  readonly isSecret?: boolean;
}

const text = (value: string): unknown => value;
const number = (value: string): unknown => (value.trim() === "" ? value : Number(value));
const list = (value: string): unknown =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
const onOff = (value: string): unknown =>
  ({ on: true, true: true, off: false, false: false })[value.trim().toLowerCase()] ?? value;

const names = z.array(z.string().min(1)).readonly();
const path = z.string().min(1);
const every: readonly OptionCommand[] = ["mcp", "tool", "desktop", "agent"];
const sessions: readonly OptionCommand[] = ["mcp", "tool", "agent"];

function option<Value>(declared: Option<Value>): Option<Value> {
  return declared;
}

function choice<const Name extends string>(
  choices: readonly Name[],
  rest: Omit<Option<Name>, "schema" | "fromText" | "choices">,
): Option<Name> {
  return { ...rest, schema: z.enum(choices), fromText: text, choices };
}

const size: z.ZodType<Size> = z.string().transform((value, context) => {
  const [, width, height] = /^(\d{3,5})[x×](\d{3,5})$/i.exec(value.trim()) ?? [];
  // Below 200 no window fits; the private desktop limits the total size of all monitors.
  const fits = (side: number): boolean => side >= 200 && side <= 16_384;
  if (fits(Number(width)) && fits(Number(height))) return { width: Number(width), height: Number(height) };
  context.addIssue({ code: "custom", message: "must be WIDTHxHEIGHT between 200x200 and 16384x16384" });
  return z.NEVER;
});

const price: z.ZodType<{ readonly input: number; readonly output: number }> = z.string().transform((value, context) => {
  const [, input, output] = /^(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(value.replaceAll(" ", "")) ?? [];
  if (input !== undefined && output !== undefined) return { input: Number(input), output: Number(output) };
  context.addIssue({ code: "custom", message: 'must be two numbers such as "3,15"' });
  return z.NEVER;
});

/**
 * Every option, declared once. The rest follows from the name: `runsDir` is `--runs-dir`, `HANDSIGHT_RUNS_DIR` and
 * the key `runsDir` in the config file.
 */
export const options = (places: Places) => ({
  tools: option({
    schema: names,
    fromText: list,
    default: ["default"],
    value: "sets",
    help: "Tool sets to offer, comma-separated. default lists a few and reaches the rest through call_tool; core is the smallest, all lists everything; naming sets limits to them.",
    commands: ["mcp"],
  }),
  policy: option({
    schema: z.enum(["ask", "allow", "observe-only"]).optional(),
    fromText: text,
    choices: ["ask", "allow", "observe-only"],
    default: undefined,
    defaultText: "`ask`, or what the rule file says",
    value: "mode",
    help: "What may be done without asking: ask first, allow everything, or only look.",
    commands: sessions,
  }),
  rules: option({
    schema: path.optional(),
    fromText: text,
    default: undefined,
    defaultText: "`$XDG_CONFIG_HOME/handsight/policy.json` (`~/.config/handsight/policy.json`), if there is one",
    value: "file",
    help: "Policy rules: windows, tools, files, pages, rates.",
    commands: sessions,
    isPath: true,
  }),
  secrets: option({
    schema: path.optional(),
    fromText: text,
    default: undefined,
    defaultText: "none",
    value: "file",
    help: "JSON file of secret names and values; only the names are ever shown.",
    commands: sessions,
    isPath: true,
  }),
  approvalPage: option({
    schema: z.boolean(),
    fromText: onOff,
    default: true,
    value: "on|off",
    help: "When the client cannot ask, let a person answer with handsight approve.",
    commands: ["mcp"],
  }),
  desktop: choice(["real", "virtual"], {
    default: "real",
    value: "which",
    help: "The desktop you sit at, or a private one that ends with handsight.",
    commands: sessions,
  }),
  session: option({
    schema: z
      .string()
      .regex(/^[\w.-]{1,40}$/, "must be 1 to 40 letters, digits, dots, dashes or underscores")
      .optional(),
    fromText: text,
    default: undefined,
    defaultText: "what `handsight open` has opened, else one per desktop",
    value: "name",
    help: "Session that runs the command and keeps uids, pictures and browsers for the next; off for none.",
    commands: ["tool"],
  }),
  sessionIdle: option({
    schema: z.number().positive().max(35_000),
    fromText: number,
    default: 30,
    value: "minutes",
    help: "A session that nobody uses ends after this time.",
    commands: ["tool"],
  }),
  size: option({
    schema: size,
    fromText: text,
    default: "1920x1080",
    value: "WxH",
    help: "Size of each monitor on a private desktop.",
    commands: every,
  }),
  monitors: option({
    schema: z.int().min(1).max(8),
    fromText: number,
    default: 1,
    value: "count",
    help: "Number of monitors on a private desktop, side by side.",
    commands: every,
  }),
  scale: option({
    schema: z.number().min(1).max(4),
    fromText: number,
    default: 1,
    value: "factor",
    help: "Device pixels per logical unit on a private desktop.",
    commands: every,
  }),
  http: option({
    schema: z.int().min(0).max(65_535).optional(),
    fromText: number,
    default: undefined,
    defaultText: "off (stdio)",
    value: "port",
    help: "Serve MCP over HTTP on this port; 0 picks a free one.",
    commands: ["mcp"],
  }),
  host: option({
    schema: z.string().min(1),
    fromText: text,
    default: "127.0.0.1",
    value: "address",
    help: "Address the HTTP server listens on.",
    commands: ["mcp"],
  }),
  token: option({
    schema: z.string().min(16).optional(),
    fromText: text,
    default: undefined,
    defaultText: "a new one, printed once",
    value: "secret",
    help: "Bearer token for the HTTP server, 16 characters or more. A flag shows up in process lists; prefer the variable.",
    commands: ["mcp"],
    isSecret: true,
  }),
  allowedHosts: option({
    schema: names,
    fromText: list,
    default: [],
    defaultText: "the address itself and localhost",
    value: "hosts",
    help: "Additional Host headers the HTTP server accepts, comma-separated, with their port.",
    commands: ["mcp"],
  }),
  allowedOrigins: option({
    schema: names,
    fromText: list,
    default: [],
    defaultText: "the server's own",
    value: "origins",
    help: "Additional Origin headers the HTTP server accepts, comma-separated, with scheme and port.",
    commands: ["mcp"],
  }),
  answers: choice(["text", "json"], {
    default: "text",
    value: "form",
    help: "Answers as lines that a model reads, or as JSON for programs; the structured content is the same.",
    commands: ["mcp"],
  }),
  maxSide: option({
    schema: z.int().min(64).max(16_384).optional(),
    fromText: number,
    default: undefined,
    defaultText: "1568, or less where vision models would charge more",
    value: "pixels",
    help: "Longest side of a picture in an answer, unless the call says otherwise.",
    commands: sessions,
  }),
  maxImageBytes: option({
    schema: z.int().min(10_000).max(4_000_000),
    fromText: number,
    default: 900_000,
    value: "bytes",
    help: "Largest picture in an answer; bigger ones are compressed harder.",
    commands: sessions,
  }),
  settleMs: option({
    schema: z.int().min(0).max(30_000),
    fromText: number,
    default: 1_000,
    value: "ms",
    help: "How long to watch for an effect before reporting no change; 0 skips verification.",
    commands: sessions,
  }),
  ocr: option({
    schema: z.boolean(),
    fromText: onOff,
    default: true,
    value: "on|off",
    help: "Read the text in every screenshot unless the call says otherwise.",
    commands: sessions,
  }),
  overlay: option({
    schema: z.boolean(),
    fromText: onOff,
    default: false,
    value: "on|off",
    isSwitch: true,
    help: "Draw on the screen what is marked, where input goes, and what came of it; no picture shows it.",
    commands: ["mcp", "agent"],
  }),
  model: option({
    schema: z.string().min(1).optional(),
    fromText: text,
    default: undefined,
    defaultText: "none; the agent uses `rules`",
    value: "vendor:name",
    help: "Model that describes screens and drives the agent: anthropic:…, openai:…, gemini:…, or chat:… for any OpenAI-compatible server.",
    commands: sessions,
  }),
  modelUrl: option({
    schema: z.url({ protocol: /^https?$/ }).optional(),
    fromText: text,
    default: undefined,
    defaultText: "the vendor's; for chat `http://127.0.0.1:11434/v1`",
    value: "address",
    help: "Where the model is served.",
    commands: sessions,
  }),
  modelKey: option({
    schema: z.string().min(1).optional(),
    fromText: text,
    default: undefined,
    defaultText: "`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GEMINI_API_KEY` or `GOOGLE_API_KEY`",
    value: "secret",
    help: "API key for the model's server. A flag shows up in process lists; prefer the variable.",
    commands: sessions,
    isSecret: true,
  }),
  modelSees: option({
    schema: z.boolean().optional(),
    fromText: onOff,
    default: undefined,
    defaultText: "inferred from its name",
    value: "on|off",
    help: "Whether the model accepts images; if not, it is never sent any.",
    commands: sessions,
  }),
  modelCoordinates: option({
    schema: z.enum(["pixels", "grid"]).optional(),
    fromText: text,
    choices: ["pixels", "grid"],
    default: undefined,
    defaultText: "inferred from its name",
    value: "how",
    help: "How the model gives coordinates: image pixels, or a grid from 0 to 999.",
    commands: sessions,
  }),
  ocrWeights: option({
    schema: path.optional(),
    fromText: text,
    default: undefined,
    defaultText: "the bundled weights, for Latin letters",
    value: "folder",
    help: "Folder with a recogniser for other languages: recogniser.onnx and alphabet.txt; see docs/ocr.md.",
    commands: sessions,
    isPath: true,
  }),
  journal: option({
    schema: z.boolean(),
    fromText: onOff,
    default: true,
    value: "on|off",
    help: "Keep a record of every call and its pictures on disk.",
    commands: sessions,
  }),
  browserDir: option({
    schema: path,
    fromText: text,
    default: join(places.state, "handsight", "browser"),
    defaultText: "`$XDG_STATE_HOME/handsight/browser` (`~/.local/state/handsight/browser`)",
    value: "folder",
    help: "Profiles of the browsers that cdp_launch starts; kept so that sign-ins last.",
    commands: sessions,
    isPath: true,
  }),
  runsDir: option({
    schema: path,
    fromText: text,
    default: join(places.state, "handsight", "runs"),
    defaultText: "`$XDG_STATE_HOME/handsight/runs` (`~/.local/state/handsight/runs`)",
    value: "folder",
    help: "Where run records are kept.",
    commands: sessions,
    isPath: true,
  }),
  runsKeepDays: option({
    schema: z.number().min(0),
    fromText: number,
    default: 14,
    value: "days",
    help: "Age at which a finished run's record is deleted.",
    commands: sessions,
  }),
  runsKeepMb: option({
    schema: z.number().min(1),
    fromText: number,
    default: 500,
    value: "megabytes",
    help: "Maximum total size of all records; the oldest are deleted first.",
    commands: sessions,
  }),
  logLevel: choice(logLevels, {
    default: "warn",
    value: "level",
    help: "How much to log; info adds one audit line per call.",
    commands: sessions,
  }),
  logFile: option({
    schema: path.optional(),
    fromText: text,
    default: undefined,
    defaultText: "stderr",
    value: "file",
    help: "Append the log to this file.",
    commands: sessions,
    isPath: true,
  }),
  maxSteps: option({
    schema: z.int().min(1).max(1_000),
    fromText: number,
    default: 25,
    value: "steps",
    help: "How many steps (look and act) the agent may take.",
    commands: ["agent"],
  }),
  maxTime: option({
    schema: z.number().positive().max(86_400),
    fromText: number,
    default: 120,
    value: "seconds",
    help: "How long the agent may take.",
    commands: ["agent"],
  }),
  maxTokens: option({
    schema: z.int().min(1).optional(),
    fromText: number,
    default: undefined,
    defaultText: "no limit",
    value: "count",
    help: "How many tokens the agent's model may use, input and output together.",
    commands: ["agent"],
  }),
  maxCost: option({
    schema: z.number().positive().optional(),
    fromText: number,
    default: undefined,
    defaultText: "no limit",
    value: "amount",
    help: "What the agent may spend, in the currency of modelPrice; needs modelPrice.",
    commands: ["agent"],
  }),
  modelPrice: option({
    schema: price.optional(),
    fromText: text,
    default: undefined,
    defaultText: "unknown",
    value: "in,out",
    help: "Price of a million input and output tokens, e.g. 3,15.",
    commands: ["agent"],
  }),
  minConfidence: option({
    schema: z.number().min(0).max(1),
    fromText: number,
    default: 0.5,
    value: "share",
    help: "The agent stops when its model reports less confidence in an action than this.",
    commands: ["agent"],
  }),
});

type Options = ReturnType<typeof options>;
export type OptionName = keyof Options;
export type Config = { readonly [Name in OptionName]: z.output<Options[Name]["schema"]> };

/** The two ways to name the config file. It is not an option: a file cannot name itself. */
export const configFile = { flag: "--config", env: "HANDSIGHT_CONFIG", help: "Read options from this JSON file." };

/** The flag as help and documentation show it. */
export const flagWithValue = (name: string, { choices, value, isSwitch }: Option<unknown>): string =>
  isSwitch ? flagOf(name) : `${flagOf(name)} <${choices?.join("|") ?? value}>`;

export const flagOf = (name: string): string => `--${kebab(name)}`;
export const envOf = (name: string): string => `HANDSIGHT_${kebab(name).replaceAll("-", "_").toUpperCase()}`;

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
