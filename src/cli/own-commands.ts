import { Argument, type Command } from "commander";
import type { AgentFlags } from "./agent.ts";
import type { ApproveFlags } from "./approve-command.ts";
import type { BenchFlags } from "./bench.ts";
import type { Shell } from "./completion.ts";
import { addFlowCommands } from "./flow-commands.ts";
import { groups } from "./groups.ts";
import { jsonOption as json, type Finish } from "./host.ts";
import { addSettings, readSettings, settingWords } from "./settings.ts";
import type { SkillOptions } from "./skill.ts";
import type { WatchFlags } from "./watch.ts";

/** The commands that are not tools. Each runs in a process of its own, and loads what it needs when it runs. */
export function addOwnCommands(program: Command, finish: Finish): void {
  addSettings(program.command("mcp").helpGroup(groups.start), "mcp")
    .summary("Serve MCP to an agent")
    .description("Serve MCP on stdin and stdout, or over HTTP with --http.")
    .action(async (_: unknown, command: Command) => {
      const { runMcp } = await import("./mcp.ts");
      finish(await runMcp(readSettings(command)));
    });

  addSettings(program.command("desktop").helpGroup(groups.desktop), "desktop")
    .summary("Run a command on a private desktop")
    .description("Run a command on a private desktop that closes when it ends; returns its exit code.")
    .usage("[options] -- command…")
    .argument("<command...>", "What to run, after --.")
    .passThroughOptions()
    .action(async (words: string[], _: unknown, command: Command) => {
      const { runDesktop } = await import("./desktop.ts");
      finish(await runDesktop(readSettings(command), words));
    });

  addSettings(program.command("agent").helpGroup(groups.steps).addOption(json()), "agent")
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

  addSettings(program.command("bench").helpGroup(groups.steps).addOption(json()), "agent")
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

  addFlowCommands(program, finish);

  addSettings(program.command("doctor").helpGroup(groups.start).addOption(json()), "tool")
    .summary("Show what works here and what is missing")
    .description("Probe this machine: what works, what does not, and how to fix it.")
    .action(async ({ json: asJson = false }: { json?: boolean }, command: Command) => {
      const { runDoctor } = await import("./doctor.ts");
      finish(await runDoctor(readSettings(command), asJson));
    });

  addSettings(program.command("log").helpGroup(groups.records).addOption(json()), "tool")
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

  addSettings(program.command("watch").helpGroup(groups.records).addOption(json()), "tool")
    .summary("Print what changes on the screen, as it changes")
    .description(
      "Print what changes in a window or app (default: whatever is active), one line per change, until Ctrl-C. With --json " +
        "each line is an event, and the first is a snapshot that the others build on.",
    )
    .usage("[options]")
    .option("--window <title>", "Watch the window with this in its title.")
    .option("--window-id <id>", "Watch this window.")
    .option("--app <name>", "Watch all windows of this app.")
    .option("--surface <id>", "Watch this surface: page:1, android:SERIAL.")
    .action(async (flags: WatchFlags, command: Command) => {
      const { runWatch } = await import("./watch.ts");
      finish(await runWatch(readSettings(command), flags));
    });

  addSettings(program.command("trace").helpGroup(groups.records).addOption(json()), "tool")
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
    .command("completion")
    .helpGroup(groups.start)
    .summary("Complete commands in your shell")
    .description(
      'Print a completion script; its first line says where it goes, for example eval "$(handsight completion bash)".',
    )
    .usage("bash|zsh|fish")
    .addArgument(new Argument("<shell>", "Your shell.").choices(["bash", "zsh", "fish"]))
    .action(async (shell: Shell) => {
      const { completionScript } = await import("./completion.ts");
      process.stdout.write(completionScript(shell, program));
    });

  program
    .command("skill")
    .helpGroup(groups.start)
    .summary("Teach a coding agent these commands")
    .description(
      "Print the skill that teaches a coding agent to use handsight from its shell, or install it where the agent looks.",
    )
    .usage("[install [claude|codex|cursor|gemini|agents…]] [options]")
    .addArgument(new Argument("[what]", "What to do; default: print it.").choices(["print", "install"]))
    .argument("[clients...]", "For these clients; default: those found here.")
    .option("--project", "For the current folder only.")
    .option("--remove", "Take it away again.")
    .addOption(json())
    .action(async (what: string | undefined, names: string[], given: Partial<SkillOptions>) => {
      const { installSkill, skillText } = await import("./skill.ts");
      const { project = false, remove = false, json: asJson = false } = given;
      if (what === "install") finish(installSkill(names, { project, remove, json: asJson }));
      else process.stdout.write(skillText());
    });

  program
    .command("approve")
    .helpGroup(groups.permission)
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
    .helpGroup(groups.permission)
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
    .helpGroup(groups.permission)
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
