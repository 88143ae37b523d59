import type { RunRecord } from "../play/run-record.ts";

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** As a value of XML, which knows no control characters. */
const xml = (text: string): string =>
  // Half a pair of surrogates would make the file unreadable.
  Buffer.from(text)
    .toString("utf8")
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, (sign) => (/[\t\n\r]/.test(sign) ? sign : "\uFFFD"))
    .replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign)
    .replaceAll("\n", "&#10;");

/** One suite for each file, one case for each run of it, as CI servers read them. */
export function renderJunit(runs: readonly RunRecord[], shown: (file: string) => string): string {
  const files = [...new Set(runs.map(({ file }) => file))];
  const suites = files.map((file) =>
    suite(
      shown(file),
      runs.filter((run) => run.file === file),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${totals(runs)}>\n${suites.join("")}</testsuites>\n`;
}

const isFailed = ({ status }: RunRecord): boolean => status === "failed";
const isBroken = ({ status }: RunRecord): boolean => !["passed", "failed"].includes(status);

const totals = (runs: readonly RunRecord[]): string =>
  [
    `tests="${runs.length}"`,
    `failures="${runs.filter(isFailed).length}"`,
    `errors="${runs.filter(isBroken).length}"`,
    `time="${seconds(runs.reduce((sum, { ms }) => sum + ms, 0))}"`,
  ].join(" ");

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);

function suite(name: string, runs: readonly RunRecord[]): string {
  const at = new Date(runs[0]?.started ?? 0).toISOString().slice(0, 19);
  return `  <testsuite name="${xml(name)}" ${totals(runs)} timestamp="${at}">\n${runs.map((run) => testCase(name, run)).join("")}  </testsuite>\n`;
}

function testCase(file: string, run: RunRecord): string {
  const row = run.row ? ` (${Object.values(run.row).map(String).join(", ")})` : "";
  const head = `    <testcase name="${xml(run.name + row)}" classname="${xml(file)}" file="${xml(file)}" time="${seconds(run.ms)}"`;
  const { failed } = run;
  if (!failed) return `${head}/>\n`;
  const kind = isFailed(run) ? "failure" : "error";
  const lines = [
    `${file}:${failed.line}: step ${failed.step}: ${failed.reason}`,
    ...(failed.hint === undefined ? [] : [failed.hint]),
    ...(failed.candidates ?? []).map((candidate) => `- ${candidate}`),
  ];
  return `${head}>\n      <${kind} type="${xml(failed.code)}" message="${xml(lines[0] ?? "")}">${xml(lines.join("\n"))}</${kind}>\n    </testcase>\n`;
}
