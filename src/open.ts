import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAgent as runOn, type AgentOptions, type AgentResult } from "./agent/run.ts";
import type { Context } from "./api/context.ts";
import { Handsight } from "./api/handsight.ts";
import { openSession } from "./app.ts";
import { ToolError } from "./base/errors.ts";
import { loadConfig } from "./config/load.ts";
import { openCaller, type Ask } from "./tools/caller.ts";
import { describeTool } from "./tools/describe.ts";
import type { Session } from "./tools/session.ts";

export interface OpenOptions {
  /** The person's own display, or a private one that nobody sees; default: `real`. */
  readonly desktop?: "real" | "virtual";
  /** What may be done without asking; default: what the config file says, else `ask`. */
  readonly policy?: "ask" | "allow" | "observe-only";
  /** Asks a person a question of the policy. Without it whatever would be asked is refused. */
  readonly ask?: Ask;
  /** Size of a private desktop, e.g. `1280x800`. */
  readonly size?: string;
  /** How long an action waits for its target, and `expect` for what it expects, in milliseconds; default 5000. */
  readonly timeoutMs?: number;
  /** Keep a record of every call in the run folder; default: what the config file says, else yes. */
  readonly journal?: boolean;
  /** Where `expect` writes pictures of failures; default: a folder for temporary files. */
  readonly pictures?: string;
  /** Any other option of the command line, by its name in docs/options.md, as text. */
  readonly options?: Readonly<Record<string, string>>;
  /** The environment that names the display and that apps start in; default: the process's own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Aborts whatever is being done. */
  readonly signal?: AbortSignal;
}

const sessions = new WeakMap<Handsight, Session>();

/** Opens a session. Nothing is started before it is used. */
export async function open(options: OpenOptions = {}): Promise<Handsight> {
  const { desktop, policy, size, journal, env = process.env, timeoutMs = 5_000, ask, signal } = options;
  // Programs that run side by side must not share a browser: the first that ends would close it for all.
  const isShared = options.options?.["browserDir"] !== undefined || env["HANDSIGHT_BROWSER_DIR"] !== undefined;
  const browserDir = isShared ? undefined : await mkdtemp(join(tmpdir(), "handsight-browser-"));
  const flags = {
    ...(browserDir === undefined ? {} : { browserDir }),
    ...options.options,
    ...(desktop === undefined ? {} : { desktop }),
    ...(policy === undefined ? {} : { policy }),
    ...(size === undefined ? {} : { size }),
    ...(journal === undefined ? {} : { journal: journal ? "on" : "off" }),
  };
  return overSession(openSession(loadConfig({ flags, env }), { env: { ...env } }), {
    timeoutMs,
    pictures: options.pictures ?? join(tmpdir(), "handsight-failures"),
    ask,
    signal,
    onClosed: async () => {
      if (browserDir !== undefined) await rm(browserDir, { recursive: true, force: true, maxRetries: 5 });
    },
  });
}

interface Settings extends Pick<Context, "timeoutMs" | "pictures"> {
  readonly onClosed?: (() => Promise<void>) | undefined;
  readonly ask?: Ask | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The library over a session that somebody else has opened. */
export function overSession(session: Session, { ask, signal, onClosed, ...settings }: Settings): Handsight {
  const caller = openCaller(session, { client: "library", signal: signal ?? new AbortController().signal, ask });
  const context: Context = {
    ...settings,
    call: (tool, input, patience) => caller(tool, { ...input }, patience ? { patience } : {}),
  };
  const tools = () => session.tools.map(describeTool);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      await session[Symbol.asyncDispose]();
    } finally {
      await onClosed?.();
    }
  };
  const opened = new Handsight(context, tools, () => (closing ??= close()));
  sessions.set(opened, session);
  return opened;
}

/** Lets the agent pursue a goal in this session. Throws only for a bad request. */
export async function runAgent(opened: Handsight, options: AgentOptions): Promise<AgentResult> {
  const session = sessions.get(opened);
  if (session) return runOn(session, options);
  throw new ToolError("invalid_argument", "runAgent needs what open() has returned.");
}
