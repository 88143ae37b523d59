import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { readVersion } from "../../src/platform/cdp/endpoint.ts";
import { Wire, type Session } from "../../src/platform/cdp/wire.ts";
import { productEntry, startServer, type Server } from "../mcp-client.ts";
import type { Row } from "../measure.ts";
import { openOwnBrowser } from "../own-browser.ts";
import type { Table } from "../report.ts";
import { attach } from "./attach.ts";
import { serveFolder } from "./serve-folder.ts";
import { unreachableOn } from "./unreachable.ts";
import type { Suite } from "./suite.ts";

/** Small pages that give an instruction and know whether it was followed. */
export const miniwob: Suite = {
  title: "MiniWoB++",
  recognises: (folder) => existsSync(join(folder, "core", "core.js")) && existsSync(join(folder, "miniwob")),
  async run(folder, { showsMisses, tell }) {
    const pages = readdirSync(join(folder, "miniwob")).filter((name) => name.endsWith(".html"));
    await using served = await serveFolder(folder);
    await using browser = await openOwnBrowser();
    await using wire = await Wire.open((await readVersion(browser.endpoint, undefined)).url, "the browser");
    await using rules = await openRules();
    const server = await startServer(
      productEntry,
      ["mcp", "--policy", "allow", "--journal", "off", "--rules", rules.file],
      process.env,
    );
    try {
      await server.ask("cdp_connect", { port: browser.endpoint.port });
      const session = await attach(wire);
      const played: Played[] = [];
      for (const [index, page] of pages.toSorted().entries()) {
        if (index % 10 === 0) tell(`page ${index + 1} of ${pages.length}`);
        const one = await play(page, `${served.url}/miniwob/${page}`, server, session);
        if (!one) continue;
        played.push(one);
        if (showsMisses) for (const line of missesOf(one)) console.log(line);
      }
      return tablesOf(played);
    } finally {
      await server.close();
    }
  },
};

/** By default pages with "password" in their title are blocked, and some of these tasks are called so. */
async function openRules(): Promise<AsyncDisposable & { readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-bench-"));
  const file = join(folder, "rules.json");
  await writeFile(file, JSON.stringify({ blockedWindowPatterns: [] }));
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

interface Played {
  readonly page: string;
  /** Controls that have no element in the snapshot. */
  readonly unreachable: readonly string[];
  readonly episodes: readonly Episode[];
}

interface Episode {
  readonly instruction: string;
  readonly status: string;
  readonly message: string;
  readonly isRewarded: boolean;
}

const surface = "page:1";
const seeds = [1, 2, 3];

/** Undefined for a page that is not such a task. */
async function play(page: string, url: string, server: Server, session: Session): Promise<Played | undefined> {
  const evaluate = async (expression: string): Promise<unknown> =>
    (await session.send("Runtime.evaluate", { expression, returnByValue: true })).result.value;
  let unreachable: readonly string[] | undefined;
  const episodes: Episode[] = [];
  for (const seed of seeds) {
    await server.ask("cdp_navigate", { url });
    await poll(async () => (await evaluate(isReady)) === true || undefined, { timeoutMs: 5_000, everyMs: 50 });
    const instruction = await evaluate(start(seed));
    if (typeof instruction !== "string") return undefined;
    unreachable ??= await unreachableOn(server, session, surface);
    const { data } = await server.ask("run_agent", { goal: instruction, model: "rules", surface, max_time: 30 });
    episodes.push({
      instruction,
      status: String(data["status"]),
      message: String(data["message"]),
      isRewarded: (await evaluate("window.rewardForHandsightBench > 0")) === true,
    });
  }
  return { page, unreachable: unreachable ?? [], episodes };
}

// A page builds its display once everything has loaded.
const isReady = `document.getElementById("click-canvas") !== null`;

/** Begins an episode and returns its instruction. The first reward counts: a click later on may begin another episode. */
const start = (seed: number): string => `(() => {
  if (!window.core || !document.getElementById("query")) return null;
  const end = core.endEpisode;
  core.endEpisode = (reward, ...others) => {
    window.rewardForHandsightBench ??= reward;
    return end(reward, ...others);
  };
  core.EPISODE_MAX_TIME = 600000;
  Math.seedrandom("${seed}");
  core.startEpisodeReal();
  const said = core.getUtterance();
  return typeof said === "string" ? said : said.utterance;
})()`;

function tablesOf(played: readonly Played[]): Table[] {
  const reached = played.filter(({ unreachable }) => unreachable.length === 0).length;
  const episodes = played.flatMap((each) => each.episodes);
  const done = episodes.filter(({ status }) => status === "done");
  const wrong = done.filter(({ isRewarded }) => !isRewarded).length;
  // 124 of 129.
  const least = Math.floor(played.length * 0.962);
  return [
    {
      title: `Pages whose controls are all in the snapshot, of ${played.length}`,
      rows: [count("handsight", reached)],
      verdicts: [{ target: `≥ ${least}`, figure: String(reached), state: reached >= least ? "met" : "MISSED" }],
    },
    {
      title: `${episodes.length} instructions for rules: ${done.length - wrong} done and right; "done" although the page says otherwise`,
      rows: [count("handsight", wrong)],
      verdicts: [{ target: "none", figure: String(wrong), state: wrong === 0 ? "met" : "MISSED" }],
    },
  ];
}

const count = (name: string, value: number): Row => ({
  name,
  kind: "ours",
  unit: "count",
  p50: value,
  runs: 1,
  failures: 0,
});

function missesOf({ page, unreachable, episodes }: Played): string[] {
  const told = ({ instruction, message }: Episode) => `${page}: ${JSON.stringify(instruction)}: ${message}`;
  return [
    ...unreachable.map((control) => `unreachable: ${page}: ${control}`),
    ...episodes.flatMap((each) => {
      const isDone = each.status === "done";
      return isDone === each.isRewarded ? [] : [`${isDone ? "wrong" : "unclaimed"}: ${told(each)}`];
    }),
  ];
}
