import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claims, isFlaky, readLedger, stand, type Outcome, type State } from "./ledger.ts";
import { findRoot } from "./root.ts";

interface LastRun {
  readonly at: string;
  readonly args: readonly string[];
  readonly tests: readonly Outcome[];
}

const root = findRoot();
const ledger = readLedger(readFileSync(join(root, "docs/requirements.md"), "utf8"));
const resultsFile = join(root, ".build/results.json");
const lastRun = existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, "utf8")) as LastRun) : undefined;
const { states, unknown } = stand(ledger, lastRun?.tests ?? []);

// Unlike a plain write, this survives a reader such as `head` that closes the pipe.
const say = (line = ""): void => console.log(line);
const idsIn = (group: string | undefined, state: State): string[] =>
  ledger.requirements
    .filter(({ id, group: own }) => (group === undefined || own === group) && states.get(id) === state)
    .map(({ id }) => id);
const count = (group: string | undefined, state: State): string => String(idsIn(group, state).length).padStart(8);

if (lastRun === undefined) say("No test run yet: run npm test first.");
else
  say(`${lastRun.tests.length} tests of ${lastRun.at}${lastRun.args.length > 0 ? ` (${lastRun.args.join(" ")})` : ""}`);
say();
say(`${"".padEnd(52)}  proven failing not yet    idle`);
for (const group of [...ledger.groups, undefined]) {
  const cells = (["proven", "failing", "not yet", "idle"] as const).map((state) => count(group, state)).join("");
  say(`${(group ?? "all").padEnd(52)}${cells}`);
}
const differently = new Set(ledger.different.flatMap(({ ids }) => ids));
for (const state of ["failing", "not yet"] as const) {
  for (const group of ledger.groups) {
    const ids = idsIn(group, state);
    if (ids.length === 0) continue;
    say();
    say(`${group}: ${state}`);
    for (const { id, statement } of ledger.requirements.filter((one) => ids.includes(one.id))) {
      say(`  ${(id + (differently.has(id) ? "*" : "")).padEnd(9)} ${statement}`);
      const waitsFor = ledger.waiting.get(id);
      if (state === "not yet" && waitsFor !== undefined) say(`            waits for: ${waitsFor}`);
    }
  }
}
const ids = ledger.requirements.map(({ id }) => id);
const flaky = (lastRun?.tests ?? []).filter((test) => isFlaky(test) && claims(test.title, ids).known.length > 0);
if (flaky.length > 0) {
  say();
  say("Not counted, passed only when tried again:");
  for (const { title } of flaky) say(`  ${title}`);
}
say();
say("Resolved differently (* above):");
for (const { ids, instead, reason } of ledger.different) say(`  ${ids.join(" ")}\n    ${instead} (${reason})`);

const wrong = [
  ...unknown.map(({ claim, title }) => `the test "${title}" claims ${claim}`),
  ...ledger.unknown.map((id) => `a table of docs/requirements.md names ${id}`),
];
if (wrong.length > 0) {
  say();
  for (const line of wrong) say(`No such requirement: ${line}`);
  process.exitCode = 1;
}
