import { openSession } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { FakeOptions } from "../../src/platform/fake/desktop.ts";
import { openFake, type FakeBackend } from "../../src/platform/fake/index.ts";
import { callTool, type CallOutcome, type CallRequest } from "../../src/tools/call.ts";
import type { Session } from "../../src/tools/session.ts";

export interface FakeSession {
  readonly session: Session;
  readonly backend: FakeBackend;
  /** Calls a tool and returns its data; throws the content of the error envelope if it fails. */
  readonly call: (tool: string, args?: unknown) => Promise<Record<string, unknown>>;
  readonly outcome: (tool: string, args?: unknown, request?: Partial<CallRequest>) => Promise<CallOutcome>;
}

/** The whole product from `callTool` down, on a desktop in memory. */
export function openFakeSession(options: FakeOptions = {}, flags: Record<string, string> = {}): FakeSession {
  const backend = openFake(options);
  const config = loadConfig({
    flags: { policy: "allow", journal: "off", settleMs: "0", ocr: "off", ...flags },
    env: {},
  });
  const session = openSession(config, { backend });
  const outcome: FakeSession["outcome"] = (tool, args = {}, request = {}) =>
    callTool(session, { tool, arguments: args, canAsk: false, ...request });
  return {
    session,
    backend,
    outcome,
    async call(tool, args) {
      const result = await outcome(tool, args);
      if (result.kind === "done") return result.data;
      throw result.kind === "failed" ? result.envelope.error : new Error("the call asked for permission");
    },
  };
}
