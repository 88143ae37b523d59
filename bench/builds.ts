import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { startAndroid, type AndroidTarget } from "../test/simulators/android/lab.ts";
import { servePages } from "./browser.ts";
import { openControls } from "./controls-app.ts";
import type { Group } from "./group.ts";
import { connectStdio, startServer, type Server } from "./mcp-client.ts";
import { clearAway, median, now, pool, race, type Row, type Runner } from "./measure.ts";
import { openOwnBrowser } from "./own-browser.ts";
import type { Verdict } from "./report.ts";
import { openDesktop } from "./scene.ts";

const mostTimes = 1.1;
const given = ["mcp", "--policy", "allow", "--journal", "off"];

/**
 * Two builds of handsight in turns, on one device, each with a desktop, an app and a page of its own: what one build does to an
 * app would look to the other like an app that changes by itself.
 */
export const builds: Group = async ({ rounds, builds: folders, tell }) => {
  if (!folders) throw new Error("no builds were named");
  const entries = [
    { name: "old", entry: entryOf(folders.old) },
    { name: "new", entry: entryOf(folders.new) },
  ];
  await using pages = await servePages();
  await using lab = await startAndroid({ timeScale: 0 });
  const [device] = lab.devices;
  if (!device) throw new Error("there is no device");
  device.open("Settings");
  const races = new Map<string, (readonly Row[])[]>();
  const keep = (title: string, rows: readonly Row[]) => races.set(title, [...(races.get(title) ?? []), rows]);
  const often = Math.ceil(rounds / sittings);
  for (let sitting = 0; sitting < sittings; sitting++) {
    const opened: Build[] = [];
    try {
      for (const { name, entry } of sitting % 2 === 0 ? entries : entries.toReversed()) {
        tell(`sitting ${sitting + 1} of ${sittings}: starting the ${name} build`);
        const desktop = await openDesktop();
        const app = await openControls("gtk3", desktop.env, { geometry: "760x600" });
        const env = { ...desktop.env, ...changedIn(lab.env) };
        const server = await startServer(entry, [...given, "--tools", "all", "--desktop", "real"], env);
        const browser = await openOwnBrowser();
        opened.push({ name, server, browser, app, desktop });
        await server.ask("cdp_connect", { port: browser.endpoint.port });
        await server.ask("cdp_navigate", { url: `${pages.url}/?n=300` });
        await server.ask("android_connect", { serial: device.serial });
      }
      for (const step of stepsOn(opened[0]?.app.title ?? "", device)) {
        tell(step.title);
        const runners = opened.map((build) => runnerOf(build, step));
        keep(step.title, await race(runners, step.isShort ? often * shortOnes : often));
      }
    } finally {
      for (const { server, browser, app, desktop } of opened) {
        await server.close();
        await browser[Symbol.asyncDispose]();
        await app[Symbol.asyncDispose]();
        await desktop[Symbol.asyncDispose]();
      }
    }
    tell(startUp);
    keep(startUp, await race(entries.map(startOf), often));
  }
  return [...races].map(([title, all]) => {
    const rows = entries.map(({ name }) => pool(all.flatMap((each) => each.filter((row) => row.name === name))));
    return { title, rows, verdicts: [verdictOn(rows)] };
  });
};

const startUp = "Start-up: process start to the answer of tools/list";

// A process, once started, is a little slower or faster than the next for as long as it runs.
const sittings = 4;

// What takes a few milliseconds is run more often: it costs little, and a busy moment counts less.
const shortOnes = 3;

interface Build {
  readonly name: string;
  readonly server: Server;
  readonly browser: AsyncDisposable;
  readonly app: AsyncDisposable & { readonly title: string };
  readonly desktop: AsyncDisposable;
}

function entryOf(folder: string): string {
  const entry = join(resolve(folder), "dist", "main.js");
  if (existsSync(entry)) return entry;
  throw new Error(`${folder} is not a built package: it has no dist/main.js. Run npm run setup there.`);
}

/** What the lab adds: the rest is the environment of whoever runs the bench, with another display. */
const changedIn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => process.env[name] !== value));

interface Step {
  readonly title: string;
  readonly tool: string;
  /** A few milliseconds. */
  readonly isShort?: boolean;
  /** How many calls make a sample; a single one of a few milliseconds is too short for a busy machine. */
  readonly inARow?: number;
  /** The arguments; what it takes to know them is outside the clock. */
  readonly prepare: (server: Server) => Promise<Record<string, unknown>>;
  /** It has to have an effect. */
  readonly isVerified?: boolean;
}

const airplaneMode = { x: 400, y: 680 };

