import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/options.ts";
import { findPlaces } from "../config/places.ts";
import type { ListedTool } from "../tools/listing.ts";

/** What `tools/list` and `initialize` say for one choice of tools. */
export interface PreparedList {
  readonly tools: readonly ListedTool[];
  readonly instructions: string;
}

/** What the build has worked out, so that nothing that describes the tools has to load them. Absent where sources run. */
export interface Prepared {
  /** By the name of the command; the program's own under "". In colour, for 80 columns. */
  readonly help: Readonly<Record<string, string>>;
  /** By what `--tools` says. */
  readonly lists: Readonly<Record<string, PreparedList>>;
}

export const preparedFile = (what: keyof Prepared): URL => new URL(`../prepared/${what}.json`, import.meta.url);

export function readPrepared<What extends keyof Prepared>(what: What): Prepared[What] | undefined {
  try {
    return JSON.parse(readFileSync(preparedFile(what), "utf8")) as Prepared[What];
  } catch {
    return undefined;
  }
}

/** Undefined when opening the session may fail, on a rule file or a file of secrets: that must be said before serving. */
export function preparedList({ tools, rules, secrets }: Config): PreparedList | undefined {
  const standardRules = join(findPlaces(process.env).config, "handsight", "policy.json");
  if (rules !== undefined || secrets !== undefined || existsSync(standardRules)) return undefined;
  return readPrepared("lists")?.[tools.join()];
}
