import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Where } from "../agent/workplace.ts";
import { openSession } from "../app.ts";
import { poll } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import type { Config } from "../config/options.ts";
import { openVirtualDesktop } from "../platform/virtual/desktop.ts";
import { callTool } from "../tools/call.ts";
import type { Session } from "../tools/session.ts";
import type { Ending } from "./check.ts";
import { homeEnvironment, makeHome, openFolder } from "./home.ts";
import { servePages } from "./page-server.ts";
import { hasEnded, startProgram, type Program } from "./program.ts";
import { isPage, type Task } from "./task.ts";

/** A task that is ready to be worked on. */
export interface Stage {
  readonly session: Session;
  readonly where: Where;
  readonly ending: Ending;
  /** Closes the app as a person does, by its windows. */
  readonly close: () => Promise<void>;
}

export interface StageOptions {
  readonly config: Config;
  /** Where the tasks are, with their pages below. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

type Call = (tool: string, args?: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

const startMs = 30_000;
const closeMs = 5_000;

/** A desktop, a home folder and a session for one task, with its app or page open, for the duration of the work. */
export async function onStage<T>(
  { files, open }: Task,
  { config, folder, signal }: StageOptions,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  using own = openFolder();
  const home = join(own.path, "home");
  makeHome(home, files);
  await using desktop = await openVirtualDesktop({ ...config.size, monitors: 1, scale: config.scale, signal });
  const env = homeEnvironment(desktop.env, home);
  await using session = openSession(sessionConfig(config, own.path), { env });
  const call = openCall(session, signal);
  const ending: Ending = {
    home,
    page: () => undefined,
    output: () => "",
    exitCode: () => undefined,
    windows: async () => (await listWindows(call)).map(({ title }) => title),
    clipboard: async () => z.object({ text: z.string().nullable() }).parse(await call("get_clipboard")).text ?? "",
  };
  if (isPage(open)) {
    await using server = await servePages(join(folder, "pages"));
    const where = { surface: await openPage(call, `${server.url}/${open.page}`) };
    return await work({ session, where, ending: { ...ending, page: server.state }, close: async () => {} });
  }
  const args = open.args.map((word) => word.replaceAll("{home}", home));
  using program = await startProgram(open.program, args, { env, folder: home, outputFile: join(own.path, "output") });
  await awaitReady(call, program, open.program, signal);
  return await work({
    session,
    where: { pid: program.pid },
    ending: { ...ending, output: program.output, exitCode: program.exitCode },
    close: () => closeWindows(call, program, signal),
  });
}

/**
 * The person's model and limits, and nothing else of theirs: no rules of their policy, no profile of their browser.
 */
function sessionConfig(config: Config, folder: string): Config {
  const rules = join(folder, "policy.json");
  writeFileSync(rules, "{}");
  return { ...config, desktop: "real", policy: "allow", rules, browserDir: join(folder, "browser") };
}

function openCall(session: Session, signal: AbortSignal): Call {
  return async (tool, args = {}) => {
    const outcome = await callTool(session, { tool, arguments: args, signal, canAsk: false, client: "tasks" });
    if (outcome.kind === "done") return outcome.data;
    if (outcome.kind === "ask") throw new ToolError("denied", outcome.question.text);
    throw new ToolError(outcome.envelope.error.code, outcome.envelope.error.message);
  };
}

async function openPage(call: Call, url: string): Promise<string> {
  const { pages } = z
    .object({ pages: z.array(z.object({ surface: z.string(), selected: z.boolean() })) })
    .parse(await call("cdp_launch", { url }));
  const surface = (pages.find(({ selected }) => selected) ?? pages[0])?.surface;
  if (surface === undefined) throw new ToolError("not_found", "The browser opened no page.");
  return surface;
}

/** Waits for the window and, if the app has a tree, for its elements: an app joins the bus after it shows itself. */
async function awaitReady(call: Call, program: Program, name: string, signal: AbortSignal): Promise<void> {
  const { pid } = program;
  await call("wait_for", { pid, timeout_ms: startMs }).catch((cause: unknown) => {
    const why = program.exitCode() === undefined ? "" : ` It ended with ${program.exitCode()}.`;
    throw new ToolError("not_found", `${name} has opened no window.${why}`, { cause });
  });
  const hasTree = () => call("take_ax_snapshot", { pid }).catch(() => undefined);
  await poll(hasTree, { timeoutMs: treeMs, everyMs: 100, signal });
  await call("wait_for", { condition: "stable", pid, timeout_ms: startMs });
}

// Some apps, such as terminals, never have one.
const treeMs = 2_000;

const windowsShape = z.object({ windows: z.array(z.object({ window_id: z.number(), title: z.string() })) });

async function listWindows(call: Call, filter: Readonly<Record<string, unknown>> = {}) {
  return windowsShape.parse(await call("list_windows", filter)).windows;
}

function orGone(error: unknown): void {
  if (!(error instanceof ToolError) || !["window_gone", "not_found", "timeout"].includes(error.code)) throw error;
}

async function closeWindows(call: Call, program: Program, signal: AbortSignal): Promise<void> {
  if (program.exitCode() !== undefined) return;
  for (const { window_id } of await listWindows(call, { pid: program.pid })) {
    // A window that closed together with another is gone when its turn comes; the check shows the actual result.
    await call("set_window", { window_id, action: "close" }).catch(orGone);
  }
  await hasEnded(program, closeMs, signal);
}
