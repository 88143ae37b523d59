import { judgeFlatness, type Flatness, type Measured } from "../test/support/soak/flat.ts";
import { soak as run, type Soaked } from "../test/support/soak/soak.ts";
import type { Group } from "./group.ts";
import { figure, type Row } from "./measure.ts";
import type { Table, Verdict } from "./report.ts";

const endMs = 1_000;

/** What is kept of a call, and for how long: nothing, beyond the last few. The reasons are in docs/benchmarks.md. */
const measured: readonly Measured[] = [
  { name: "memory of the server (RSS)", unit: "MB", of: (u) => u.serverMb, limit: { rise: 50, perThousand: 5 } },
  { name: "memory of its helpers (PSS)", unit: "MB", of: (u) => u.helpersMb, limit: { rise: 130, perThousand: 10 } },
  { name: "memory of its desktop (PSS)", unit: "MB", of: (u) => u.desktopMb, limit: { rise: 20, perThousand: 2 } },
  { name: "handles of the server", unit: "", of: (u) => u.handles, limit: { rise: 3, perThousand: 0.3 } },
  { name: "handles of helpers and desktop", unit: "", of: (u) => u.otherHandles, limit: { rise: 6, perThousand: 0.6 } },
  { name: "threads of the server", unit: "", of: (u) => u.threads, limit: { rise: 1, perThousand: 0.1 } },
  { name: "processes, the browser's apart", unit: "", of: (u) => u.processes, limit: { rise: 1, perThousand: 0.1 } },
  { name: "browsers", unit: "", of: (u) => u.browsers, limit: { rise: 0, perThousand: 0 } },
  { name: "files", unit: "", of: (u) => u.files, limit: { rise: 16, perThousand: 1 } },
  { name: "shared memory segments", unit: "", of: (u) => u.sharedMemory, limit: { rise: 1, perThousand: 0.1 } },
];

/** Thousands of mixed calls to one server while its peers come, die and hang: what does it keep, and does it always answer? */
export const soak: Group = async ({ calls, seed, tell }) => {
  const soaked = await run({ calls, seed, batchesPerFault: 14, tell });
  const flatness = measured.map((each) => judgeFlatness(each, soaked.usage, 10));
  const isWhole = soaked.ledger.begun >= calls;
  const verdicts = [
    ...answerVerdicts(soaked, calls),
    ...[...flatness.map(flatVerdict), ...endVerdicts(soaked)].map((each) => (isWhole ? each : notMeasured(each))),
  ];
  const held = verdicts.filter(({ state }) => state === "met").length;
  const { ledger } = soaked;
  const table: Table = {
    title: `Soak: ${ledger.begun} calls in ${Math.round(soaked.seconds)} s, seed ${seed}`,
    rows: [...callRows(soaked), ...flatness.map(flatRow)],
    verdicts,
    closing: `soak: ${ledger.begun} calls, ${ledger.answered} answered, held ${held} of ${verdicts.length}`,
  };
  return [table];
};

const verdict = (target: string, isMet: boolean, figure: string): Verdict => ({
  target,
  figure,
  state: isMet ? "met" : "MISSED",
});

/** Of a server that ended on the way. */
const notMeasured = ({ target }: Verdict): Verdict => ({ target, figure: "–", state: "not measured" });

function answerVerdicts({ ledger, said }: Soaked, calls: number): Verdict[] {
  const faults = ledger.faults();
  const internal = ledger.count((outcome) => outcome.kind === "failed" && outcome.code === "internal");
  const isAll = ledger.begun >= calls && ledger.answered === ledger.begun;
  for (const fault of faults) process.stderr.write(`  ${fault}\n`);
  if (!isAll) process.stderr.write(`the server said last: ${said.slice(-2_000)}\n`);
  return [
    verdict("every call is answered", isAll, `${ledger.answered} of ${Math.max(calls, ledger.begun)}`),
    verdict("none is answered with internal", internal === 0, String(internal)),
  ];
}

function endVerdicts({ endMs: ms, left }: Soaked): Verdict[] {
  for (const trace of left) process.stderr.write(`  left behind: ${trace}\n`);
  return [
    verdict(`ends within ${endMs} ms after stdin`, ms <= endMs, `${Math.round(ms)} ms`),
    verdict("leaves no process, file or shared memory behind", left.length === 0, String(left.length)),
  ];
}

function flatVerdict({ measured: { name, limit }, early, late, perThousand, isFlat }: Flatness): Verdict {
  const target = `${name}: at most +${limit.rise}, and +${limit.perThousand} per 1 000 calls`;
  return verdict(target, isFlat, `${signed(late - early)}, ${signed(perThousand)} per 1 000 calls`);
}

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

const flatRow = ({ measured: { name, unit }, early, late, most }: Flatness): Row => ({
  ...figure(name, late, unit === "MB" ? "MB" : "count"),
  note: `${early.toFixed(0)} after the warm-up, ${most.toFixed(0)} at most`,
});

function callRows({ ledger }: Soaked): Row[] {
  const row = (name: string, value: number, note?: string): Row => figure(name, value, "count", note);
  const codes = ledger.codes().map(([code, count]) => `${code} ${count}`);
  return [
    row(
      "calls that did what was asked",
      ledger.count(({ kind }) => kind === "done"),
    ),
    row(
      "calls refused or failed",
      ledger.count(({ kind }) => kind === "failed"),
      codes.join(", "),
    ),
    row(
      "calls cancelled by the client",
      ledger.count(({ kind }) => kind === "cancelled"),
    ),
  ];
}
