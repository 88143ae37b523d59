import { styleText } from "node:util";
import { Argument, Command, CommanderError, Option } from "commander";
import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { version } from "../base/version.ts";
import { allTools } from "../tools/registry.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { AgentFlags } from "./agent.ts";
import type { ApproveFlags } from "./approve-command.ts";
import type { BenchFlags } from "./bench.ts";
import { readWords } from "./derive.ts";
import { exitCodeOf, exitCodes } from "./exit.ts";
import { renderError } from "./print.ts";
import { addSettings, readSettings, settingWords } from "./settings.ts";
import { completeToolCommand, toolCommand } from "./tool-command.ts";

/** Runs one command line and returns the exit code. Parts that only some commands need are loaded by those. */
export async function run(argv: readonly string[]): Promise<number> {
  // `handsight list_apps | head` closes the pipe early; that is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  let exitCode: number = exitCodes.ok.code;
  const program = buildProgram(argv, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv.map(flagSpelling), { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, argv.includes("--json"));
  }
}

/** Tool fields are written with underscores everywhere else; as flags, both spellings work. */
function flagSpelling(word: string, index: number, argv: readonly string[]): string {
  const end = argv.indexOf("--");
  if (!word.startsWith("--") || (end >= 0 && index >= end)) return word;
  const [flag = "", ...value] = word.split("=");
  return [flag.replaceAll("_", "-"), ...value].join("=");
}

function report(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.ok.code;
    // Without --json, commander has already printed it.
    const message = error.message.replace(/^error: /, "").replaceAll(/\s+/g, " ");
    if (json) process.stdout.write(`${JSON.stringify(new ToolError("invalid_argument", message).toEnvelope())}\n`);
    return exitCodes.usage.code;
  }
  if (!(error instanceof ToolError)) throw error;
  const envelope = error.toEnvelope();
  if (json) process.stdout.write(`${JSON.stringify(envelope)}\n`);
  else process.stderr.write(`${renderError(envelope)}\n`);
  return exitCodeOf(error.code);
}

type Finish = (exitCode: number) => void;

function buildProgram(argv: readonly string[], finish: Finish): Command {
  const isJson = argv.includes("--json");
  const program = new Command("handsight")
    .description("Hand, sight and hindsight for AI agents: see, decide, act and verify on real user interfaces.")
    .version(version, "-V, --version", "Show the version.")
    .helpOption("-h, --help", "Show help; also after a command.")
    .helpCommand(false)
    .usage("<command> [options]")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeErr: (text) => void (isJson || process.stderr.write(text.replace(/^error:/, "handsight:"))),
    })
    .configureHelp({
      subcommandTerm: (command) => [command.name(), command.usage().replace(/ ?\[options\] ?/, "")].join(" ").trim(),
      commandUsage: (command) => `handsight ${command.parent ? `${command.name()} ` : ""}${command.usage()}`,
      styleTitle: (text) => styleText("bold", text),
    })
    .addHelpText("after", `\n${footer}`);
  addSettings(program, "program");
  addHelpCommand(program);
  addServeCommands(program, finish);
  addToolCommands(program, argv, finish);
  // Commands created by `program.command` inherit this; those that were added do not.
  for (const command of program.commands) {
    command
      .copyInheritedSettings(program)
      .addHelpOption(new Option("-h, --help", "Show this help.").helpGroup("Settings:"))
      .showHelpAfterError(`  See: handsight ${command.name()} --help`);
  }
  return program;
}

function addHelpCommand(program: Command): void {
  program
    .command("help")
    .helpGroup("Commands:")
    .summary("Show help for a command or tool")
    .description("Show what handsight can do, or what one command or tool takes.")
    .usage("[command]")
    .argument("[command]", "A command or tool.")
    .action((name: string | undefined) => {
      const namesOf = (command: Command) => [command.name(), ...command.aliases()];
      const found = program.commands.find((command) => namesOf(command).includes(name ?? ""));
      if (name !== undefined && !found) throw unknown("command", name, program.commands.flatMap(namesOf));
      (found ?? program).outputHelp();
    });
}

