import type { Command } from "commander";
import { ToolError } from "../base/errors.ts";
import type { FlowCheckFlags } from "./flow-check.ts";
import type { FlowConvertFlags } from "./flow-convert.ts";
import type { FlowRunFlags } from "./flow-run.ts";
import { groups } from "./groups.ts";
import { jsonOption as json, type Finish } from "./host.ts";
import { addSettings, readSettings } from "./settings.ts";

/** `handsight flow …`: flows are files of steps that are played without a model. */
export function addFlowCommands(program: Command, finish: Finish): void {
  const flow = program
    .command("flow")
    .helpGroup(groups.steps)
    .summary("Check and play flows: files of steps")
    .description("Check and play flows: files of steps that need no model. docs/guides/flows.md describes the format.")
    .usage("<command> [options]")
    .helpCommand(false);

  addSettings(flow.command("record").addOption(json()), "agent")
    .summary("Make a flow of what you do")
    .description(
      "Record what you do with mouse and keyboard, on your own desktop unless --desktop says otherwise, and write it as a " +
        "flow. Asks first. Passwords and blocked windows are left out.",
    )
    .usage("<file> [options] [-- app…]")
    .argument("<file>", "Where to write the flow: letter.flow.yaml.")
    .argument("[app...]", "The app to do it in, after --; the flow begins by launching it.")
    .action(async (file: string, app: string[], flags: { json?: boolean; desktop?: string }, command: Command) => {
      const { runFlowRecord } = await import("./flow-record.ts");
      const config = readSettings(command);
      const desktop = flags.desktop === undefined ? "real" : config.desktop;
      finish(await runFlowRecord(file, app, { ...config, desktop }, flags.json ?? false));
    });

  addSettings(
    flow
      .command("run")
      .summary("Play flows, without a model")
      .description(
        "Play flows, each in a session of its own. One mistake in one file, and nothing of any of them is done.",
      )
      .usage("<file|folder…> [options]")
      .argument("<files...>", "Flows, or folders with *.flow.yaml.")
      .option("--tags <names>", "Only flows with one of these tags, comma-separated; !name leaves out.")
      .option("--shard <part/parts>", "Only this part of the flows, e.g. 1/3.")
      .option("--retries <count>", "Retry a failed flow up to this many times.")
      .option("--from <step>", "Begin with this step, by number or name; failed: where the last run failed.")
      .option("--until <step>", "End after this step.")
      .option("--step", "Ask before each step.")
      .option("--env <name=value>", "Set a variable; may be repeated.", readVariable)
      .option("--junit <file>", "Write the results as JUnit XML.")
      .option("--report <folder>", "Write a report with pictures of every step.")
      .option("--trace <file>", "Write the run for Playwright's trace viewer.")
      .addOption(json()),
    "agent",
  ).action(async (files: string[], flags: FlowRunFlags, command: Command) => {
    const { runFlowRun } = await import("./flow-run.ts");
    finish(await runFlowRun(files, readSettings(command), { ...flags, ...desktopOf(command) }));
  });

  addSettings(flow.command("save").addOption(json()), "tool")
    .summary("Make a flow of a run that was recorded")
    .description(
      "Make a flow of a kept run, by default the newest: of an agent, an MCP session or commands. Calls that failed or led " +
        "nowhere are left out, each with the reason.",
    )
    .usage("[run] [options]")
    .argument("[run]", "Name or folder of the run.")
    .option("-o, --out <file>", "The file to write; default: print it.")
    .action(async (run: string | undefined, given: { json?: boolean; out?: string }, command: Command) => {
      const { runFlowSave } = await import("./flow-save.ts");
      finish(runFlowSave(readSettings(command), { run, out: given.out, json: given.json ?? false }));
    });

  flow
    .command("check")
    .summary("Say what is wrong with flows, and where")
    .description(
      "Read flows, their data and the flows they run, and report every mistake with its line; executes nothing.",
    )
    .usage("<file|folder…> [options]")
    .argument("<files...>", "Flows, or folders with *.flow.yaml.")
    .option("--env <name=value>", "A variable that the flow is given; may be repeated.", readVariable)
    .addOption(json())
    .action(async (files: string[], flags: FlowCheckFlags) => {
      const { runFlowCheck } = await import("./flow-check.ts");
      finish(runFlowCheck(files, flags));
    });

  flow
    .command("convert")
    .summary("Rewrite a Maestro flow")
    .description(
      "Rewrite a Maestro flow in this format; everything that cannot be said is listed with its line, and the exit code is 1.",
    )
    .usage("<file> [options]")
    .argument("<file>", "A Maestro flow.")
    .option("-o, --out <file>", "Write it to this file.")
    .addOption(json())
    .action(async (file: string, flags: FlowConvertFlags) => {
      const { runFlowConvert } = await import("./flow-convert.ts");
      finish(runFlowConvert(file, flags));
    });

  flow
    .command("schema")
    .summary("Print the JSON Schema of a flow, for your editor")
    .description("Print the JSON Schema of a flow. Editors use it to complete and check what you write.")
    .usage("> flow.schema.json")
    .action(async () => {
      const { flowJsonSchema } = await import("../flows/file/json-schema.ts");
      process.stdout.write(`${JSON.stringify(flowJsonSchema(), null, 2)}\n`);
    });
}

/** The desktop that the command line names, wherever it does. */
function desktopOf(command: Command): Pick<FlowRunFlags, "desktop"> {
  const { desktop } = command.optsWithGlobals<{ desktop?: FlowRunFlags["desktop"] }>();
  return desktop === undefined ? {} : { desktop };
}

/** `--env NAME=value`, once for each variable. */
function readVariable(word: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([A-Za-z_][\w-]*)=(.*)$/s.exec(word) ?? [];
  if (name === undefined || value === undefined) {
    throw new ToolError("invalid_argument", `--env takes NAME=value, not "${word}".`);
  }
  return { ...before, [name]: value };
}
