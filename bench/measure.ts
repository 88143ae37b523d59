import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds of CLOCK_MONOTONIC: the same clock in every process of the machine, Python's time.monotonic() too. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

setFlagsFromString("--expose-gc");
/** Clears away what was left by something prepared outside the clock, so that it is not done inside it, at anybody's expense. */
export const clearAway = runInNewContext("gc") as () => void;

export interface Sample {
  readonly ms: number;
  /** Size of the picture that came out. */
  readonly bytes?: number | undefined;
}

export type Kind = "ours" | "library" | "command";

export interface Runner {
  readonly name: string;
  readonly kind: Kind;
  /** What makes the comparison uneven, in a few words. */
  readonly note?: string | undefined;
  /** Runs in every n-th round only, for the very slow. */
  readonly everyRounds?: number | undefined;
  /** One measurement; throws when what came out is wrong. */
  run(): Promise<Sample>;
}

export interface Row {
  readonly name: string;
  readonly kind: Kind;
  readonly note?: string | undefined;
  readonly unit: "ms" | "µs" | "MB" | "tokens" | "right" | "%" | "count";
  /** Middle and best of the good runs; undefined when there was none. */
  readonly p50?: number | undefined;
  readonly min?: number | undefined;
  readonly bytes?: number | undefined;
  /** Every good run. */
  readonly times?: readonly number[] | undefined;
  readonly runs: number;
  readonly failures: number;
  readonly problem?: string | undefined;
}

// A peer that fails this often in a row is left alone: waiting for its timeouts would take longer than everything else.
const patience = 3;

interface Lane {
  readonly runner: Runner;
  readonly samples: Sample[];
  failures: number;
  failuresInARow: number;
  problem: string | undefined;
}

/** Everybody once per round, in a new order each round, so that a busy moment of the machine hits all alike. */
export async function race(runners: readonly Runner[], rounds: number): Promise<Row[]> {
  const lanes = runners.map((runner): Lane => {
    return { runner, samples: [], failures: 0, failuresInARow: 0, problem: undefined };
  });
  // Round 0 warms up: libraries load, caches fill, code gets compiled.
  for (let round = 0; round <= rounds; round++) {
    for (const lane of shuffled(lanes)) {
      const isTurn = round <= 1 || (round - 1) % (lane.runner.everyRounds ?? 1) === 0;
      if (isTurn && lane.failuresInARow < patience) await runOnce(lane, round > 0);
    }
  }
  return lanes.map(toRow);
}

async function runOnce(lane: Lane, counts: boolean): Promise<void> {
  try {
    const sample = await lane.runner.run();
    if (counts) lane.samples.push(sample);
    lane.failuresInARow = 0;
  } catch (error) {
    lane.failures += 1;
    lane.failuresInARow += 1;
    lane.problem = messageOf(error);
  }
}

function toRow({ runner: { name, kind, note }, samples, failures, problem }: Lane): Row {
  const times = samples.map(({ ms }) => ms);
  return {
    name,
    kind,
    note,
    unit: "ms",
    p50: median(times),
    min: times.length > 0 ? Math.min(...times) : undefined,
    bytes: median(samples.flatMap(({ bytes }) => bytes ?? [])),
    times,
    runs: samples.length + failures,
    failures,
    problem,
  };
}

/** The runs of several races of one contender as one. */
export function pool(rows: readonly Row[]): Row {
  const [first] = rows;
  if (!first) throw new Error("nothing was run");
  const times = rows.flatMap((row) => row.times ?? []);
  return {
    ...first,
    p50: median(times),
    min: times.length > 0 ? Math.min(...times) : undefined,
    times,
    runs: rows.reduce((sum, { runs }) => sum + runs, 0),
    failures: rows.reduce((sum, { failures }) => sum + failures, 0),
    problem: rows.findLast(({ problem }) => problem !== undefined)?.problem,
  };
}

/** One figure that was read, not raced for. */
export const figure = (name: string, value: number, unit: Row["unit"], note?: string): Row => ({
  name,
  kind: "ours",
  note,
  unit,
  p50: value,
  min: value,
  runs: 1,
  failures: 0,
});

/** Keeps a contender that could not be measured in the table, with the reason. */
export const absent = (name: string, kind: Kind, problem: string): Row => ({
  name,
  kind,
  unit: "ms",
  runs: 0,
  failures: 0,
  problem,
});

export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return undefined;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split("\n").slice(0, 2).join(" ");

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
