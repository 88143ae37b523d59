import { readFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { poll, sleep, throwIfCancelled } from "../../base/async.ts";
import { callerFolder } from "../../base/caller-folder.ts";
import { ToolError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { Apps, CallOptions, InstalledApp, ResolvedApp, RunningApp, WindowInfo, Windows } from "../backend.ts";
import { accessibleArguments, accessibleEnvironment } from "./apps/accessible-start.ts";
import { findCommand, listCommands } from "./apps/commands.ts";
import { commandLine, findEntry, readDesktopEntries } from "./apps/desktop-entries.ts";
import { identifyApps } from "./apps/identify.ts";
import { Launches } from "./apps/launches.ts";
import { findExecutable, findProcess, isRunning, signalProcess, type ProcessIdentity } from "./apps/processes.ts";

/** By then, an app that cannot start has usually exited. */
const startMs = 300;
const quitMs = 5000;
const lookEveryMs = 20;
/** A child that inherited its parent's connection may keep the window open forever. */
const closeMs = 1000;

export interface AppsOptions {
  /** The desktop's environment, passed to every app. */
  readonly env: NodeJS.ProcessEnv;
  readonly windows: Windows;
}

export class LinuxApps implements Apps {
  readonly #env: NodeJS.ProcessEnv;
  readonly #windows: Windows;
  readonly #launches = new Launches();

  constructor({ env, windows }: AppsOptions) {
    this.#env = env;
    this.#windows = windows;
  }

  async running(options: CallOptions = {}): Promise<readonly RunningApp[]> {
    const windows = await this.#windows.list(options);
    const pids = [...new Set(windows.filter(isOfApp).map(({ pid }) => pid))].filter((pid) => pid !== undefined);
    // A splash screen may belong to a helper that leaves the windows to another process.
    const shown = new Set(windows.filter(({ kind }) => kind !== "splash").map(({ pid }) => pid));
    const origins = await this.#launches.origins(pids.filter((pid) => shown.has(pid)));
    return Promise.all(
      pids.map(async (pid) => {
        const own = windows.filter((window) => window.pid === pid);
        const name = own.find(({ appName }) => appName !== "")?.appName ?? own[0]?.processName ?? "";
        const origin = origins.get(pid);
        return {
          name,
          pid,
          executable: await findExecutable(pid),
          windowIds: own.map(({ id }) => id),
          ...(origin ? { launchedAs: origin.names, launchedBy: origin.pids } : {}),
        };
      }),
    );
  }

  async installed(): Promise<readonly InstalledApp[]> {
    const entries = await readDesktopEntries(this.#env);
    const apps = await Promise.all(
      entries.map(async (entry) => {
        const executable = await findCommand(entry.command[0] ?? "", this.#env);
        const isThere = entry.tryExec === undefined || (await findCommand(entry.tryExec, this.#env)) !== undefined;
        return executable !== undefined && isThere ? { id: entry.id, name: entry.name, executable } : undefined;
      }),
    );
    return apps.filter((app) => app !== undefined).toSorted((a, b) => a.name.localeCompare(b.name));
  }

  resolve(apps: readonly string[]): Promise<readonly (ResolvedApp | undefined)[]> {
    return identifyApps(apps, this.#env);
  }

  async launch(app: string, args: readonly string[], { signal }: CallOptions = {}): Promise<{ readonly pid: number }> {
    const [command = "", ...given] = await this.#resolve(app, args);
    const rest = await accessibleArguments(command, given);
    throwIfCancelled(signal);
    const launch = this.#launches.begin();
    const child = spawn(command, rest, {
      cwd: callerFolder(),
      env: { ...accessibleEnvironment, ...this.#env, ...launch.env },
      detached: true,
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    try {
      await once(child, "spawn");
    } catch (error) {
      ended.catch(() => {});
      throw new ToolError("not_found", `"${app}" could not be started: ${(error as Error).message}.`, {
        hint: "Check that the file is a program for this machine.",
        cause: error,
      });
    }
    child.unref();
    this.#launches.note(launch.token, child.pid as number, [app, command]);
    await Promise.race([ended, sleep(startMs)]);
    if ((child.exitCode ?? 0) === 0 && child.signalCode === null) return { pid: child.pid as number };
    const how = child.signalCode === null ? `exit code ${child.exitCode}` : child.signalCode;
    throw new ToolError("process_not_running", `"${app}" ended at once with ${how}.`, {
      hint: `Run ${[command, ...rest].join(" ")} in a terminal to see what it says.`,
    });
  }

  async written(pid: number): Promise<number | undefined> {
    try {
      const counts = await readFile(`/proc/${pid}/io`, "utf8");
      return Number(/^write_bytes: (\d+)$/m.exec(counts)?.[1]);
    } catch {
      // The process has ended, or belongs to somebody else.
      return undefined;
    }
  }

  async quit(
    pid: number,
    options: CallOptions & { readonly force?: boolean; readonly timeoutMs?: number } = {},
  ): Promise<void> {
    const { force = false, timeoutMs = quitMs, signal } = options;
    if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) {
      throw new ToolError("invalid_argument", `Process ${pid} is not an app that can be quit.`, {
        hint: "Take a pid from list_apps.",
      });
    }
    const target = await findProcess(pid);
    if (!target) {
      throw new ToolError("process_not_running", `No process ${pid} is running.`, { hint: "list_apps shows what is." });
    }
    throwIfCancelled(signal);
    const hasEnded = force ? await this.#kill(target, timeoutMs, signal) : await this.#ask(target, timeoutMs, signal);
    if (hasEnded) return this.#waitForNoWindow(pid, signal);
    throw new ToolError("timeout", `Process ${pid} is still running after ${timeoutMs} ms.`, {
      hint: force
        ? "The system is still ending it; look again later."
        : "A dialog about unsaved changes may be open: look at its windows. force: true kills it, and loses what is unsaved.",
    });
  }

  async #kill(target: ProcessIdentity, timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    await signalProcess(target, "SIGKILL");
    return waitForEnd(target, timeoutMs, signal);
  }

  /** Closes its windows. A process without windows, from the start or after half the time, gets SIGTERM. */
  async #ask(target: ProcessIdentity, timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const windowsOf = async () => (await this.#windows.list({ signal })).filter((window) => window.pid === target.pid);
    const windows = await windowsOf();
    for (const window of windows) {
      // The app may show a dialog instead, or close this window together with another; only the end of the process
      // counts.
      this.#windows.change(window.id, { to: "close" }, { signal }).catch(() => {});
    }
    if (windows.length > 0 && (await waitForEnd(target, timeoutMs / 2, signal))) return true;
    if (windows.length === 0 || (await windowsOf()).length === 0) await signalProcess(target, "SIGTERM");
    return waitForEnd(target, windows.length > 0 ? timeoutMs / 2 : timeoutMs, signal);
  }

  /**
   * A window outlives its process until the display notices; meanwhile the app would look as if it were still
   * running.
   */
  async #waitForNoWindow(pid: number, signal: AbortSignal | undefined): Promise<void> {
    const isGone = async () =>
      (await this.#windows.list({ signal })).some((own) => own.pid === pid) ? undefined : true;
    await poll(isGone, { timeoutMs: closeMs, everyMs: lookEveryMs, signal });
  }

  async #resolve(app: string, args: readonly string[]): Promise<readonly string[]> {
    const command = app === "" ? undefined : await findCommand(app, this.#env);
    if (command !== undefined) return [command, ...args];
    const entries = await readDesktopEntries(this.#env);
    const entry = findEntry(entries, app);
    if (entry) {
      const [program = "", ...rest] = commandLine(entry, args);
      return [(await findCommand(program, this.#env)) ?? program, ...rest];
    }
    const names = [entries.map(({ name }) => name), entries.map(({ id }) => id), await listCommands(this.#env)];
    const candidates = [...new Set(names.map((list) => nearest(app, list)).filter((name) => name !== undefined))];
    throw new ToolError("not_found", `No app or command "${app}" on this machine.`, {
      hint:
        candidates.length > 0
          ? `Did you mean ${candidates.map((name) => `"${name}"`).join(" or ")}?`
          : "list_apps shows what is installed; a full path works too.",
      candidates,
    });
  }
}

/** The window manager puts up small windows of its own, which have neither a kind nor a class. */
const isOfApp = ({ kind, className }: WindowInfo): boolean => kind !== "unknown" || className !== "";

async function waitForEnd(
  target: ProcessIdentity,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const ended = await poll(async () => ((await isRunning(target)) ? undefined : true), {
    timeoutMs,
    everyMs: lookEveryMs,
    signal,
  });
  return ended === true;
}
