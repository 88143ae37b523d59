import { Random } from "../../fixtures/ocr/random.ts";
import { desktopTurns } from "./desktop-turns.ts";
import { deviceTurns } from "./device-turns.ts";
import { faults } from "./faults.ts";
import { hostileTurns } from "./hostile-turns.ts";
import type { Ledger } from "./ledger.ts";
import { leftBehind, noteBelongings } from "./left-behind.ts";
import { pageTurns } from "./page-turns.ts";
import { openStage } from "./stage.ts";
import { choose, type Turn, type Turns, type Weighed } from "./turn.ts";
import { takeUsage, type Usage } from "./usage.ts";

export interface SoakOptions {
  readonly calls: number;
  readonly seed: string;
  /** A peer dies in every n-th batch. */
  readonly batchesPerFault: number;
  /** What is done, and how often. */
  readonly turns?: readonly Weighed<Turns>[];
  readonly tell: (what: string) => void;
}

export interface Soaked {
  readonly ledger: Ledger;
  readonly usage: readonly Usage[];
  readonly seconds: number;
  /** From the end of stdin until the process has ended. */
  readonly endMs: number;
  /** What the server left behind, in words; empty when nothing. */
  readonly left: readonly string[];
  readonly said: string;
}

/** What a client does all day: mostly the desktop, and some of everything else. */
const everyday: readonly Weighed<Turns>[] = [
  [45, desktopTurns],
  [25, pageTurns],
  [18, deviceTurns],
  [12, hostileTurns],
];
/** How many turns a client begins before it waits for the answers. */
const mostAtOnce = 5;
const samples = 100;

/**
 * Makes as many calls as requested, of every kind, in an order that depends only on the seed; usage is measured
 * throughout.
 */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const { calls, tell } = options;
  const stage = await openStage(tell);
  try {
    const { server } = stage;
    const usage: Usage[] = [];
    const started = performance.now();
    for (let batch = 0; server.ledger.begun < calls && server.isUp(); batch++) {
      await Promise.all(drawBatch(batch, options).map(({ turn, random }) => turn(stage, random)));
      if (server.ledger.begun < (calls / samples) * usage.length || !server.isUp()) continue;
      const taken = takeUsage(stage);
      usage.push(taken);
      if (usage.length % 5 === 0) tell(describe(taken, (performance.now() - started) / 1000));
    }
    const seconds = (performance.now() - started) / 1000;
    const belongings = noteBelongings(stage);
    const endMs = await server.end();
    const left = await leftBehind(belongings);
    return { ledger: server.ledger, usage, seconds, endMs, left, said: server.said() };
  } finally {
    await stage[Symbol.asyncDispose]();
  }
}

/** Each turn has its own random numbers: answers and their timing do not change what comes next. */
function drawBatch(
  batch: number,
  { seed, batchesPerFault, turns: kinds = everyday }: SoakOptions,
): { turn: Turn; random: Random }[] {
  const random = new Random(`${seed}-${batch}`);
  const turns = Array.from({ length: random.int(1, mostAtOnce) }, () => choose(choose(kinds, random), random));
  const fault =
    batch % batchesPerFault === batchesPerFault - 1 ? [dealFault(Math.floor(batch / batchesPerFault), seed)] : [];
  return [...turns, ...fault].map((turn, index) => ({ turn, random: new Random(`${seed}-${batch}-${index}`) }));
}

/** From a pack that is reshuffled when all have been dealt, so that even a short run includes every fault. */
function dealFault(count: number, seed: string): Turn {
  const random = new Random(`${seed}-pack-${Math.floor(count / faults.length)}`);
  const pack = faults.map((turn) => ({ turn, key: random.next() })).toSorted((a, b) => a.key - b.key);
  const dealt = pack[count % pack.length];
  if (!dealt) throw new Error("there is no fault to deal");
  return dealt.turn;
}

function describe(
  { calls, serverMb, helpersMb, desktopMb, handles, processes, files }: Usage,
  seconds: number,
): string {
  const memory = [serverMb, helpersMb, desktopMb].map((mb) => mb.toFixed(0)).join(" + ");
  return `${calls} calls in ${seconds.toFixed(0)} s: ${memory} MB, ${handles} handles, ${processes} processes, ${files} files`;
}
