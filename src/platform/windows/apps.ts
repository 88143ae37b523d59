import { spawn } from "node:child_process";
import { once } from "node:events";
import { poll, sleep, throwIfCancelled } from "../../base/async.ts";
import { callerFolder } from "../../base/caller-folder.ts";
import { ToolError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { Apps, CallOptions, InstalledApp, ResolvedApp, RunningApp, Windows } from "../backend.ts";
import { needReach } from "./apps/elevation.ts";
import { identifyApp } from "./apps/identify.ts";
import { findApp, listInstalled, type MenuApp } from "./apps/installed.ts";
import { bytesWritten, holdProcess, processFile, type HeldProcess } from "./apps/processes.ts";

/** By then, an app that cannot start has usually exited. */
const startMs = 300;
const quitMs = 5000;
const lookEveryMs = 20;
const closeMs = 1000;

export interface AppsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly windows: Windows;
}

export class Win32Apps implements Apps {
  readonly #env: NodeJS.ProcessEnv;
  readonly #windows: Windows;

  constructor({ env, windows }: AppsOptions) {
    this.#env = env;
    this.#windows = windows;
  }

  async running(options: CallOptions = {}): Promise<readonly RunningApp[]> {
    const windows = (await this.#windows.list(options)).filter(({ kind }) => kind !== "desktop" && kind !== "dock");
    const pids = [...new Set(windows.map(({ pid }) => pid))].filter((pid) => pid !== undefined && pid !== 0);
    return pids.map((pid) => {
      const own = windows.filter((window) => window.pid === pid);
      return {
        name: own.find(({ appName }) => appName !== "")?.appName ?? "",
        pid: pid as number,
        executable: processFile(pid as number) ?? "",
        windowIds: own.map(({ id }) => id),
      };
    });
  }

  async installed(): Promise<readonly InstalledApp[]> {
    return (await listInstalled(this.#env)).map(({ id, name, executable }) => ({ id, name, executable }));
  }

  async resolve(apps: readonly string[]): Promise<readonly (ResolvedApp | undefined)[]> {
    const installed = await listInstalled(this.#env);
    return Promise.all(apps.map((app) => identifyApp(app, installed, this.#env)));
  }

  async launch(app: string, args: readonly string[], { signal }: CallOptions = {}): Promise<{ readonly pid: number }> {
    const installed = await listInstalled(this.#env);
    const found = await findApp(app, installed, this.#env);
    if (!found) throw unknownApp(app, installed);
    throwIfCancelled(signal);
    const child = spawn(found.executable, [...found.args, ...args], {
      cwd: callerFolder(),
      env: this.#env,
      detached: true,
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    ended.catch(() => {});
    try {
      await once(child, "spawn");
    } catch (error) {
      throw new ToolError("not_found", `"${app}" could not be started: ${(error as Error).message}.`, {
        hint: "Check that the file is a program for this machine.",
        cause: error,
      });
    }
    child.unref();
    await Promise.race([ended, sleep(startMs)]);
    if ((child.exitCode ?? 0) === 0) return { pid: child.pid as number };
    throw new ToolError("process_not_running", `"${app}" ended at once with exit code ${child.exitCode}.`, {
      hint: `Run ${[found.executable, ...found.args, ...args].join(" ")} in a terminal to see what it says.`,
    });
  }

  async written(pid: number): Promise<number | undefined> {
    return bytesWritten(pid);
  }

  async quit(
    pid: number,
    options: CallOptions & { readonly force?: boolean; readonly timeoutMs?: number } = {},
  ): Promise<void> {
    const { force = false, timeoutMs = quitMs, signal } = options;
    if (!Number.isInteger(pid) || pid <= 4 || pid === process.pid) {
      throw new ToolError("invalid_argument", `Process ${pid} is not an app that can be quit.`, {
        hint: "Take a pid from list_apps.",
      });
    }
    needReach(pid, `Process ${pid} cannot be quit`);
    using target = holdProcess(pid);
    if (!target?.isRunning()) {
      throw new ToolError("process_not_running", `No process ${pid} is running.`, { hint: "list_apps shows what is." });
    }
    throwIfCancelled(signal);
    if (force) target.end();
    else await this.#ask(pid, signal);
    if (await waitForEnd(target, timeoutMs, signal)) return this.#waitForNoWindow(pid, signal);
    throw new ToolError("timeout", `Process ${pid} is still running after ${timeoutMs} ms.`, {
      hint: force
        ? "The system is still ending it; look again later."
        : "A dialog about unsaved changes may be open: look at its windows. force: true kills it, and loses what is unsaved.",
    });
  }

  /** A program without windows cannot be asked: Windows has no other way to tell it. */
  async #ask(pid: number, signal: AbortSignal | undefined): Promise<void> {
    const windows = (await this.#windows.list({ signal })).filter((window) => window.pid === pid);
    if (windows.length === 0) {
      throw new ToolError("not_supported", `Process ${pid} has no window that could be asked to close.`, {
        hint: "force: true kills it, and loses what is unsaved.",
      });
    }
    // The app may show a dialog instead, or close this window together with another; only the end of the process counts.
    for (const { id } of windows) this.#windows.change(id, { to: "close" }, { signal }).catch(() => {});
  }

  async #waitForNoWindow(pid: number, signal: AbortSignal | undefined): Promise<void> {
    const isGone = async () =>
      (await this.#windows.list({ signal })).some((own) => own.pid === pid) ? undefined : true;
    await poll(isGone, { timeoutMs: closeMs, everyMs: lookEveryMs, signal });
  }
}

function unknownApp(app: string, installed: readonly MenuApp[]): ToolError {
  const names = [installed.map(({ name }) => name), installed.map(({ id }) => id)];
  const candidates = [...new Set(names.map((list) => nearest(app, list)).filter((name) => name !== undefined))];
  return new ToolError("not_found", `No app or command "${app}" on this machine.`, {
    hint:
      candidates.length > 0
        ? `Did you mean ${candidates.map((name) => `"${name}"`).join(" or ")}?`
        : "list_apps shows what is installed; a full path works too.",
    candidates,
  });
}

async function waitForEnd(target: HeldProcess, timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  const hasEnded = async () => (target.isRunning() ? undefined : true);
  return (await poll(hasEnded, { timeoutMs, everyMs: lookEveryMs, signal })) === true;
}
