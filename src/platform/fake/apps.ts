import { givenNames } from "../../base/command-words.ts";
import { ToolError } from "../../base/errors.ts";
import type { Apps } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";

const quitMs = 5000;

export function appsOf(desktop: FakeDesktop): Apps {
  let lastPid = 1999;
  return {
    async running({ signal } = {}) {
      await desktop.enter("running", signal);
      const pids = [...new Set(desktop.windows.map((window) => window.pid ?? 0))];
      return pids.map((pid) => {
        const own = desktop.windows.filter((window) => (window.pid ?? 0) === pid);
        const [first] = own;
        return {
          pid,
          name: first?.appName ?? "",
          executable: first?.processName ?? "",
          windowIds: own.map(({ id }) => id),
        };
      });
    },
    async installed() {
      return desktop.apps.map(({ id, name, executable }) => ({ id, name, executable }));
    },
    async resolve(apps) {
      return apps.map((app) => {
        if (isMissing(app)) return undefined;
        const names = [...givenNames(app), ...desktop.apps.filter(({ id }) => id === app).map(({ name }) => name)];
        const isInstalled = !app.includes("/");
        const runsCommands = app === "fake-terminal";
        return { executable: app, file: app, words: [app], names, isInstalled, isPersonal: false, runsCommands };
      });
    },
    async launch(app, args, { signal } = {}) {
      await desktop.enter("launch", signal);
      if (isMissing(app)) throw new ToolError("not_found", `There is no app "${app}".`);
      desktop.events.push(`launch ${[app, ...args].join(" ")}`);
      const pid = ++lastPid;
      const window = desktop.apps.find(({ id }) => id === app)?.window;
      if (window) desktop.open({ pid, ...window });
      return { pid };
    },
    async quit(pid, { force = false, timeoutMs = quitMs, signal } = {}) {
      await desktop.enter("quit", signal);
      if (!desktop.windows.some((window) => window.pid === pid)) {
        throw new ToolError("process_not_running", `Process ${pid} is not running.`);
      }
      if (!force) await desktop.answer(pid, { timeoutMs, signal });
      desktop.events.push(`quit ${pid}${force ? " by force" : ""}`);
      desktop.frozen.delete(pid);
      for (const { id } of desktop.windows.filter((window) => window.pid === pid)) desktop.close(id);
    },
  };
}

/** Any other name counts as an app: tests need not declare what they launch. */
const isMissing = (app: string): boolean => app.toLowerCase().includes("missing");