function addServeCommands(program: Command, finish: Finish): void {
  const group = "Commands:";
  const json = () => new Option("--json", "Print JSON.");

  addSettings(program.command("mcp").helpGroup(group), "mcp")
    .summary("Serve MCP to an agent")
    .description("Serve MCP on stdin and stdout, or over HTTP with --http.")
    .action(async (_: unknown, command: Command) => {
      const { runMcp } = await import("./mcp.ts");
      finish(await runMcp(readSettings(command)));
    });

  addSettings(program.command("desktop").helpGroup(group), "desktop")
    .summary("Run a command on a private desktop")
    .description("Run a command on a private desktop that closes when it ends; returns its exit code.")
    .usage("[options] -- command…")
    .argument("<command...>", "What to run, after --.")
    .passThroughOptions()
    .action(async (words: string[], _: unknown, command: Command) => {
      const { runDesktop } = await import("./desktop.ts");
      finish(await runDesktop(readSettings(command), words));
    });

  addSettings(program.command("agent").helpGroup(group).addOption(json()), "agent")
    .summary("Reach a goal: see, decide, act, verify")
    .description("Work towards a goal in a window or page, step by step, until it is reached or something stops it.")
    .usage('"goal" [options]')
    .argument("<goal...>", "What to do, in plain words.")
    .option("--window <title|id>", "Work in this window.")
    .option("--app <name>", "Work in this app; start it if it is not running.")
    .option("--pid <pid>", "Work in the window of this process.")
    .option("--surface <id>", "Work on this surface.")
    .option("--url <address>", "Open this page in a browser and work there.")
    .option("--background", "Use native actions only; leave the pointer and the focus alone.")
    .option("--require-confidence", "Stop when the model does not say how sure it is.")
    .option("--dry-run", "Say what would be done; do nothing.")
    .option("--via <claude|codex|gemini>", "Let your own command-line agent do it, with handsight's tools.")
    .action(async (words: string[], flags: AgentFlags & { via?: string }, command: Command) => {
      if (flags.via !== undefined) {
        const { runViaCommand } = await import("./via.ts");
        finish(await runViaCommand(words.join(" "), flags.via, readSettings(command), settingWords(command, "mcp")));
        return;
      }
      const { runAgentCommand } = await import("./agent.ts");
      finish(await runAgentCommand(words.join(" "), readSettings(command), flags));
    });

  addSettings(program.command("bench").helpGroup(group).addOption(json()), "agent")
    .summary("Let the agent try tasks in real apps")
    .description(
      "Let the agent try every task in a real app or page, each on its own private desktop, and check from outside whether " +
        "it was done: files, settings, what the page received. Tasks whose app is not installed are skipped and listed.",
    )
    .usage("tasks [options]")
    .addArgument(new Argument("<what>", "What to try.").choices(["tasks"]))
    .option("--only <names>", "Only these tasks or apps, comma-separated; * stands for anything.")
    .option("--rounds <count>", "How many times to try each.", "1")
    .option(
      "--tell <goal|steps>",
      "Give the agent the goal, or the steps to it. Default: steps for rules, the goal for other models.",
    )
    .option("--require <share>", "Exit with 1 when a smaller share than this succeeds, from 0 to 1.")
    .option("--tasks <folder>", "Folder with your own tasks, instead of the bundled ones.")
    .option("--list", "List the tasks without trying any.")
    .action(async (_what: string, flags: BenchFlags, command: Command) => {
      const { runBench } = await import("./bench.ts");
      finish(await runBench(readSettings(command), flags));
    });

  addSettings(program.command("doctor").helpGroup(group).addOption(json()), "tool")
    .summary("Show what works here and what is missing")
    .description("Probe this machine: what works, what does not, and how to fix it.")
    .action(async ({ json: asJson = false }: { json?: boolean }, command: Command) => {
      const { runDoctor } = await import("./doctor.ts");
      finish(await runDoctor(readSettings(command), asJson));
    });

  addSettings(program.command("log").helpGroup(group).addOption(json()), "tool")
    .summary("Print what was called")
    .description("Print the audit log of all kept runs: one line per call, without typed text.")
    .usage("[run] [options]")
    .argument("[run]", "Only this run.")
    .option("--follow", "Keep printing as calls are made.")
    .option("--verify", "Check that no line was changed, removed or added.")
    .action(
      async (
        run: string | undefined,
        given: { json?: boolean; follow?: boolean; verify?: boolean },
        command: Command,
      ) => {
        const { runLog } = await import("./log.ts");
        const { json: asJson = false, follow = false, verify = false } = given;
        finish(await runLog(readSettings(command), { run, follow, json: asJson, verify }));
      },
    );

  addSettings(program.command("trace").helpGroup(group).addOption(json()), "tool")
    .summary("Export a run for Playwright's trace viewer")
    .description("Export a kept run, by default the newest, as a zip for Playwright's trace viewer.")
    .usage("[run] [options]")
    .argument("[run]", "Name or folder of the run.")
    .option("-o, --out <file>", "The file to write.", "trace.zip")
    .action(async (run: string | undefined, given: { json?: boolean; out: string }, command: Command) => {
      const { runTrace } = await import("./trace.ts");
      finish(runTrace(readSettings(command), { run, out: given.out, json: given.json ?? false }));
    });

  program
    .command("approve")
    .helpGroup(group)
    .summary("Answer handsight's questions")
    .description(
      "Answer questions from running servers whose clients cannot show them; --open uses a page in your browser.",
    )
    .option("--open", "Open the approval page in your browser.")
    .addOption(json())
    .action(async (flags: ApproveFlags) => {
      const { runApprove } = await import("./approve-command.ts");
      finish(await runApprove(flags));
    });

  program
    .command("stop")
    .helpGroup(group)
    .summary("Emergency stop: release all input, refuse more")
    .description("Interrupt every handsight process of this user, and refuse further input until `handsight resume`.")
    .addOption(json())
    .action(async ({ json: asJson = false }: { json?: boolean }) => {
      const [{ describeStop }, { stopAll }] = await Promise.all([import("./stop.ts"), import("../base/stop.ts")]);
      const done = stopAll();
      process.stdout.write(`${asJson ? JSON.stringify(done) : describeStop(done)}\n`);
    });

  program
    .command("resume")
    .helpGroup(group)
    .summary("Allow input again after stop")
    .description("Undo `handsight stop`.")
    .addOption(json())
    .action(async ({ json: asJson = false }: { json?: boolean }) => {
      const { resumeAll } = await import("../base/stop.ts");
      const done = resumeAll();
      const text = done.was_stopped ? "Input by handsight is allowed again." : "There was no stop.";
      process.stdout.write(`${asJson ? JSON.stringify(done) : text}\n`);
    });
}

