import type { Called } from "../tools/caller.ts";
import type { Patience } from "../tools/call.ts";
import type { ToolInput, ToolName } from "../tools/registry.ts";

/** Where a locator looks: a surface, and an app or window of it. */
export interface Place {
  readonly surface?: string;
  readonly pid?: number;
  readonly window_id?: number;
}

/** What everything that is opened in one session shares. */
export interface Context {
  readonly call: <Name extends ToolName>(
    tool: Name,
    input: ToolInput<Name>,
    patience?: Patience,
  ) => Promise<Called<Name>>;
  /** How long an action waits for its target, and an expectation for what it expects. */
  readonly timeoutMs: number;
  /** Where pictures of failures are written. */
  readonly pictures: string;
}
