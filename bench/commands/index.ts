import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { removeFolder } from "../../test/support/remove-folder.ts";
import type { Scene } from "../../test/support/truth/cells.ts";
import { Outside } from "../../test/support/truth/outside.ts";
import type { Group } from "../group.ts";
import { productEntry, startServer } from "../mcp-client.ts";
import { messageOf } from "../measure.ts";
import type { Table } from "../report.ts";
import { programs, type CommandCell, type CommandProgram } from "./programs.ts";

type Ask = (tool: string, input: Record<string, unknown>) => Promise<Record<string, unknown>>;
type Outcome = "done and verified" | "done, not verified" | "refused" | "WRONG";

interface Judged {
  readonly outcome: Outcome;
  readonly line: string;
}

/** Commands of real programs: run and seen from outside to have done what their name says, or refused with a reason. */
export const commands: Group = async ({ tell, only }) => {
  const judged: Judged[] = [];
  const lines: string[] = [];
  const failed: string[] = [];
  for (const program of programs) {
    if (only !== undefined && !program.name.toLowerCase().includes(only.toLowerCase())) continue;
    tell(program.name);
    const rows = await judge(program).catch(messageOf);
    if (typeof rows === "string") failed.push(`${program.name}: ${rows}`);
    else {
      judged.push(...rows);
      lines.push(`  ${program.name}`, ...rows.map(({ line }) => `    ${line}`));
    }
  }
  const count = (outcome: Outcome): number => judged.filter((each) => each.outcome === outcome).length;
  const table: Table = {
    title: `Commands of ${programs.length} programs, checked from outside`,
    rows: [],
    verdicts: [
      {
        target: "another command, or a false report",
        figure: `${count("WRONG")}`,
        state: count("WRONG") === 0 ? "met" : "MISSED",
      },
      {
        target: "done and verified, or refused with the reason",
        figure: `${count("done and verified")} done, ${count("refused")} refused, ${count("done, not verified")} done but not verified, of ${judged.length}`,
        state: count("done, not verified") === 0 ? "met" : "MISSED",
      },
      ...failed.map((figure) => ({ target: "the program runs", figure, state: "not measured" as const })),
    ],
    closing: lines.join("\n"),
  };
  return [table];
};

async function judge(program: CommandProgram): Promise<readonly Judged[]> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-commands-"));
  try {
    await using desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
    const home = join(folder, "home");
    await mkdir(home);
    const env = { ...desktop.env, HOME: home };
    const server = await startServer(
      productEntry,
      ["mcp", "--policy", "allow", "--journal", "off", "--tools", "all"],
      env,
    );
    try {
      const ask: Ask = async (tool, input) => (await server.ask(tool, input)).data;
      const [app = "", ...args] = await program.command(folder);
      await ask("launch_app", { app_name: app, args, timeout_ms: 60_000 });
      const outside = new Outside(env);
      const windowId = await outside.window(program.title);
      await ask("wait_for", { condition: "stable", window_id: windowId, timeout_ms: 15_000 });
      const pid = await outside.pidOf(windowId);
      const scene: Scene = { outside, windowId, pid, folder, startedAs: pid ?? 0 };
      for (const [tool, input] of program.first ?? []) await ask(tool, { window_id: windowId, ...input });
      if (program.opens) await ask("list_commands", { window_id: windowId, open: true });
      const judged: Judged[] = [];
      for (const cell of program.cells) judged.push(await judgeCell(scene, ask, cell));
      return judged;
    } finally {
      await server.close();
    }
  } finally {
    await removeFolder(folder);
  }
}

// A program may be slow to show what it has done.
const patienceMs = 4_000;

async function judgeCell(scene: Scene, ask: Ask, { command, look, shows, after = [] }: CommandCell): Promise<Judged> {
  const before = await look(scene);
  const result = await ask("run_command", { command, window_id: scene.windowId }).catch((error: unknown) => ({
    error: { code: messageOf(error) },
  }));
  const { error, effect, dispatched_via: via } = result as Record<string, unknown>;
  const isSeen = (seen: string): boolean =>
    shows === "refused" ? seen !== before : shows.test(seen) && seen !== before;
  const seen = await poll(
    async () => {
      const now = await look(scene);
      return isSeen(now) ? now : undefined;
    },
    { timeoutMs: error || shows === "refused" ? 300 : patienceMs, everyMs: 150 },
  );
  for (const [tool, input] of after) await ask(tool, input).catch(() => ({}));
  // The dialog that was closed must not pass for what the next command does.
  if (after.length > 0) {
    const isGone = async (): Promise<true | undefined> => ((await look(scene)) === seen ? undefined : true);
    await poll(isGone, { timeoutMs: patienceMs, everyMs: 150 });
  }
  const name = command.padEnd(36);
  if (error) {
    const { code, message } = error as { code: string; message?: string };
    const outcome = seen === undefined ? "refused" : "WRONG";
    return { outcome, line: `${name} ${outcome}: ${code} ${message ?? ""}` };
  }
  const outcome =
    shows === "refused" || seen === undefined
      ? "WRONG"
      : effect === "confirmed"
        ? "done and verified"
        : "done, not verified";
  return { outcome, line: `${name} ${outcome} (${String(effect)}, ${String(via)})` };
}