function addToolCommands(program: Command, argv: readonly string[], finish: Finish): void {
  const call = async (tool: AnyTool, args: unknown, command: Command) => {
    const { json = false, out } = command.opts<{ json?: boolean; out?: string }>();
    const config = readSettings(command);
    const { runTool } = await import("./call.ts");
    finish(await runTool(tool, args, config, { json, out }));
  };

  addOutput(program.command("call").helpGroup("Commands:"))
    .summary("Call a tool by name")
    .description('Call a tool with arguments as key=value words, one JSON object, or "-" for JSON on stdin.')
    .usage("<tool> [key=value… | json | -] [options]")
    .argument("<tool>", "Name of the tool.")
    .argument("[arguments...]", "Its arguments.")
    .action(async (name: string, words: string[], _: unknown, command: Command) => {
      const tool = needTool(name);
      await call(tool, readWords(tool, words[0] === "-" && words.length === 1 ? [await readStdin()] : words), command);
    });

  for (const tool of allTools) {
    const command = toolCommand(tool).helpGroup(groupOf(tool));
    program.addCommand(command);
    if (!argv.includes(tool.name) && !argv.includes(command.alias())) continue;
    completeToolCommand(command, tool, (invocation) => call(tool, invocation.arguments, invocation.command));
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
  throw unknown(
    "tool",
    wanted,
    allTools.map((tool) => tool.name),
  );
}

function unknown(what: string, name: string, known: readonly string[]): ToolError {
  const near = nearest(name, known);
  return new ToolError("invalid_argument", `There is no ${what} "${name}".`, {
    hint: near ? `Did you mean "${near}"?` : '"handsight --help" lists them.',
  });
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}

function groupOf({ set, access }: AnyTool): string {
  if (set === "desktop") {
    return { observe: "Look:", act: "Act:", manage: "Windows and apps:", execute: "Run code:" }[access];
  }
  return `${set.charAt(0).toUpperCase()}${set.slice(1)}:`;
}

const footer = `Examples:
  handsight doctor                                   what works here
  handsight take_screenshot screen --out screen.png  see the whole screen
  handsight click 640 210 --policy allow             click there
  handsight call press_key key=ctrl+s --json         any tool, JSON out
  handsight agent "click 2, press + …" --app galculator  do it step by step, and verify
  handsight mcp --desktop virtual                    an agent with a desktop of its own
  handsight desktop -- npm test                      anything on a private desktop

Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`)
  .join("\n")}
`;
