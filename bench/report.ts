import { cpus, loadavg, totalmem } from "node:os";
import { readFileSync } from "node:fs";
import type { Row } from "./measure.ts";

export interface Verdict {
  /** "≥ 8× faster than nut-js" */
  readonly target: string;
  /** "12.3×" */
  readonly figure: string;
  readonly state: "met" | "MISSED" | "not measured";
}

export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly verdicts: readonly Verdict[];
  /** The whole of it in one line. */
  readonly closing?: string;
}

// --- verdicts -----------------------------------------------------------------------------------------------

const oursOf = (rows: readonly Row[]): Row | undefined => rows.find(({ kind }) => kind === "ours");

/** How many times faster we are than the named peer, by the medians. */
export function fasterThan(rows: readonly Row[], peer: string, times: number): Verdict {
  return ratioVerdict(
    `≥ ${times}× faster than ${peer}`,
    ratio(
      rows,
      rows.find(({ name }) => name === peer),
    ),
    times,
  );
}

/** The same for two rows of which neither need be the first of its table. */
export function timesFaster(target: string, ours: Row | undefined, peer: Row | undefined, times: number): Verdict {
  const value = ours?.p50 === undefined || peer?.p50 === undefined ? undefined : peer.p50 / ours.p50;
  return ratioVerdict(`${target} ≥ ${times}× faster than ${peer?.name ?? "the peer"}`, value, times);
}

export function fasterThanCommands(rows: readonly Row[], times: number): Verdict {
  const commands = rows.filter(({ kind, p50 }) => kind === "command" && p50 !== undefined);
  const fastest = commands.toSorted((a, b) => (a.p50 ?? 0) - (b.p50 ?? 0))[0];
  const name = fastest ? ` (${fastest.name})` : "";
  return ratioVerdict(`≥ ${times}× faster than the fastest command-line peer${name}`, ratio(rows, fastest), times);
}

export const aheadOfAll = (rows: readonly Row[]): Verdict[] =>
  rows.filter(({ kind }) => kind !== "ours").map((peer) => ratioVerdict(`ahead of ${peer.name}`, ratio(rows, peer), 1));

export function atMost(row: Row | undefined, limit: number): Verdict {
  const target = `${row?.name ?? "figure"} ≤ ${limit} ${row?.unit ?? ""}`;
  if (row?.p50 === undefined) return { target, figure: row?.problem ?? "no figure", state: "not measured" };
  return { target, figure: amount(row.p50, row.unit), state: row.p50 <= limit ? "met" : "MISSED" };
}

/** At most so many times as long as the other, by the medians. */
export function timesOf(row: Row | undefined, floor: Row | undefined, limit: number): Verdict {
  const target = `${row?.name ?? "figure"} ≤ ${limit}× ${floor?.name ?? "the floor"}`;
  if (row?.p50 === undefined || floor?.p50 === undefined) return { target, figure: "–", state: "not measured" };
  const value = row.p50 / floor.p50;
  return { target, figure: `${digits(value)}×`, state: value <= limit ? "met" : "MISSED" };
}

export function allRight(row: Row, of: number): Verdict {
  const right = row.p50 ?? 0;
  const target = `${row.name} types it right ${of} of ${of} times`;
  if (row.runs === 0) return { target, figure: row.problem ?? "did not run", state: "not measured" };
  return { target, figure: `${right} of ${row.runs}`, state: right >= of ? "met" : "MISSED" };
}

function ratio(rows: readonly Row[], peer: Row | undefined): number | undefined {
  const ours = oursOf(rows)?.p50;
  return ours === undefined || peer?.p50 === undefined ? undefined : peer.p50 / ours;
}

function ratioVerdict(target: string, value: number | undefined, times: number): Verdict {
  if (value === undefined) return { target, figure: "–", state: "not measured" };
  return { target, figure: `${digits(value)}×`, state: value >= times ? "met" : "MISSED" };
}

// --- printing -----------------------------------------------------------------------------------------------

export function printTable({ title, rows, verdicts, closing }: Table): string {
  const ours = oursOf(rows)?.p50;
  const lines = rows.map((row) => [
    row.name,
    row.p50 === undefined ? "–" : shown(row),
    row.min === undefined || row.unit !== "ms" ? "" : `min ${digits(row.min)}`,
    row.bytes === undefined ? "" : `${Math.round(row.bytes / 1000)} kB`,
    row.unit !== "ms" || ours === undefined || row.p50 === undefined || row.kind === "ours"
      ? ""
      : `${digits(row.p50 / ours)}×`,
    remark(row),
  ]);
  const body = layOut(lines).map((line) => `  ${line}`);
  const targets = verdicts.map((verdict) => `    ${printVerdict(verdict)}`);
  return [title, ...body, ...targets, ...(closing === undefined ? [] : [closing]), ""].join("\n");
}

/** Columns under each other: text to the left, figures to the right. */
function layOut(lines: readonly (readonly string[])[]): string[] {
  const widthOf = (column: number) => Math.max(...lines.map((line) => line[column]?.length ?? 0));
  const isText = (line: readonly string[], column: number) => column === 0 || column === line.length - 1;
  return lines.map((line) =>
    line
      .map((cell, column) => (isText(line, column) ? cell.padEnd(widthOf(column)) : cell.padStart(widthOf(column))))
      .join("  ")
      .trimEnd(),
  );
}

export const printVerdict = ({ target, figure, state }: Verdict): string => `target: ${target} — ${figure}, ${state}`;

/** Ends the run: every target that was missed or could not be measured, by name. */
export function printSummary(tables: readonly Table[]): string {
  const all = tables.flatMap(({ title, verdicts }) => verdicts.map((verdict) => ({ title, verdict })));
  const open = all.filter(({ verdict }) => verdict.state !== "met");
  const lines = open.map(({ title, verdict }) => `  ${title}: ${printVerdict(verdict)}`);
  return [
    `${all.length - open.length} of ${all.length} targets met${open.length > 0 ? "; not met:" : "."}`,
    ...lines,
  ].join("\n");
}

function shown(row: Row): string {
  return row.unit === "right" ? `${row.p50} of ${row.runs} right` : amount(row.p50 ?? 0, row.unit);
}

function remark(row: Row): string {
  const failed = row.failures > 0 ? `${row.failures} of ${row.runs} failed: ${row.problem}` : undefined;
  const missing = row.p50 === undefined && row.failures === 0 ? `not measured: ${row.problem}` : undefined;
  return [row.note, failed, missing].filter((part) => part !== undefined).join("; ");
}

const amount = (value: number, unit: Row["unit"]): string =>
  unit === "count" ? String(Math.round(value)) : `${digits(value)} ${unit}`;

const digits = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** What one needs to know to read the figures; nothing that names the machine. */
export function describeMachine(): string {
  const processors = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const load = loadavg()[0]?.toFixed(1);
  return `${processors.length} × ${processors[0]?.model.trim()}, ${memory}, ${systemName()}, Node ${process.versions.node}, load ${load}`;
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}
