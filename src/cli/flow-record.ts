import type { Config } from "../config/options.ts";
import { allTools, type ToolName } from "../tools/registry.ts";
import type { AnyTool } from "../tools/tool.ts";
import { runTool } from "./call.ts";

/** Records what the person does, with what they want to do it in, until they press the keys or Ctrl-C. */
export async function runFlowRecord(
  file: string,
  command: readonly string[],
  config: Config,
  json: boolean,
): Promise<number> {
  const [app, ...args] = command;
  const launched = app === undefined ? undefined : { app, args };
  if (!json) process.stderr.write("ctrl+alt+s ends the recording, ctrl+alt+m marks a part, ctrl+alt+e asserts.\n");
  return await runTool(
    toolNamed("start_demonstration"),
    { file_path: file, ...(launched ? { launched } : {}) },
    config,
    {
      json,
      ...(launched ? { before: { tool: toolNamed("launch_app"), args: { app_name: launched.app, args } } } : {}),
    },
  );
}

function toolNamed(name: ToolName): AnyTool {
  const tool = allTools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}
