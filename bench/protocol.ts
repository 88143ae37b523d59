import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { sleep } from "../src/base/async.ts";
import type { Group } from "./group.ts";
import { bareEntry, connectHttp, connectStdio, productEntry, revisions, type Connected } from "./mcp-client.ts";
import { absent, figure, messageOf, now, race, type Kind, type Row, type Runner } from "./measure.ts";
import { atMost, timesOf, type Table } from "./report.ts";

/** Calls measured as one sample: a single one is too short for the noise of a busy machine. */
const callsPerSample = 20;
const bareName = "SDK server that does nothing, stdio";

export const protocol: Group = async ({ rounds, tell }) => {
  const runs = await mkdtemp(join(tmpdir(), "handsight-bench-runs-"));
  const args = ["--desktop", "virtual", "--policy", "allow", "--runs-dir", runs];
  try {
    tell("calls");
    const calls = await raceCalls(args, rounds);
    tell("start-up");
    const starts = await raceStarts(args, rounds);
    tell("memory");
    const memory = await measureMemory(args);
    return [
      { title: "MCP call of a tool that only asks where the pointer is", rows: calls, verdicts: [] },
      {
        title: "Start-up: process start to the answer of tools/list",
        rows: starts,
        verdicts: [atMost(starts[0], 500), timesOf(starts[0], starts[1], 1.6)],
      },
      { title: "Memory of the server process (RSS)", rows: memory, verdicts: [atMost(memory[0], 120)] },
    ] satisfies Table[];
  } finally {
    await rm(runs, { recursive: true, force: true });
  }
};

async function raceCalls(args: readonly string[], rounds: number): Promise<Row[]> {
  const ways: {
    readonly name: string;
    readonly kind: Kind;
    readonly tool: string;
    readonly open: () => Promise<Connected>;
  }[] = [
    ...revisions.flatMap((revision) => [
      {
        name: `handsight over stdio, ${revision}`,
        kind: "ours" as const,
        tool: "get_mouse_position",
        open: () => connectStdio(productEntry, ["mcp", ...args], revision),
      },
      {
        name: `handsight over HTTP, ${revision}`,
        kind: "ours" as const,
        tool: "get_mouse_position",
        open: () => connectHttp(args, revision),
      },
    ]),
    { name: bareName, kind: "library", tool: "nothing", open: () => connectStdio(bareEntry, [], "2025-11-25") },
  ];
  const runners: Runner[] = [];
  const missing: Row[] = [];
  const opened: Connected[] = [];
  try {
    for (const { name, kind, tool, open } of ways) {
      try {
        const connected = await open();
        opened.push(connected);
        runners.push({ name, kind, run: () => callRepeatedly(connected.client, tool) });
      } catch (error) {
        missing.push(absent(name, kind, messageOf(error)));
      }
    }
    return [...(await race(runners, rounds)), ...missing];
  } finally {
    await Promise.all(opened.map((connected) => connected[Symbol.asyncDispose]()));
  }
}

async function callRepeatedly(client: Client, tool: string): Promise<{ readonly ms: number }> {
  const startedAt = now();
  for (let call = 0; call < callsPerSample; call++) {
    const { isError } = await client.callTool({ name: tool, arguments: {} });
    if (isError) throw new Error(`${tool} failed`);
  }
  return { ms: (now() - startedAt) / callsPerSample };
}

async function raceStarts(args: readonly string[], rounds: number): Promise<Row[]> {
  const start = (name: string, kind: Kind, entry: string, entryArgs: readonly string[]): Runner => ({
    name,
    kind,
    async run() {
      const startedAt = now();
      await using connected = await connectStdio(entry, entryArgs, "2025-11-25");
      await connected.client.listTools();
      return { ms: now() - startedAt };
    },
  });
  return race(
    [start("handsight mcp", "ours", productEntry, ["mcp", ...args]), start(bareName, "library", bareEntry, [])],
    rounds,
  );
}

async function measureMemory(args: readonly string[]): Promise<Row[]> {
  await using connected = await connectStdio(productEntry, ["mcp", ...args], "2025-11-25");
  const { client, pid } = connected;
  await client.listTools();
  // Long enough for the garbage of the start to be counted as what it is: memory the process keeps.
  await sleep(1000);
  const idle = figure("idle", residentMegabytes(pid), "MB", "after tools/list");
  const shots = 20;
  for (let shot = 0; shot < shots; shot++) {
    await client.callTool({ name: "take_screenshot", arguments: { mode: "screen" } });
  }
  return [idle, figure("in use", residentMegabytes(pid), "MB", `after ${shots} screenshots of the whole screen`)];
}

function residentMegabytes(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
