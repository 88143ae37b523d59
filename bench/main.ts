import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { android } from "./android.ts";
import { browser } from "./browser.ts";
import { builds } from "./builds.ts";
import { capture } from "./capture.ts";
import { cli } from "./cli/index.ts";
import { commands } from "./commands/index.ts";
import { economy } from "./economy/index.ts";
import { actions, elements } from "./elements.ts";
import { flows } from "./flows.ts";
import type { Group, GroupOptions } from "./group.ts";
import { guard } from "./guard.ts";
import { input } from "./input.ts";
import { library } from "./library.ts";
import { messageOf } from "./measure.ts";
import { ocrTruth } from "./ocr-truth.ts";
import { protocol } from "./protocol.ts";
import { describeMachine, printSummary, printTable, type Table } from "./report.ts";
import { runners } from "./runners.ts";
import { soak } from "./soak.ts";
import { stop } from "./stop.ts";
import { suites } from "./suites/index.ts";
import { truth } from "./truth/index.ts";
import { typing } from "./typing.ts";
import { vision } from "./vision.ts";
import { waiting } from "./waiting.ts";
import { watch } from "./watch.ts";

const groups: Readonly<Record<string, Group>> = {
  protocol,
  capture,
  guard,
  input,
  typing,
  elements,
  actions,
  browser,
  stop,
  android,
  "ocr-truth": ocrTruth,
  vision,
  soak,
  builds,
  suites,
  truth,
  commands,
  economy,
  cli,
  library,
  waiting,
  watch,
  runners,
  flows,
};
/** One takes longer than all others together, the others have to be told what to compare or measure no time. */
const onlyWhenNamed = [
  "soak",
  "builds",
  "suites",
  "truth",
  "commands",
  "economy",
  "cli",
  "waiting",
  "watch",
  "runners",
  "flows",
];

const usage = `npm run bench [-- group … --rounds N --json file --strict]
npm run bench -- suites DIR … [--misses]

groups    ${Object.keys(groups).join(", ")}; all but ${onlyWhenNamed.join(", ")} unless named
--rounds  how often everybody runs (default 15)
--calls   calls of a soak (default 10000)
--seed    decides which, and in what order (default 1)
--old     of builds: the folder of a built package (it has a dist folder)
--new     the one to compare with it
--misses  of suites and truth: also list every wrong answer
--only    of truth, commands, economy and watch: the programs or jobs with this in their name; of economy also pages, desktop or device
--before  of economy: the folder of an earlier built package, to do the same jobs
--servers  of economy: those with this in their name
--transcripts  of economy: write every call and answer to this folder
--json    also write the figures to this file
--strict  exit with 1 when a target is missed or could not be measured`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "15" },
    calls: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    old: { type: "string" },
    new: { type: "string" },
    misses: { type: "boolean", default: false },
    only: { type: "string" },
    before: { type: "string" },
    servers: { type: "string" },
    transcripts: { type: "string" },
    json: { type: "string" },
    strict: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);
// What follows "suites" are folders.
const [names, folders] = positionals[0] === "suites" ? [["suites"], positionals.slice(1)] : [positionals, []];
const unknown = names.find((name) => !(name in groups));
const pair = values.old === undefined || values.new === undefined ? undefined : { old: values.old, new: values.new };
const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;

if (values.help) {
  console.log(usage);
} else if (unknown !== undefined || !isCount(rounds) || !isCount(calls)) {
  console.error(
    unknown === undefined ? `--rounds and --calls must be whole numbers from 1 on.` : `There is no group "${unknown}".`,
  );
  console.error(usage);
  process.exitCode = 2;
} else if (names.includes("builds") && !pair) {
  console.error("builds compares two: --old <dir> --new <dir>.");
  console.error(usage);
  process.exitCode = 2;
} else if (names.includes("suites") && folders.length === 0) {
  console.error("suites runs alone, on the folders of the suites: npm run bench -- suites DIR …");
  console.error(usage);
  process.exitCode = 2;
} else {
  await bench(names.length > 0 ? names : Object.keys(groups).filter((name) => !onlyWhenNamed.includes(name)));
}

async function bench(chosen: readonly string[]): Promise<void> {
  const machine = describeMachine();
  console.log(
    `${machine}\n${rounds} interleaved rounds; medians; × is how many times faster handsight is; of builds, new ÷ old.\n`,
  );
  const tables: Table[] = [];
  for (const name of chosen) {
    const tell = (what: string) => process.stderr.write(`… ${name}: ${what}\n`);
    for (const table of await run(name, {
      rounds,
      calls,
      seed: values.seed,
      builds: pair,
      folders,
      showsMisses: values.misses,
      only: values.only,
      before: values.before,
      servers: values.servers,
      transcripts: values.transcripts,
      tell,
    })) {
      tables.push(table);
      console.log(printTable(table));
    }
  }
  console.log(printSummary(tables));
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine, rounds, tables }, null, 2)}\n`);
  const isMissed = tables.some(({ verdicts }) => verdicts.some(({ state }) => state !== "met"));
  if (values.strict && isMissed) process.exitCode = 1;
}

/** A group that cannot run must not take the others with it, nor vanish. */
async function run(name: string, options: GroupOptions): Promise<readonly Table[]> {
  try {
    return (await groups[name]?.(options)) ?? [];
  } catch (error) {
    const verdict = { target: `the group ${name} runs`, figure: messageOf(error), state: "not measured" } as const;
    return [{ title: `Group ${name}`, rows: [], verdicts: [verdict] }];
  }
}
