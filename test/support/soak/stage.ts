import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { startAndroid, type AndroidTarget } from "../../simulators/android/lab.ts";
import { startFixture, type Fixture } from "../fixture.ts";
import { makeFiles, type Files } from "./files.ts";
import type { Outcome } from "./ledger.ts";
import { Memo } from "./memo.ts";
import { openPorts, type Ports } from "./ports.ts";
import { startSoakServer, type AskOptions, type SoakServer } from "./server.ts";
import { commandOf, leadsBrowser, ownProcesses } from "./usage.ts";

/** Where the calls go: a server with its private desktop, apps on it, pages to open and a device. */
export interface Stage extends AsyncDisposable {
  readonly server: SoakServer;
  readonly memo: Memo;
  readonly apps: readonly App[];
  readonly ports: Ports;
  readonly device: AndroidTarget;
  readonly files: Files;
  readonly desktop: { readonly id: string; readonly env: NodeJS.ProcessEnv; readonly folder: string };
  /** Calls a tool and remembers what the answer names. */
  readonly ask: (tool: string, args?: unknown, options?: AskOptions) => Promise<Outcome>;
}

/** A window that can be killed and comes back. */
export interface App {
  readonly title: string;
  readonly pid: () => number;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
}

const screen = { size: { width: 540, height: 1200 }, density: 210, timeScale: 0 } as const;
const fixtures = [
  { fixture: "gtk3_controls", title: "Soak GTK 3", geometry: "560x420+20+40" },
  { fixture: "qt5_controls", title: "Soak Qt 5", geometry: "560x420+660+40" },
  { fixture: "gtk3_login", title: "Soak login", geometry: "560x300+20+540" },
] as const;

export async function openStage(tell: (what: string) => void): Promise<Stage> {
  const opened: AsyncDisposable[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
  };
  try {
    return await open(opened, close, tell);
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  opened: AsyncDisposable[],
  close: () => Promise<void>,
  tell: (what: string) => void,
): Promise<Stage> {
  const ports = await openPorts();
  opened.push(ports);
  const lab = await startAndroid(screen);
  opened.push(lab);
  const [device] = lab.devices;
  if (!device) throw new Error("there is no device");
  const server = await startSoakServer(lab.env, tell);
  opened.push(server);
  const memo = new Memo();
  const ask: Stage["ask"] = async (tool, args, options) => {
    const outcome = await server.ask(tool, args, options);
    if (outcome.kind === "done") memo.learn(outcome.data);
    return outcome;
  };
  const files = await makeFiles(server.folders.tmp);
  const needed = async (tool: string, args: unknown): Promise<void> => {
    const outcome = await ask(tool, args);
    if (outcome.kind !== "done")
      throw new Error(`${tool} failed on the empty stage: ${JSON.stringify(outcome)}\n${server.said()}`);
  };
  await needed("list_windows", {});
  const desktop = readDesktop(server);
  const apps = fixtures.map((each) => makeApp(each, desktop.env));
  opened.push({ [Symbol.asyncDispose]: async () => void (await Promise.all(apps.map((app) => app.kill()))) });
  await Promise.all(apps.map((app) => app.start()));
  await needed("android_connect", { serial: device.serial });
  await needed("cdp_launch", { headless: true, url: `${ports.pages}/form` });
  return { server, memo, apps, ports, device, files, desktop, ask, [Symbol.asyncDispose]: close };
}

function makeApp(
  { fixture, title, geometry }: { readonly fixture: string; readonly title: string; readonly geometry: string },
  env: NodeJS.ProcessEnv,
): App {
  let running: Fixture | undefined;
  const rows = fixture.endsWith("_controls") ? ["--rows", "30"] : [];
  const args = ["--title", title, "--geometry", geometry, ...rows];
  return {
    title,
    pid: () => running?.pid ?? 0,
    async kill() {
      await running?.stop();
      running = undefined;
    },
    async start() {
      running = await startFixture(fixture, { env, args });
      await running.waitFor(({ event }) => event === "ready", 30_000);
    },
  };
}

/** The server does not reveal its private desktop, but the programs on it do. */
function readDesktop(server: SoakServer): Stage["desktop"] {
  const inside = ownProcesses(server).find(({ pid }) => commandOf(pid)[0]?.endsWith("openbox"));
  if (!inside) throw new Error("the private desktop has no window manager");
  const lines = readFileSync(`/proc/${inside.pid}/environ`, "utf8").split("\0");
  const env = Object.fromEntries(
    lines
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const folder = dirname(env["XAUTHORITY"] ?? "");
  return { id: folder.replace(/^.*\//, ""), env, folder };
}

/** The browser that the server started, if it is running. */
export const browserPid = (server: SoakServer): number | undefined =>
  ownProcesses(server).find(({ pid }) => leadsBrowser(commandOf(pid)))?.pid;

/** A process that reads text for the server, if one is running. */
export const readerPid = (server: SoakServer): number | undefined =>
  ownProcesses(server).find(({ pid }) => commandOf(pid).some((part) => part.includes("text-helper")))?.pid;
