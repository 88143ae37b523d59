import { Option, type Command } from "commander";
import { allTools } from "../tools/registry.ts";
import type { AnyTool } from "../tools/tool.ts";
import { commandNames } from "./command-names.ts";
import { readWords } from "./derive.ts";
import { groupOf, groups } from "./groups.ts";
import { unknownName, type Finish, type Host } from "./host.ts";
import { addSettings, readSettings } from "./settings.ts";
import { completeToolCommand, toolCommand } from "./tool-command.ts";

/** One command for each tool, and `call` for any of them. */
export function addToolCommands(program: Command, argv: readonly string[], host: Host, finish: Finish): void {
  const call = async (tool: AnyTool, args: unknown, command: Command) => {
    const { json = false, out } = command.opts<{ json?: boolean; out?: string }>();
    finish(await host.runTool(tool, args, readSettings(command, host.caller), { json, out }));
  };

  addOutput(program.command("call").helpGroup(groups.any))
    .summary("Call a tool by name")
    .description('Call a tool with arguments as key=value words, one JSON object, or "-" for JSON on stdin.')
    .usage("<tool> [key=value… | json | -] [options]")
    .argument("<tool>", "Name of the tool.")
    .argument("[arguments...]", "Its arguments.")
    .action(async (name: string, words: string[], _: unknown, command: Command) => {
      const tool = needTool(name);
      await call(
        tool,
        readWords(tool, words[0] === "-" && words.length === 1 ? [await host.caller.readStdin()] : words),
        command,
      );
    });

  for (const tool of allTools) {
    const command = toolCommand(tool).helpGroup(groupOf(tool));
    program.addCommand(command);
    const isNamed = commandNames(tool).some((name) => argv.includes(name));
    if (!isNamed && argv[0] !== "completion") continue;
    completeToolCommand(
      command,
      tool,
      (invocation) => call(tool, invocation.arguments, invocation.command),
      host.caller,
    );
    addOutput(command);
  }
}

function addOutput(command: Command): Command {
  const group = "Output:";
  return addSettings(
    command
      .addOption(new Option("--json", "Print exactly the structured result that MCP returns.").helpGroup(group))
      .addOption(
        new Option(
          "--out <file>",
          "Save the result's picture to this file, in the format of its extension: .png, .jpg, .webp.",
        ).helpGroup(group),
      ),
    "tool",
  );
}

function needTool(name: string): AnyTool {
  const wanted = name.replaceAll("-", "_");
  const found = allTools.find((tool) => tool.name === wanted);
  if (found) return found;
  throw unknownName(
    "tool",
    wanted,
    allTools.map((tool) => tool.name),
  );
}
