import type { ErrorEnvelope } from "../base/errors.ts";
import { printable } from "./text.ts";
import { isWindow, toWindowRow } from "./window-row.ts";

type Row = Readonly<Record<string, unknown>>;

/** The data of a result for a person: lists as tables, the rest as `key: value`. */
export function renderData(whole: Row, width = Number.POSITIVE_INFINITY): string {
  const data = forPerson(whole);
  const entries = Object.entries(data).filter(([, value]) => value !== undefined && value !== null);
  const tables = entries.filter((entry): entry is [string, readonly Row[]] => isTable(entry[1]));
  const fields = entries.filter(([, value]) => !isTable(value)).map(([key]) => key);
  const blocks = tables.map(([key, rows]) => {
    const title = tables.length > 1 || rows.length === 0 ? `${key} (${rows.length})` : "";
    return [title, renderTable(rows, width)].filter((part) => part !== "").join("\n");
  });
  return [...blocks, renderFields(data, fields)].filter((block) => block !== "").join("\n\n");
}

/** Without marks that only a model needs, zero counts, and text that a table repeats line by line. */
function forPerson(data: Row): Row {
  const { untrusted_text: _, ...rest } = data;
  const tables = Object.values(rest).filter(isTable);
  const isTold = (value: unknown): boolean =>
    typeof value === "string" && tables.some((rows) => rows.map(({ text }) => text).join("\n") === value);
  return Object.fromEntries(
    Object.entries(rest)
      .map(([key, value]) => [key, key === "filtered" ? counted(value) : shorten(value)] as const)
      .filter(([, value]) => value !== undefined && !isTold(value)),
  );
}

/** Only the non-zero counts of what was left out of the list. */
function counted(value: unknown): unknown {
  if (!isObject(value)) return value;
  const some = Object.entries(value).filter(([, count]) => count !== 0);
  return some.length === 0 ? undefined : Object.fromEntries(some);
}

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

function shorten(value: unknown): unknown {
  if (isTable(value)) return value.map((row) => (isWindow(row) ? toWindowRow(row) : row));
  return isObject(value) && isWindow(value) ? toWindowRow(value) : value;
}

function renderFields(data: Row, keys: readonly string[]): string {
  const width = Math.max(0, ...keys.map((key) => key.length));
  return keys
    .map((key) => {
      const value = data[key];
      return typeof value === "string" && value.includes("\n")
        ? [`${key}:`, ...value.split("\n").map((line) => `  ${printable(line)}`)].join("\n")
        : `${`${key}:`.padEnd(width + 2)}${show(value)}`;
    })
    .join("\n");
}

export function renderError({ error }: ErrorEnvelope): string {
  const { message, hint, candidates, fallback } = error;
  return [
    `handsight: ${printable(message)}`,
    ...(hint === undefined ? [] : [`  ${printable(hint)}`]),
    ...(candidates ?? []).map((candidate) => `  - ${printable(candidate)}`),
    ...(fallback === undefined ? [] : [`  Safe to click instead: ${fallback.x},${fallback.y}`]),
  ].join("\n");
}

/**
 * Columns that are empty or repeat another are left out. If the terminal is too narrow, the widest column is cut,
 * then the last ones are left out. A single row that does not fit is printed field by field.
 */
export function renderTable(rows: readonly Row[], width: number): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = new Map<string, readonly string[]>();
  for (const name of names) {
    const cells = rows.map((row) => show(row[name]));
    const isEmpty = cells.every((cell) => cell === "");
    // Two flags or counts may be equal by chance; two equal ids or names are the same thing under two names.
    const isTelling = cells.some((cell) => cell.length > 3);
    const isRepeated =
      isTelling && [...columns.values()].some((other) => other.every((cell, index) => cell === cells[index]));
    if (!isEmpty && !isRepeated) columns.set(name, cells);
  }
  const widths = new Map(
    [...columns].map(([name, cells]) => [name, Math.max(name.length, ...cells.map((cell) => cell.length))]),
  );
  const [only] = rows;
  const total = [...widths.values()].reduce((sum, each) => sum + each + 2, -2);
  if (only !== undefined && rows.length === 1 && total > width) return renderFields(only, [...columns.keys()]);
  const [widest, widestWidth] = [...widths].toSorted(([, a], [, b]) => b - a)[0] ?? ["", 0];
  if (total > width) widths.set(widest, Math.max(Math.min(narrowest, widestWidth), widestWidth - (total - width)));
  const left: string[] = [];
  let used = 0;
  const kept = [...columns.keys()].filter((name, index) => {
    used += (widths.get(name) ?? 0) + 2;
    if (index === 0 || used - 2 <= width) return true;
    left.push(name);
    return false;
  });
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => fit(cell, widths.get(kept[index] ?? "") ?? 0))
      .join("  ")
      .trimEnd();
  const body = rows.map((_, index) => line(kept.map((name) => columns.get(name)?.[index] ?? "")));
  const note = left.length === 0 ? [] : [`(not shown: ${left.join(", ")}; --json has everything)`];
  return rows.length === 0 ? "" : [line(kept), ...body, ...note].join("\n");
}

// This much of a title is enough to recognise it.
const narrowest = 20;

const fit = (cell: string, width: number): string =>
  cell.length > width ? `${cell.slice(0, Math.max(0, width - 1))}…` : cell.padEnd(width);

function show(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return printable(value);
  if (typeof value === "number") return String(Math.round(value * 1_000) / 1_000);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (isRect(value)) return `${value.width}x${value.height}+${value.x}+${value.y}`;
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.map(show).join(", ");
  if (Array.isArray(value)) return printable(JSON.stringify(value));
  return Object.entries(value)
    .filter(([, inner]) => inner !== undefined && inner !== null)
    .map(([key, inner]) => `${printable(key)} ${show(inner)}`)
    .join(", ");
}

const isTable = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && !Array.isArray(item));

function isRect(value: unknown): value is Readonly<Record<"x" | "y" | "width" | "height", number>> {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 4) return false;
  return ["x", "y", "width", "height"].every((key) => typeof (value as Row)[key] === "number");
}
