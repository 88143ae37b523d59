import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { poll, throwIfCancelled, withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { Apps, CallOptions, InstalledApp, ResolvedApp, RunningApp } from "../backend.ts";
import { constants } from "./bindings/constants.ts";
import { Block } from "./block.ts";
import { itemsOf, newArray, newString, textOf } from "./cf.ts";
import type { Mac } from "./mac.ts";
import { listed } from "./windows.ts";

const launchMs = 20_000;
const quitMs = 5000;
const lookEveryMs = 50;

export const applicationFolders = (): readonly string[] => [
  "/Applications",
  "/Applications/Utilities",
  "/System/Applications",
  "/System/Applications/Utilities",
  join(homedir(), "Applications"),
];

export class MacApps implements Apps {
  readonly #mac: Mac;
  readonly #folders: readonly string[];

  constructor(mac: Mac, folders: readonly string[]) {
    this.#mac = mac;
    this.#folders = folders;
  }

  /** Apps with a window, and those in the Dock; the pid of each is looked up anew, because a kept list goes stale. */
  async running({ signal }: CallOptions = {}): Promise<readonly RunningApp[]> {
    throwIfCancelled(signal);
    const windows = listed(this.#mac).filter(({ layer }) => layer === 0);
    const pids = new Set([...windows.map(({ pid }) => pid), ...this.#inDock()]);
    return [...pids].flatMap((pid) => {
      const app = this.#describe(pid);
      const windowIds = windows.filter((window) => window.pid === pid && window.isOnScreen).map(({ id }) => id);
      return app ? [{ ...app, pid, windowIds }] : [];
    });
  }

  async installed(): Promise<readonly InstalledApp[]> {
    const found = await Promise.all(this.#folders.map(async (folder) => bundlesIn(folder)));
    return found
      .flat()
      .map((path) => ({ id: basename(path, ".app"), name: basename(path, ".app"), executable: path }))
      .toSorted((a, b) => a.name.localeCompare(b.name));
  }

  async resolve(apps: readonly string[]): Promise<readonly (ResolvedApp | undefined)[]> {
    const installed = await this.installed();
    return apps.map((app) => {
      const found = findIn(installed, app);
      if (!found) return undefined;
      const { name, executable } = found;
      return {
        isInstalled: true,
        // Any program that runs as the person can write there.
        isPersonal: executable.startsWith(homedir()),
        runsCommands: terminals.has(name.toLowerCase()),
        executable,
        file: executable,
        words: [executable],
        names: [...new Set([app, name, `${name}.app`])],
      };
    });
  }

  async launch(app: string, args: readonly string[], { signal }: CallOptions = {}): Promise<{ readonly pid: number }> {
    const path = await this.#find(app);
    throwIfCancelled(signal);
    const { native } = this.#mac;
    const block = new Block<number>(this.#mac, (running, error) => {
      if (running !== null) return native.send(running, "-[NSRunningApplication processIdentifier]");
      const why = error === null ? "" : textOf(native, native.send(error, "-[NSError localizedDescription]"));
      throw new ToolError("not_found", `"${app}" could not be started: ${why || "macOS gave no reason"}.`);
    });
    this.#mac.burst((own) => {
      const url = native.send(null, "+[NSURL fileURLWithPath:]", own(newString(native, path)));
      const options = native.send(null, "+[NSWorkspaceOpenConfiguration configuration]");
      const words = args.map((word) => newString(native, word));
      for (const word of words) own(word);
      native.send(options, "-[NSWorkspaceOpenConfiguration setArguments:]", own(newArray(native, words)));
      const workspace = native.send(null, "+[NSWorkspace sharedWorkspace]");
      native.send(
        workspace,
        "-[NSWorkspace openApplicationAtURL:configuration:completionHandler:]",
        url,
        options,
        block.pointer,
      );
    });
    return { pid: await withDeadline({ ms: launchMs, what: `Starting "${app}"`, signal }, () => block.called) };
  }

  async quit(
    pid: number,
    { force = false, timeoutMs = quitMs, signal }: CallOptions & { force?: boolean; timeoutMs?: number } = {},
  ): Promise<void> {
    throwIfCancelled(signal);
    const { native } = this.#mac;
    const way = force ? "-[NSRunningApplication forceTerminate]" : "-[NSRunningApplication terminate]";
    this.#mac.burst(() => {
      const app = native.send(null, "+[NSRunningApplication runningApplicationWithProcessIdentifier:]", pid);
      if (app !== null) return native.send(app, way);
      throw new ToolError("process_not_running", `No app with the process id ${pid} is running.`, {
        hint: "list_apps shows what is.",
      });
    });
    const hasEnded = async (): Promise<true | undefined> => (this.#describe(pid) ? undefined : true);
    if (await poll(hasEnded, { timeoutMs, everyMs: lookEveryMs, signal })) return;
    throw new ToolError("timeout", `Process ${pid} is still running after ${timeoutMs} ms.`, {
      hint: force
        ? "The system is still ending it; look again later."
        : "A dialog about unsaved changes may be open: look at its windows. force: true kills it, and loses what is unsaved.",
    });
  }

  #inDock(): readonly number[] {
    const { native } = this.#mac;
    return this.#mac.burst(() => {
      const workspace = native.send(null, "+[NSWorkspace sharedWorkspace]");
      const all = itemsOf(native, native.send(workspace, "-[NSWorkspace runningApplications]"));
      const regular = all.filter(
        (app) =>
          native.send(app, "-[NSRunningApplication activationPolicy]") ===
          constants.NSApplicationActivationPolicyRegular,
      );
      return regular.map((app) => native.send(app, "-[NSRunningApplication processIdentifier]"));
    });
  }

  #describe(pid: number): { readonly name: string; readonly executable: string } | undefined {
    const { native } = this.#mac;
    return this.#mac.burst(() => {
      const app = native.send(null, "+[NSRunningApplication runningApplicationWithProcessIdentifier:]", pid);
      if (app === null) return undefined;
      const url = native.send(app, "-[NSRunningApplication executableURL]");
      return {
        name: textOf(native, native.send(app, "-[NSRunningApplication localizedName]")),
        executable: url === null ? "" : textOf(native, native.send(url, "-[NSURL path]")),
      };
    });
  }

  async #find(app: string): Promise<string> {
    const apps = await this.installed();
    const found = findIn(apps, app);
    if (found) return found.executable;
    const guess = nearest(
      app,
      apps.map(({ name }) => name),
    );
    throw new ToolError("not_found", `No app "${app}" on this Mac.`, {
      hint: guess === undefined ? "list_apps shows what is installed." : `Did you mean "${guess}"?`,
      candidates: guess === undefined ? [] : [guess],
    });
  }
}

/** Input to them can run any command. */
const terminals: ReadonlySet<string> = new Set([
  "terminal",
  "iterm",
  "script editor",
  "automator",
  "shortcuts",
  "kitty",
  "alacritty",
  "wezterm",
  "warp",
  "ghostty",
  "hyper",
]);

function findIn(apps: readonly InstalledApp[], app: string): InstalledApp | undefined {
  const wanted = app.toLowerCase().replace(/\.app$/, "");
  return apps.find(({ id, executable }) => id.toLowerCase() === wanted || executable === app);
}

async function bundlesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(".app")).map((name) => join(folder, name));
  } catch {
    // Not every Mac has every folder.
    return [];
  }
}
