import { z } from "zod";
import { keyChord } from "./chord.ts";

/** How far a tool reaches: look, touch, start and stop programs or files, run foreign code. */
export const accesses = ["observe", "act", "manage", "execute"] as const;
export type Access = (typeof accesses)[number];

export const policyModes = ["ask", "allow", "observe-only"] as const;
export type PolicyMode = (typeof policyModes)[number];

const patterns = z.array(z.string().min(1).max(500)).max(1_000).readonly();
const perMinute = z.int().min(0).max(100_000);
const roots = z.array(z.string().min(1).max(4_000)).max(100).readonly();

const rate = z.strictObject({
  capturesPerMinute: perMinute.optional(),
  actionsPerMinute: perMinute.optional(),
  burst: z.int().min(1).max(100_000).optional(),
});

const rule = z.strictObject({
  tool: z.string().min(1).max(200).optional().describe("Name of the tool, * and ? allowed"),
  access: z.enum(accesses).optional().describe("Every tool of this class"),
  app: z.string().min(1).max(500).optional().describe("App that is started, quit or acted on, * and ? allowed"),
  window: z.string().min(1).max(500).optional().describe("Title of the window acted on, * and ? allowed"),
  verdict: z.enum(["allow", "ask", "deny"]),
  until: z.iso.datetime({ offset: true, local: true }).optional().describe("The rule expires at this time"),
});

/** The rule file. Every key is optional. */
export const ruleFile = z.strictObject({
  mode: z.enum(policyModes).default("ask").describe("What may be done without asking; --policy overrides it"),
  enabled: z.boolean().default(false).describe("Allow UI automation as a whole, without the first question"),
  requireApprovalForCapture: z.boolean().default(false).describe("Ask for each tool that takes pictures"),
  requireApprovalForInput: z.boolean().default(true).describe("Ask for each tool that does something"),
  allowedWindowPatterns: patterns.default(["*"]).describe("Titles of windows that may be seen and used"),
  blockedWindowPatterns: patterns
    .default(["*Password*", "*Banking*"])
    .describe("Titles of windows that may not be seen or used; overrides allowedWindowPatterns"),
  maxCapturesPerMinute: perMinute.default(60).describe("Pictures per minute; in mode allow only if set here"),
  maxActionsPerMinute: perMinute.default(600).describe("Actions per minute; in mode allow only if set here"),
  burst: z.int().min(1).max(100_000).optional().describe("How many of them at once; default: a minute's worth"),
  rates: z.record(z.string(), rate).default({}).describe("Separate rates per tool set, e.g. browser"),
  logAllActions: z.boolean().default(true).describe("Write every call to the journal and the audit log"),
  maskPasswordFields: z.boolean().default(true).describe("Paint over password fields in pictures"),
  askAfterSuspiciousText: z
    .boolean()
    .default(true)
    .describe("Ask before the first action after screen text that reads like orders; in mode allow only if set here"),
  grantMinutes: z
    .number()
    .positive()
    .max(100_000)
    .optional()
    .describe('How long an answer other than "once" stays valid'),
  askSeconds: z
    .number()
    .min(1)
    .max(3_600)
    .default(60)
    .describe("How long a call waits for an answer in handsight approve"),
  turnSeconds: z.number().min(0.1).max(600).default(10).describe("How long a call waits for another client's action"),
  stopKeys: keyChord.default("ctrl+alt+shift+escape").describe("Keys for the emergency stop; empty for none"),
  files: z
    .strictObject({
      read: roots.optional().describe("Folders tools may read files from"),
      write: roots.optional().describe("Folders tools may write files to"),
      overwrite: roots
        .default([])
        .describe("Folders among those where tools may also replace files they did not write"),
    })
    .default({ overwrite: [] })
    .describe("Default for read and write: the working directory and the temporary folder"),
  urls: z
    .strictObject({
      allow: patterns.default(["http://*", "https://*", "about:blank"]),
      block: patterns.default([]),
    })
    .default({ allow: ["http://*", "https://*", "about:blank"], block: [] })
    .describe("Pages a browser tool may open: scheme://host:port/path, each part with *"),
  packages: z
    .strictObject({ allow: patterns.default(["*"]), block: patterns.default([]) })
    .default({ allow: ["*"], block: [] })
    .describe("Android packages tools may start, stop or act in"),
  rules: z.array(rule).max(1_000).default([]).describe("The first match decides"),
});

type RuleFile = z.output<typeof ruleFile>;

export interface Rules extends Omit<RuleFile, "maxCapturesPerMinute" | "maxActionsPerMinute" | "files"> {
  /** Undefined: no limit. */
  readonly maxCapturesPerMinute: number | undefined;
  readonly maxActionsPerMinute: number | undefined;
  readonly files: {
    readonly read: readonly string[];
    readonly write: readonly string[];
    readonly overwrite: readonly string[];
  };
}

export interface RuleContext {
  /** Overrides the mode of the file. */
  readonly mode?: PolicyMode | undefined;
  /** Folders for reading and writing files, if the rule file names none. */
  readonly roots: readonly string[];
}

/** In mode allow no default restricts anyone; what the file says explicitly still applies. */
export function toRules(given: z.input<typeof ruleFile>, context: RuleContext): Rules {
  const file = ruleFile.parse(given);
  const mode = context.mode ?? file.mode;
  const isSet = (key: keyof RuleFile): boolean => mode !== "allow" || given[key] !== undefined;
  return {
    ...file,
    mode,
    maxCapturesPerMinute: isSet("maxCapturesPerMinute") ? file.maxCapturesPerMinute : undefined,
    maxActionsPerMinute: isSet("maxActionsPerMinute") ? file.maxActionsPerMinute : undefined,
    askAfterSuspiciousText: isSet("askAfterSuspiciousText") && file.askAfterSuspiciousText,
    files: { ...file.files, read: file.files.read ?? context.roots, write: file.files.write ?? context.roots },
  };
}
