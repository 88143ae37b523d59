import { spawn, type ChildProcess } from "node:child_process";
import { rmdirSync, rmSync } from "node:fs";
import { readlink, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { makeFolders } from "../../base/named-file.ts";
import { readActivePort, readVersion, type Endpoint } from "./endpoint.ts";
import { needBrowser } from "./find-browser.ts";

export interface LaunchRequest {
  readonly executable?: string | undefined;
  readonly profile: string;
  readonly headless: boolean;
  readonly url?: string | undefined;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Launched {
  readonly endpoint: Endpoint;
  readonly executable: string;
  /** Undefined when a browser with this profile was already running. */
  readonly child: ChildProcess | undefined;
}

/** Starts a browser with a profile of its own, or finds the one that runs with it, and says where it listens. */
export async function launchBrowser(request: LaunchRequest): Promise<Launched> {
  const { executable } = await needBrowser(request.executable, request.env);
  makeProfile(request.profile);
  const running = await runningWith(request.profile, request.signal);
  if (running) return { endpoint: running, executable, child: undefined };
  await rm(join(request.profile, "DevToolsActivePort"), { force: true });
  const child = spawn(executable, flags(request), {
    env: request.env,
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2_000);
  });
  child.on("error", () => {});
  child.unref();
  const endpoint = await poll(
    async () => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
        throw ended(executable, said);
      return runningWith(request.profile, request.signal);
    },
    { timeoutMs: request.timeoutMs, everyMs: 40, signal: request.signal },
  ).catch((error: unknown) => {
    stop(child);
    throw error;
  });
  if (endpoint) {
    (child.stderr as { unref?: () => void } | null)?.unref?.();
    await clearAwayAfter(child, request.profile);
    return { endpoint, executable, child };
  }
  stop(child);
  throw new ToolError("timeout", `${executable} did not open its debugging port within ${request.timeoutMs} ms.`, {
    hint: lastLine(said) ?? "Try headless: true, or another executable.",
  });
}

function makeProfile(profile: string): void {
  try {
    makeFolders(profile);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ToolError("permission_missing", `The profile folder ${profile} cannot be created: ${code}.`, {
      hint: "Name a folder this user may write to, with profile or --browser-dir.",
      cause: error,
    });
  }
}

/** A killed browser leaves a folder in TMPDIR, a new one each time; its profile says which. */
async function clearAwayAfter(child: ChildProcess, profile: string): Promise<void> {
  const socket = await readlink(join(profile, "SingletonSocket")).catch(() => undefined);
  if (socket === undefined) return;
  child.once("exit", () => {
    const folder = dirname(socket);
    try {
      for (const name of ["SingletonSocket", "SingletonCookie"]) rmSync(join(folder, name), { force: true });
      rmdirSync(folder);
    } catch {
      // The browser has already removed it.
    }
  });
}

/** A browser leads a process group; kill all of it. */
export function stop(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

// A server has a third of a second to close; a browser that was asked to quit finishes by itself after that.
const endMs = 250;

/**
 * Asks the browser to quit, so that its profile stays intact. If it does not, it is killed, provided that we are
 * still running.
 */
export async function endGently(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  setTimeout(() => stop(child), 3_000).unref();
  const waited = new Promise<void>((resolve) => setTimeout(resolve, endMs));
  await Promise.race([ended, waited]);
}

const quitMs = 5_000;

/** Waits until the browser has released this profile. One that does not end is killed, if it is our child. */
export async function untilEnded(profile: string, child: ChildProcess | undefined): Promise<boolean> {
  const hasEnded = async () => {
    const isLocked = await readlink(join(profile, "SingletonLock")).then(Boolean, () => false);
    return isLocked || (await runningWith(profile, undefined)) ? undefined : true;
  };
  const ended = await poll(hasEnded, { timeoutMs: quitMs, everyMs: 40 });
  if (!ended && child) stop(child);
  if (ended || child) await rm(join(profile, "DevToolsActivePort"), { force: true });
  return ended === true || child !== undefined;
}

function flags({ profile, headless, url, args, env }: LaunchRequest): string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    "--remote-debugging-port=0",
    `--user-data-dir=${profile}`,
    "--no-first-run",
    "--no-default-browser-check",
    "--password-store=basic",
    "--disable-dev-shm-usage",
    // The sandbox refuses to start as root.
    ...(isRoot ? ["--no-sandbox", "--test-type"] : []),
    ...(headless ? ["--headless=new"] : []),
    ...(!headless && env["WAYLAND_DISPLAY"] === undefined && env["DISPLAY"] !== undefined
      ? ["--ozone-platform=x11"]
      : []),
    ...args,
    url ?? "about:blank",
  ];
}

/** Where the browser with this profile listens, if one is running. */
export async function runningWith(profile: string, signal: AbortSignal | undefined): Promise<Endpoint | undefined> {
  const active = await readActivePort(profile);
  if (active === undefined) return undefined;
  const endpoint = { host: "127.0.0.1", port: active.port };
  try {
    const { url } = await readVersion(endpoint, signal);
    // Another browser may have taken the port since; it is not ours to use, let alone to close.
    return new URL(url).pathname === active.path ? endpoint : undefined;
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}

const lastLine = (text: string): string | undefined => text.trim().split("\n").at(-1)?.slice(0, 300) || undefined;

const ended = (executable: string, said: string): ToolError =>
  new ToolError("process_not_running", `${executable} ended before it opened its debugging port.`, {
    hint: lastLine(said) ?? "Start it by hand to see why.",
  });
