import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { findProblems } from "../../src/tasks/check.ts";
import { homeEnvironment, makeHome, openFolder } from "../../src/tasks/home.ts";
import { hasEnded, startProgram } from "../../src/tasks/program.ts";
import { readTasks } from "../../src/tasks/read.ts";
import { isPage } from "../../src/tasks/task.ts";
import { productEntry, startServer, type Server } from "../mcp-client.ts";
import { root } from "../paths.ts";
import type { DesktopPlace } from "./desktop-servers/place.ts";

const tasks = [join(root, "bench", "tasks"), join(root, "bench", "economy", "tasks")].flatMap(readTasks);
const startMs = 60_000;
const settleMs = 3_000;

/** Sets up the task, lets the agent work, and answers what is wrong afterwards; undefined when it is done. */
export async function onDesktop(
  task: string,
  windowManager: "openbox" | "none",
  work: (place: DesktopPlace) => Promise<void>,
): Promise<string | undefined> {
  const found = tasks.find(({ id }) => id === task);
  if (!found || isPage(found.open)) throw new Error(`there is no task ${task} of the desktop`);
  const { files, open, check, finish } = found;
  using own = openFolder();
  const home = join(own.path, "home");
  makeHome(home, files);
  await using desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1, windowManager });
  const env = homeEnvironment(desktop.env, home);
  const args = open.args.map((word) => word.replaceAll("{home}", home));
  using program = await startProgram(open.program, args, { env, folder: home, outputFile: join(own.path, "output") });
  const watch = await startServer(
    productEntry,
    ["mcp", "--policy", "allow", "--journal", "off", "--desktop", "real"],
    env,
  );
  try {
    await awaitReady(watch);
    await work({ folder: own.path, env });
    const signal = AbortSignal.timeout(startMs);
    if (finish === "close") {
      for (const id of await windowIds(watch))
        await watch.ask("set_window", { window_id: id, action: "close" }).catch(() => {});
      await hasEnded(program, settleMs, signal);
    }
    const ending = {
      home,
      page: () => undefined,
      output: program.output,
      exitCode: program.exitCode,
      windows: async () => [],
      clipboard: async () => "",
    };
    let problems: readonly string[] = [];
    const isRight = async () => {
      problems = await findProblems(check, ending);
      return problems.length === 0 ? true : undefined;
    };
    await poll(isRight, { timeoutMs: settleMs, everyMs: 100, signal });
    return problems.length === 0 ? undefined : problems.join("; ");
  } finally {
    await watch.close();
  }
}

async function windowIds(watch: Server): Promise<readonly number[]> {
  const { data } = await watch.ask("list_windows");
  return (data["windows"] as readonly { window_id: number }[]).map(({ window_id }) => window_id);
}

/** The window is there and has a tree: an app joins the bus after it shows itself. */
async function awaitReady(watch: Server): Promise<void> {
  const signal = AbortSignal.timeout(startMs);
  const hasWindow = async () => ((await windowIds(watch)).length > 0 ? true : undefined);
  await poll(hasWindow, { timeoutMs: startMs, everyMs: 200, signal });
  await poll(async () => watch.ask("take_ax_snapshot").catch(() => undefined), {
    timeoutMs: 10_000,
    everyMs: 200,
    signal,
  });
  await watch.ask("wait_for", { condition: "stable", timeout_ms: 20_000 }).catch(() => {});
}
