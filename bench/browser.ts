import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readVersion } from "../src/platform/cdp/endpoint.ts";
import { Wire } from "../src/platform/cdp/wire.ts";
import { openPeer, peers, type BrowserPeer, type Snapshot } from "./browser-peers.ts";
import type { Group } from "./group.ts";
import { bareEntry, connectStdio } from "./mcp-client.ts";
import { absent, figure, messageOf, now, race, type Row, type Runner } from "./measure.ts";
import { openOwnBrowser } from "./own-browser.ts";
import { timesFaster, type Table, type Verdict } from "./report.ts";

const sizes = [100, 1_000, 10_000] as const;
const large = 2_400;

export const browser: Group = async ({ rounds, tell }) => {
  await using pages = await servePages();
  const opened: Opened[] = [];
  const missing: Row[] = [];
  await using floor = await openFloor();
  try {
    for (const name of Object.keys(peers)) {
      tell(`starting ${name}`);
      try {
        opened.push(await open(name));
      } catch (error) {
        missing.push(absent(name, "library", messageOf(error)));
      }
    }
    const tables: Table[] = [];
    for (const [title, count] of [
      ["small page", 20],
      ["page of 300 elements", 300],
      ["large page", large],
    ] as const) {
      tell(`${title}, ${count} elements`);
      tables.push(...(await measurePage(title, `${pages.url}/?n=${count}`, count, opened, { missing, floor, rounds })));
    }
    tell("growth");
    tables.push(await growth(pages.url, opened, rounds));
    return tables;
  } finally {
    for (const { peer, browser: own } of opened) {
      await peer[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    }
  }
};

interface Opened {
  readonly peer: BrowserPeer;
  readonly browser: AsyncDisposable;
}

/** Everybody has a browser of its own, so that none waits for another's work. */
async function open(name: string): Promise<Opened> {
  const own = await openOwnBrowser();
  try {
    return { peer: await openPeer(name, own.endpoint.port), browser: own };
  } catch (error) {
    await own[Symbol.asyncDispose]();
    throw error;
  }
}

/** Below this no server gets that is asked over MCP and asks a browser: both do nothing. */
async function openFloor(): Promise<Runner & AsyncDisposable> {
  const own = await openOwnBrowser();
  const wire = await Wire.open((await readVersion(own.endpoint, undefined)).url, "the browser");
  const { targetInfos } = await wire.root.send("Target.getTargets", {});
  const targetId = targetInfos.find(({ type }) => type === "page")?.targetId ?? "";
  const { sessionId } = await wire.root.send("Target.attachToTarget", { targetId, flatten: true });
  const page = wire.session(sessionId);
  const bare = await connectStdio(bareEntry, [], "2025-11-25");
  return {
    name: "a call and a question that do nothing",
    kind: "command",
    async run() {
      const started = now();
      await bare.client.callTool({ name: "nothing", arguments: {} });
      await page.send("Runtime.evaluate", { expression: "1", returnByValue: true });
      return { ms: now() - started };
    },
    async [Symbol.asyncDispose]() {
      await bare[Symbol.asyncDispose]();
      await wire[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    },
  };
}

/** As tokenizers split text: words, up to three digits, and runs of signs. */
const tokensOf = (text: string): number =>
  text.match(/[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+/gu)?.length ?? 0;

const steps = ["snapshot", "click", "fill", "evaluate"] as const;
const wanted: Readonly<Record<(typeof steps)[number], number>> = { snapshot: 5, click: 3, fill: 3, evaluate: 3 };

async function measurePage(
  title: string,
  url: string,
  count: number,
  opened: readonly Opened[],
  { missing, floor, rounds }: { readonly missing: readonly Row[]; readonly floor: Runner; readonly rounds: number },
): Promise<Table[]> {
  const texts = new Map<string, Snapshot>();
  const runners: Record<string, Runner[]> = { snapshot: [floor], click: [], fill: [], evaluate: [] };
  for (const { peer } of opened) {
    await peer.go(url);
    const snapshot = await peer.snapshot();
    texts.set(peer.name, snapshot);
    const button = peer.find(snapshot.listing, "button", "Count");
    const field = peer.find(snapshot.listing, "textbox", "Note");
    let value = 0;
    const add = (step: (typeof steps)[number], work: () => Promise<unknown>): void => {
      runners[step]?.push({
        name: peer.name,
        kind: peer.isOurs ? "ours" : "library",
        note: peer.isOurs && step !== "snapshot" ? "verified" : undefined,
        async run() {
          const started = now();
          await work();
          return { ms: now() - started };
        },
      });
    };
    add("snapshot", () => peer.snapshot());
    add("click", () => peer.click(button));
    add("fill", () => peer.fill(field, `value ${++value}`));
    add("evaluate", async () => {
      const answer = await peer.evaluate("() => document.title");
      if (!answer.includes("Bench")) throw new Error("the script did not run");
    });
  }
  const tables: Table[] = [];
  for (const step of steps) {
    const rows = await race(runners[step] ?? [], rounds);
    tables.push({
      title: `${step}, ${title}`,
      rows: [...rows, ...missing],
      verdicts: [aheadOfFaster(step, rows)],
    });
  }
  const tokens = [...texts].map(([name, { listing, answer }]) =>
    figure(name, tokensOf(listing), "tokens", `${tokensOf(answer)} with what is around it`),
  );
  const own = tokens.find(({ name }) => name === "handsight")?.p50;
  const least = Math.min(
    ...tokens.filter(({ name }) => name !== "handsight").map(({ p50 }) => p50 ?? Number.POSITIVE_INFINITY),
  );
  const share = own === undefined || !Number.isFinite(least) ? undefined : own / least;
  const target = "≤ 50 % of the shorter peer's tokens";
  const verdict: Verdict =
    share === undefined
      ? { target, figure: "–", state: "not measured" }
      : { target, figure: `${Math.round(share * 100)} %`, state: share <= 0.5 ? "met" : "MISSED" };
  tables.push({
    title: `Tokens of the listing, ${count} elements`,
    rows: tokens,
    verdicts: [verdict],
  });
  return tables;
}

function aheadOfFaster(step: (typeof steps)[number], rows: readonly Row[]): Verdict {
  const ours = rows.find(({ kind }) => kind === "ours");
  const [fastest] = rows
    .filter(({ kind, p50 }) => kind === "library" && p50 !== undefined)
    .toSorted((a, b) => (a.p50 ?? 0) - (b.p50 ?? 0));
  return timesFaster(step, ours, fastest, wanted[step]);
}

async function growth(url: string, opened: readonly Opened[], rounds: number): Promise<Table> {
  const ours = opened.find(({ peer }) => peer.isOurs)?.peer;
  if (!ours) return { title: "Growth", rows: [], verdicts: [] };
  const rows: Row[] = [];
  for (const count of sizes) {
    await ours.go(`${url}/?n=${count}`);
    const [row] = await race(
      [
        {
          name: `${count} elements`,
          kind: "ours",
          async run() {
            const started = now();
            await ours.snapshot();
            return { ms: now() - started };
          },
        },
      ],
      Math.min(rounds, 5),
    );
    if (row) rows.push(row);
  }
  const [first, last] = [rows[0]?.p50, rows.at(-1)?.p50];
  const target = "100 times the elements cost at most 150 times the time";
  const times = first === undefined || last === undefined ? undefined : last / first;
  const verdict: Verdict =
    times === undefined
      ? { target, figure: "–", state: "not measured" }
      : { target, figure: `${times.toFixed(1)}×`, state: times <= 150 ? "met" : "MISSED" };
  return { title: "Growth of the snapshot", rows, verdicts: [verdict] };
}

export async function servePages(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const count = Number(new URL(request.url ?? "/", "http://x").searchParams.get("n") ?? 100);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(pageOf(count));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pageOf(count: number): string {
  const kinds = [
    (n: number) => `<li><button>Button ${n}</button></li>`,
    (n: number) => `<li><a href="#${n}">Link ${n}</a></li>`,
    (n: number) => `<li><label>Field ${n} <input></label></li>`,
    (n: number) => `<li><label><input type="checkbox"> Check ${n}</label></li>`,
  ];
  const items = Array.from({ length: count }, (_, n) => kinds[n % kinds.length]?.(n) ?? "").join("");
  return `<!doctype html><title>Bench</title><h1>Bench</h1><p role="status" id="out">0</p>
<button onclick="out.textContent = Number(out.textContent) + 1">Count</button><label>Note <input></label><ul>${items}</ul>`;
}
