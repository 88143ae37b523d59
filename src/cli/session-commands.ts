import { Argument, type Command } from "commander";
import { groups } from "./groups.ts";
import { jsonOption, type Finish, type Host } from "./host.ts";
import { addSettings, readSettings } from "./settings.ts";

/** `open`, which a session runs itself. */
export function addOpenCommand(program: Command, host: Host, finish: Finish): void {
  addSettings(program.command("open").helpGroup(groups.desktop).addOption(jsonOption()), "tool")
    .summary("Open a desktop for the commands that follow")
    .description(
      "Open a session, with --desktop virtual on a private desktop, that the commands after it use until `handsight close`.",
    )
    .action(async ({ json = false }: { json?: boolean }, command: Command) => {
      finish(await host.open(readSettings(command, host.caller), { json }));
    });
}

/** What is done to sessions from outside. */
export function addSessionCommands(program: Command, finish: Finish): void {
  program
    .command("close")
    .helpGroup(groups.desktop)
    .summary("End the session that open has opened")
    .description("End the session that commands use now: its private desktop, and the browsers it has started.")
    .usage("[session] [options]")
    .argument("[session]", "Name of the session.")
    .addOption(jsonOption())
    .action(async (name: string | undefined, { json = false }: { json?: boolean }) => {
      const { stopSessions } = await import("./session/commands.ts");
      finish(await stopSessions(name, { all: false, json }));
    });

  program
    .command("session")
    .helpGroup(groups.desktop)
    .summary("List, stop and inspect sessions")
    .description("Sessions keep uids, pictures, browsers and a private desktop between commands.")
    .usage("list|stop|log [session] [options]")
    .addArgument(new Argument("<what>", "What to do.").choices(["list", "stop", "log"]))
    .argument("[session]", "Name of the session.")
    .option("--all", "Stop all of them.")
    .addOption(jsonOption())
    .action(async (what: string, name: string | undefined, given: { json?: boolean; all?: boolean }) => {
      const { listSessions, printLog, stopSessions } = await import("./session/commands.ts");
      const { json = false, all = false } = given;
      if (what === "list") finish(await listSessions(json));
      else if (what === "log") finish(printLog(name));
      else finish(await stopSessions(name, { all, json }));
    });
}
