import type { AnyTool } from "../tools/tool.ts";

/** What a tool is called on the command line; the first is the name in the help. */
export const commandNames = ({ name, command }: Pick<AnyTool, "name" | "command">): readonly [string, ...string[]] => [
  name,
  ...(name.includes("_") ? [name.replaceAll("_", "-")] : []),
  ...(command === undefined ? [] : [command]),
];