function stepsOn(title: string, device: AndroidTarget): readonly Step[] {
  let count = 0;
  const next = (): string => `value ${++count}`;
  // Found before each call: a snapshot makes older refs of an app expire.
  const inApp = async ({ ask }: Server, selector: string): Promise<string> =>
    uidOf((await ask("find_elements", { selector, window_title: title })).data["elements"], selector);
  const onPage = async ({ ask }: Server, query: string, role: string): Promise<string> =>
    uidOf((await ask("cdp_find_elements", { query, role })).data["matches"], query);
  return [
    {
      title: "Snapshot of a GTK 3 window",
      tool: "take_ax_snapshot",
      isShort: true,
      inARow: 3,
      prepare: async () => ({ window_title: title }),
    },
    {
      title: "Snapshot of a page of 300 elements",
      tool: "cdp_take_dom_snapshot",
      isShort: true,
      inARow: 5,
      prepare: async () => ({ max_nodes: 1_000 }),
    },
    { title: "Snapshot of a device", tool: "android_snapshot", isShort: true, inARow: 5, prepare: async () => ({}) },
    {
      title: "Click on a GTK 3 button, verified",
      tool: "click",
      isVerified: true,
      prepare: async (server) => ({ uid: await inApp(server, 'Button:"Press me"') }),
    },
    {
      title: "Click on a button of a page, verified",
      tool: "cdp_click",
      isVerified: true,
      prepare: async (server) => ({ uid: await onPage(server, "Count", "button") }),
    },
    {
      title: "Fill a GTK 3 field, verified",
      tool: "ax_set_value",
      isVerified: true,
      prepare: async (server) => ({ uid: await inApp(server, "TextBox:Username"), value: next() }),
    },
    {
      title: "Fill a field of a page, verified",
      tool: "cdp_fill",
      isShort: true,
      isVerified: true,
      prepare: async (server) => ({ uid: await onPage(server, "Note", "textbox"), value: next() }),
    },
    {
      title: "Tap, sent",
      tool: "android_click",
      isShort: true,
      inARow: 5,
      prepare: async () => ({ x: 400, y: 500, settle_ms: 0 }),
    },
    { title: "Tap, verified", tool: "android_click", isVerified: true, prepare: async () => airplaneMode },
    {
      title: "Screenshot of the screen",
      tool: "take_screenshot",
      isShort: true,
      inARow: 3,
      prepare: async () => ({ mode: "screen" }),
    },
    {
      title: "Screenshot of a device whose screen has changed",
      tool: "android_screenshot",
      isShort: true,
      async prepare() {
        device.phone.touch(airplaneMode.x, airplaneMode.y, "tap");
        await device.paint();
        // The simulated device lives in this process, and has just made pictures of ten megabytes.
        clearAway();
        return {};
      },
    },
  ];
}

function uidOf(found: unknown, wanted: string): string {
  const [first] = found as readonly { readonly uid: string }[];
  if (!first) throw new Error(`there is no ${wanted}`);
  return first.uid;
}

const runnerOf = ({ name, server }: Build, { tool, inARow = 1, prepare, isVerified = false }: Step): Runner => ({
  name,
  kind: "ours",
  async run() {
    const args = await prepare(server);
    const started = now();
    for (let call = 0; call < inARow; call++) {
      const { data } = await server.ask(tool, args);
      if (isVerified && data["effect"] === "no_change") throw new Error("it had no effect");
    }
    return { ms: (now() - started) / inARow };
  },
});

const startOf = ({ name, entry }: { readonly name: string; readonly entry: string }): Runner => ({
  name,
  kind: "ours",
  async run() {
    const started = now();
    await using connected = await connectStdio(entry, given, "2025-11-25");
    await connected.client.listTools();
    return { ms: now() - started };
  },
});

function verdictOn([before, after]: readonly Row[]): Verdict {
  const target = `new ≤ ${mostTimes}× old`;
  const [old, other] = [before?.times ?? [], after?.times ?? []];
  const ratio = ratioOf(old, other);
  if (ratio === undefined) return { target, figure: "–", state: "not measured" };
  const [low, high] = spreadOf(old, other);
  const figure = `${ratio.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`;
  return { target, figure, state: ratio <= mostTimes ? "met" : "MISSED" };
}

function ratioOf(old: readonly number[], other: readonly number[]): number | undefined {
  const [below, above] = [median(old), median(other)];
  return below === undefined || above === undefined ? undefined : above / below;
}

const draws = 2_000;

/** Between which 95 % of the ratios lie when the runs are drawn anew from those that were seen (bootstrap). */
function spreadOf(old: readonly number[], other: readonly number[]): readonly [number, number] {
  const again = (times: readonly number[]): number[] =>
    times.map(() => times[Math.floor(Math.random() * times.length)] ?? 0);
  const ratios = Array.from({ length: draws }, () => ratioOf(again(old), again(other)) ?? 1).toSorted((a, b) => a - b);
  return [ratios[Math.floor(draws * 0.025)] ?? 1, ratios[Math.floor(draws * 0.975)] ?? 1];
}
