import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { startAndroid } from "../../test/simulators/android/lab.ts";
import { removeFolder } from "../../test/support/remove-folder.ts";
import type { Group } from "../group.ts";
import { messageOf } from "../measure.ts";
import { root } from "../paths.ts";
import type { Table } from "../report.ts";
import { allTools } from "../../src/tools/registry.ts";
import type { Agent, Contender, DesktopAgent, DeviceAgent, PageAgent } from "./agent.ts";
import { desktopJobs, type DesktopJob } from "./desktop-jobs.ts";
import { agentDevice, agentDeviceBatch } from "./desktop-servers/agent-device.ts";
import { handsightDesktop } from "./desktop-servers/handsight.ts";
import type { DesktopPlace } from "./desktop-servers/place.ts";
import { onDesktop } from "./desktop-stage.ts";
import { deviceJobs, type DeviceJob } from "./device-jobs.ts";
import { handsightDevice } from "./device-servers/handsight.ts";
import { mobileMcp } from "./device-servers/mobile-mcp.ts";
import type { DevicePlace } from "./device-servers/place.ts";
import { pageJobs, type PageJob } from "./page-jobs.ts";
import { agentBrowser, agentBrowserBatch } from "./page-servers/agent-browser.ts";
import { chromeDevtools } from "./page-servers/chrome-devtools.ts";
import { handsight } from "./page-servers/handsight.ts";
import type { PagePlace } from "./page-servers/place.ts";
import { playwright, playwrightCode } from "./page-servers/playwright.ts";
import { openSite } from "./site.ts";
import { table, type Run } from "./table.ts";
import { emptyBill } from "./wire.ts";

/** What jobs cost a model: tokens, calls, pictures and time, per server. */
export const economy: Group = async ({ tell, only, before, servers, transcripts }) => {
  const tables: Table[] = [];
  const each = async <Job extends { readonly id: string }, C extends { readonly name: string }>(
    title: string,
    jobs: readonly Job[],
    contenders: readonly C[],
    run: (job: Job, contender: C) => Promise<Run>,
  ): Promise<void> => {
    const runs: Run[] = [];
    for (const job of jobs.filter(({ id }) => only === undefined || id.includes(only) || title === only)) {
      for (const contender of contenders.filter(({ name }) => servers === undefined || name.includes(servers))) {
        const done = await run(job, contender);
        tell(`${job.id}: ${contender.name}${done.problem === undefined ? "" : `: ${done.problem}`}`);
        if (transcripts !== undefined) keep(transcripts, done);
        runs.push(done);
      }
    }
    if (runs.length > 0) tables.push(table(title, runs));
  };
  const hasSteps = allTools.some(({ name }) => name === "run_steps");
  const earlier = <T>(ours: (name: string, build: string) => T): readonly T[] =>
    before === undefined ? [] : [ours("handsight before", before)];
  const pages = [
    handsight("handsight", root),
    ...(hasSteps ? [handsight("handsight, run_steps", root, true)] : []),
    ...earlier(handsight),
    playwright,
    playwrightCode,
    chromeDevtools,
    agentBrowser,
    agentBrowserBatch,
  ];
  const desktops = [
    handsightDesktop("handsight", root),
    ...(hasSteps ? [handsightDesktop("handsight, run_steps", root, true)] : []),
    ...earlier(handsightDesktop),
    agentDevice,
    agentDeviceBatch,
  ];
  const devices = [
    handsightDevice("handsight", root),
    ...(hasSteps ? [handsightDevice("handsight, run_steps", root, true)] : []),
    ...earlier(handsightDevice),
    mobileMcp,
  ];
  await each("pages", pageJobs, pages, onPage);
  await each("desktop", desktopJobs, desktops, inApp);
  await each("device", deviceJobs, devices, onDevice);
  return tables;
};

function keep(folder: string, { job, server, transcript, problem }: Run): void {
  const file = `${job}, ${server}`.replaceAll(/[^\w,]+/g, "-");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${file}.txt`), [...transcript, problem === undefined ? "" : `! ${problem}`].join("\n"));
}

const sentMs = 3_000;

async function onPage(job: PageJob, contender: Contender<PagePlace, PageAgent>): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-economy-"));
  await using site = await openSite();
  const env = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder };
  try {
    return await account(job.id, contender, { folder, env }, async (agent) => {
      const said = await job.run(agent, site.url);
      // What the page sends may still be on its way.
      const isRight = async () => (job.check(site, said) === undefined ? true : undefined);
      await poll(isRight, { timeoutMs: sentMs, everyMs: 20, signal: AbortSignal.timeout(sentMs * 2) });
      return job.check(site, said);
    });
  } finally {
    await removeFolder(folder);
  }
}

async function inApp(job: DesktopJob, contender: Contender<DesktopPlace, DesktopAgent>): Promise<Run> {
  let run: Run | undefined;
  // It takes the title bar for part of what is inside the window, and clicks too high where there is one.
  const windowManager = contender.isOurs ? "openbox" : "none";
  const problem = await onDesktop(job.task, windowManager, async (place) => {
    run = await account(job.id, contender, place, async (agent) => void (await job.run(agent)));
  }).catch(messageOf);
  const none = { job: job.id, server: contender.name, isOurs: contender.isOurs, isBatching: contender.isBatching };
  const done = run ?? { ...none, definitions: 0, bill: emptyBill(), transcript: [], problem: undefined };
  return { ...done, problem: done.problem ?? problem };
}

async function onDevice(job: DeviceJob, contender: Contender<DevicePlace, DeviceAgent>): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-economy-"));
  await using lab = await startAndroid({ timeScale: 0 });
  try {
    const [device] = lab.devices;
    if (!device) throw new Error("there is no device");
    device.open(job.app);
    return await account(job.id, contender, { folder, env: lab.env, serial: device.serial }, async (agent) => {
      await job.run(agent);
      return job.check(device);
    });
  } finally {
    await removeFolder(folder);
  }
}

/** Lets the agent of a server do a job, and says what it cost. */
async function account<Place, A extends Agent>(
  job: string,
  contender: Contender<Place, A>,
  place: Place,
  work: (agent: A) => Promise<string | undefined>,
): Promise<Run> {
  const { name: server, isOurs, isBatching } = contender;
  const about = { job, server, isOurs, isBatching };
  let agent: A;
  try {
    agent = await contender.start(place);
  } catch (error) {
    return { ...about, definitions: 0, bill: emptyBill(), problem: messageOf(error), transcript: [] };
  }
  const { bill, definitions, transcript } = agent.wire;
  const problem = await work(agent).catch(messageOf);
  const spent = { ...bill };
  await Promise.resolve(agent[Symbol.asyncDispose]()).catch(() => {});
  return { ...about, definitions, bill: spent, problem, transcript };
}
