import { styleText } from "node:util";
import { Command, CommanderError, Help, Option } from "commander";
import { ToolError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { ownCaller, type Caller } from "./caller.ts";
import { hasColours } from "./colour.ts";
import { exitCodeOf, exitCodes } from "./exit.ts";
import { groups, inOrder } from "./groups.ts";
import { unknownName, type Finish, type Host } from "./host.ts";
import { addOwnCommands } from "./own-commands.ts";
import { ownCommands } from "./own-names.ts";
import { renderError } from "./print.ts";
import { addOpenCommand, addSessionCommands } from "./session-commands.ts";
import { addSettings } from "./settings.ts";

/** Runs one command line in this process and returns the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  // `handsight list_apps | head` closes the pipe early; that is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  return runOn(argv, {
    caller: ownCaller(),
    isSession: false,
    async open() {
      const { runInNewSession } = await import("./session/start.ts");
      const code = await runInNewSession(argv);
      if (code !== undefined) return code;
      throw new ToolError("invalid_argument", "There is no session to open.", {
        hint: "Leave out --no-session, and do not set HANDSIGHT_SESSION to off.",
      });
    },
    async runTool(...call) {
      const { runInNewSession } = await import("./session/start.ts");
      const code = await runInNewSession(argv);
      if (code !== undefined) return code;
      const { runTool } = await import("./call.ts");
      return runTool(...call);
    },
  });
}

/** Parts that only some commands need are loaded by those. */
export async function runOn(argv: readonly string[], host: Host): Promise<number> {
  let exitCode: number = exitCodes.ok.code;
  try {
    const program = await buildProgram(argv, host, (code) => {
      exitCode = code;
    });
    await program.parseAsync(argv.map(flagSpelling), { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, argv.includes("--json"), host.caller);
  }
}

/** Tool fields are written with underscores everywhere else; as flags, both spellings work. */
function flagSpelling(word: string, index: number, argv: readonly string[]): string {
  const end = argv.indexOf("--");
  if (!word.startsWith("--") || (end >= 0 && index >= end)) return word;
  const [flag = "", ...value] = word.split("=");
  return [flag.replaceAll("_", "-"), ...value].join("=");
}

function report(error: unknown, json: boolean, { out, err }: Caller): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.ok.code;
    // Without --json, commander has already printed it.
    const message = error.message.replace(/^error: /, "").replaceAll(/\s+/g, " ");
    if (json) out.write(`${JSON.stringify(new ToolError("invalid_argument", message).toEnvelope())}\n`);
    return exitCodes.usage.code;
  }
  if (!(error instanceof ToolError)) throw error;
  const envelope = error.toEnvelope();
  if (json) out.write(`${JSON.stringify(envelope)}\n`);
  else err.write(`${renderError(envelope)}\n`);
  return exitCodeOf(error.code);
}

async function buildProgram(argv: readonly string[], host: Host, finish: Finish): Promise<Command> {
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
      writeOut: (text) => void host.caller.out.write(text),
      getOutHelpWidth: () => host.caller.out.columns ?? 80,
      getErrHelpWidth: () => host.caller.err.columns ?? 80,
      getOutHasColors: () => hasColours(host.caller.out, host.caller.env),
      getErrHasColors: () => hasColours(host.caller.err, host.caller.env),
      writeErr: (text) => void (isJson || host.caller.err.write(text.replace(/^error:/, "handsight:"))),
    })
    .configureHelp({
      // What each takes is in its own help; here the names must leave room for what they do.
      subcommandTerm: (command) => command.name(),
      groupItems: (...items) => inOrder(new Help().groupItems(...items)),
      commandUsage: (command) => [...namesAbove(command), command.usage()].join(" "),
      styleTitle: (text) => styleText("bold", text),
    })
    .addHelpText("after", `\n${footer}`);
  addSettings(program, "program");
  addHelpCommand(program);
  // A session runs nothing but tools: whatever else a command does belongs in a process that ends with it.
  addOpenCommand(program, host, finish);
  if (!host.isSession) {
    addSessionCommands(program, finish);
    addOwnCommands(program, finish);
  }
  if (!isOwn(argv)) {
    const { addToolCommands } = await import("./tool-commands.ts");
    addToolCommands(program, argv, host, finish);
  }
  // Commands created by `program.command` inherit this; those that were added do not.
  for (const command of program.commands) {
    command
      .copyInheritedSettings(program)
      .addHelpOption(new Option("-h, --help", "Show this help.").helpGroup("Settings:"))
      .showHelpAfterError(`  See: handsight ${command.name()} --help`);
  }
  return program;
}

/** `handsight flow check` for the command that is called like this. */
const namesAbove = (command: Command): readonly string[] => [
  ...(command.parent ? namesAbove(command.parent) : []),
  command.name(),
];

/** Commands of our own that mention no tool; loading all tools takes longer than most of them. */
const isOwn = ([first = ""]: readonly string[]): boolean =>
  ownCommands.has(first) && first !== "help" && first !== "completion";

function addHelpCommand(program: Command): void {
  program
    .command("help")
    .helpGroup(groups.start)
    .summary("Show help for a command or tool")
    .description("Show what handsight can do, or what one command or tool takes.")
    .usage("[command]")
    .argument("[command]", "A command or tool.")
    .action((name: string | undefined) => {
      const namesOf = (command: Command) => [command.name(), ...command.aliases()];
      const found = program.commands.find((command) => namesOf(command).includes(name ?? ""));
      if (name !== undefined && !found) throw unknownName("command", name, program.commands.flatMap(namesOf));
      (found ?? program).outputHelp();
    });
}

const footer = `Examples:
  handsight doctor                                   what works here
  handsight take_screenshot screen --out screen.png  see the whole screen
  handsight click 640 210 --policy allow             click there
  handsight call press_key key=ctrl+s --json         any tool, JSON out
  handsight agent "click 2, press +" --app galculator  step by step, verified
  handsight mcp --desktop virtual                    MCP, on its own desktop
  handsight desktop -- npm test                      anything on its own desktop

Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`)
  .join("\n")}
`;
