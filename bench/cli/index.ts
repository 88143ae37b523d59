import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeVariable } from "../../src/base/runtime.ts";
import type { Group } from "../group.ts";
import { productEntry } from "../mcp-client.ts";
import { aheadOfAll } from "../report.ts";
import { runCommand, type CommandLine } from "./command.ts";
import { raceDesktop } from "./desktop.ts";
import { raceFloors } from "./floors.ts";
import { racePages } from "./pages.ts";

/** Fifty commands take seconds. */
const mostRows = 5;

/** The command line beside others that keep a session: one command, and fifty in a row. */
export const cli: Group = async ({ rounds, tell }) => {
  const folder = mkdtempSync(join(tmpdir(), "handsight-bench-cli-"));
  const line = own(folder);
  const rows = Math.min(rounds, mostRows);
  try {
    await runCommand(line, ["open", "--desktop", "virtual"]);
    tell("one command");
    const floors = await raceFloors(line, rounds);
    tell("fifty commands on a page");
    const pages = await racePages(line, rows);
    await runCommand(line, ["session", "stop", "--all"]);
    tell("fifty commands on the desktop");
    const desktop = await raceDesktop(line, rows);
    return [
      floors,
      { title: "Each of 50 commands in a row on a page", rows: pages, verdicts: aheadOfAll(pages) },
      { title: "Each of 50 commands in a row on a GTK form", rows: desktop, verdicts: aheadOfAll(desktop) },
    ];
  } finally {
    await runCommand(line, ["session", "stop", "--all"]).catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Separate folders for everything that is written, so that no session of the person is touched. */
function own(folder: string): CommandLine {
  const place = (name: string): string => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name);
  };
  const env = {
    ...process.env,
    HOME: place("home"),
    XDG_CONFIG_HOME: place("config"),
    XDG_STATE_HOME: place("state"),
    XDG_RUNTIME_DIR: place("run"),
    [placeVariable]: place("place"),
    HANDSIGHT_POLICY: "allow",
  };
  return { command: process.execPath, args: [productEntry], env, folder };
}
