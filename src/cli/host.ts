import { Option } from "commander";
import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { Config } from "../config/options.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { CallOptions } from "./call.ts";
import type { Caller } from "./caller.ts";

/** Where a command line runs: in a process of its own, or in a session that runs tools for others. */
export interface Host {
  readonly caller: Caller;
  runTool(tool: AnyTool, args: unknown, config: Config, options: CallOptions): Promise<number>;
  /** It runs tools for others, and nothing else. */
  readonly isSession: boolean;
  /** Opens the desktop of a session for the commands to come. */
  open(config: Config, options: Opening): Promise<number>;
}

export interface Opening {
  readonly json: boolean;
}

/** Takes the exit code of a command that has run. */
export type Finish = (exitCode: number) => void;

export const jsonOption = (): Option => new Option("--json", "Print JSON.");

/** For a command or tool that does not exist. */
export function unknownName(what: string, name: string, known: readonly string[]): ToolError {
  const near = nearest(name, known);
  return new ToolError("invalid_argument", `There is no ${what} "${name}".`, {
    hint: near ? `Did you mean "${near}"?` : '"handsight --help" lists them.',
  });
}
