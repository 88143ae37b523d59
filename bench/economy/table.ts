import type { Table, Verdict } from "../report.ts";
import type { Bill } from "./wire.ts";

/** One job by one server. */
export interface Run {
  readonly job: string;
  readonly server: string;
  readonly isOurs: boolean;
  readonly isBatching: boolean;
  readonly definitions: number;
  readonly bill: Bill;
  /** Why it was not done; undefined when it was. */
  readonly problem: string | undefined;
  readonly transcript: readonly string[];
}

const tokens = (characters: number): number => Math.round(characters / 4);

/** Rows are jobs, columns servers: "tokens read / calls". Below, the sums over the jobs that everybody has done. */
export function table(title: string, runs: readonly Run[]): Table {
  const jobs = [...new Set(runs.map(({ job }) => job))];
  const servers = [...new Set(runs.map(({ server }) => server))];
  const of = (job: string, server: string) => runs.find((each) => each.job === job && each.server === server);
  const cell = (job: string, server: string): string => {
    const run = of(job, server);
    if (!run) return "–";
    if (run.problem !== undefined) return "failed";
    return `${tokens(run.bill.read)} / ${run.bill.calls}`;
  };
  const lines = [
    ["tokens read / calls", ...servers],
    ...jobs.map((job) => [job, ...servers.map((server) => cell(job, server))]),
  ];
  const done = servers.map((server) => runs.filter((each) => each.server === server && each.problem === undefined));
  const common = jobs.filter((job) => servers.every((server) => of(job, server)?.problem === undefined));
  const sum = (server: string, pick: (bill: Bill) => number): number =>
    common.reduce((total, job) => total + pick(of(job, server)?.bill ?? ({} as Bill)), 0);
  const row = (name: string, value: (server: string) => string): string[] => [name, ...servers.map(value)];
  const sums = [
    row(`jobs done of ${jobs.length}`, (server) => String(done[servers.indexOf(server)]?.length ?? 0)),
    row(`the ${common.length} done by all: tokens read`, (server) => String(tokens(sum(server, ({ read }) => read)))),
    row("  calls", (server) => String(sum(server, ({ calls }) => calls))),
    row("  tokens written", (server) => String(tokens(sum(server, ({ written }) => written)))),
    row("  pictures", (server) => String(sum(server, ({ pictures }) => pictures))),
    row("  seconds in calls", (server) => (sum(server, ({ ms }) => ms) / 1000).toFixed(1)),
    row("definitions, once", (server) =>
      String(tokens(Math.max(...runs.filter((each) => each.server === server).map(({ definitions }) => definitions)))),
    ),
  ];
  const problems = runs
    .filter(({ problem }) => problem !== undefined)
    .map(({ job, server, problem }) => `  not done: ${job}, ${server}: ${problem}`);
  return {
    title: `Economy: ${title}`,
    rows: [],
    verdicts: verdicts(servers, runs, sum),
    closing: [...layOut([...lines, ...sums]), ...problems].join("\n"),
  };
}

function verdicts(
  servers: readonly string[],
  runs: readonly Run[],
  sum: (server: string, pick: (bill: Bill) => number) => number,
): readonly Verdict[] {
  const isOurs = (server: string): boolean => runs.some((each) => each.server === server && each.isOurs);
  const peers = servers.filter((server) => !isOurs(server));
  const ours = servers.filter((server) => isOurs(server) && !server.includes("before"));
  return ours.flatMap((server) => [
    share(server, peers, { what: "tokens read", limit: 0.5, of: (each) => sum(each, ({ read }) => read) }),
    share(server, peers, { what: "calls", limit: 0.6, of: (each) => sum(each, ({ calls }) => calls) }),
  ]);
}

interface Measure {
  readonly what: string;
  readonly limit: number;
  readonly of: (server: string) => number;
}

function share(server: string, peers: readonly string[], { what, limit, of }: Measure): Verdict {
  const best = peers.toSorted((a, b) => of(a) - of(b))[0];
  const target = `${server}: ${what} ≤ ${limit * 100} % of the best peer's${best === undefined ? "" : ` (${best})`}`;
  if (best === undefined || of(best) === 0) return { target, figure: "no peer", state: "not measured" };
  const part = of(server) / of(best);
  return { target, figure: `${Math.round(part * 100)} %`, state: part <= limit ? "met" : "MISSED" };
}

function layOut(lines: readonly (readonly string[])[]): string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map(
    (line) =>
      `  ${line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ")}`,
  );
}
