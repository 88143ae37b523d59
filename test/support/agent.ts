import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentAction } from "../../src/agent/action.ts";
import type { Decision, Turn, VisionModel } from "../../src/agent/model.ts";
import { openSession, type SessionOverrides } from "../../src/app.ts";
import { poll } from "../../src/base/async.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openBackend } from "../../src/platform/open.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { callTool } from "../../src/tools/call.ts";
import type { Session } from "../../src/tools/session.ts";
import { startFixture, type Fixture } from "./fixture.ts";
import { removeFolder } from "./remove-folder.ts";

export interface AgentDesk extends AsyncDisposable {
  readonly desktop: VirtualDesktop;
  /** The folder of all runs. */
  readonly runsDir: string;
  /** Starts a fixture and waits until its window is in front: "ready" only means that it has requested one. */
  start(fixture: string): Promise<Fixture>;
  /** A separate session on this desktop, closed with it. */
  open(flags?: Readonly<Record<string, string>>, overrides?: SessionOverrides): Promise<Session>;
}

/** A private desktop for agents. */
export async function openAgentDesk(): Promise<AgentDesk> {
  const desktop = await openVirtualDesktop({ width: 1_280, height: 900, monitors: 1, scale: 1 });
  const runsDir = await mkdtemp(join(tmpdir(), "handsight-agent-"));
  const sessions: Session[] = [];
  return {
    desktop,
    runsDir,
    async start(name) {
      const fixture = await startFixture(name, { env: desktop.env });
      await using backend = await openBackend({ env: desktop.env });
      const isInFront = async () =>
        (await backend.windows?.list())?.find(({ pid, isForeground }) => isForeground && pid === fixture.pid);
      if (await poll(isInFront, { timeoutMs: 30_000, everyMs: 50 })) return fixture;
      await fixture.stop();
      throw new Error(`${name} has not come to the front`);
    },
    async open(flags = {}, overrides = {}) {
      const config = loadConfig({
        flags: { policy: "allow", runsDir, browserDir: `${runsDir}-browsers`, ...flags },
        env: {},
      });
      const backend = await openBackend({ env: desktop.env });
      const session = openSession(config, { backend, ...overrides });
      sessions.push(session);
      return session;
    },
    async [Symbol.asyncDispose]() {
      for (const session of sessions) await session[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      for (const folder of [runsDir, `${runsDir}-browsers`]) await removeFolder(folder);
    },
  };
}

export async function call(session: Session, tool: string, args: unknown = {}): Promise<Record<string, unknown>> {
  const outcome = await callTool(session, { tool, arguments: args, canAsk: false });
  if (outcome.kind === "done") return outcome.data;
  throw new Error(JSON.stringify(outcome));
}

export type Said =
  | readonly AgentAction[]
  | Error
  | ((turn: Turn) => readonly AgentAction[] | Promise<readonly AgentAction[]>);

export interface Scripted extends VisionModel {
  /** What the model was shown. */
  readonly turns: readonly Turn[];
}

const tokens = { inputTokens: 1_000, outputTokens: 100, cachedTokens: 0 };

/** A model that gives these answers, and repeats the last one forever. */
export function scripted(
  said: readonly Said[],
  options: Partial<Pick<VisionModel, "sees" | "limits">> & Partial<Decision> = {},
): Scripted {
  const turns: Turn[] = [];
  const { sees = true, limits = { maxSide: 1_024, maxPixels: 1_000_000 }, ...decision } = options;
  return {
    name: "scripted",
    sees,
    limits,
    turns,
    async next(turn) {
      turns.push(turn);
      const now = said[Math.min(turns.length, said.length) - 1];
      if (now instanceof Error) throw now;
      const actions = typeof now === "function" ? await now(turn) : (now ?? []);
      return {
        actions,
        usage: tokens,
        memory: turns.length,
        prompt: { goal: turn.goal },
        answer: actions,
        mustConfirm: [],
        ...decision,
      };
    },
  };
}
