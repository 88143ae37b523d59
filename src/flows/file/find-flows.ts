import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { callerFolder } from "../../base/caller-folder.ts";
import { ToolError } from "../../base/errors.ts";

const isFlowName = (name: string): boolean => /\.flow\.ya?ml$/.test(name) && !/\.(?:lock|healed)\.ya?ml$/.test(name);

/** The files themselves, and every `*.flow.yaml` below the folders, in the order of their names. */
export function findFlows(named: readonly string[]): readonly string[] {
  return named.flatMap((name) => {
    const path = resolve(callerFolder(), name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true) return [path];
    const inside = readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((each) => isFlowName(each) && !each.includes("node_modules"))
      .toSorted()
      .map((each) => join(path, each));
    if (inside.length > 0) return inside;
    throw new ToolError("invalid_argument", `There is no flow in ${name}.`, {
      hint: "A folder is searched for files whose name ends with .flow.yaml.",
    });
  });
}
