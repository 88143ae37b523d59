import type { Scalar } from "./flow-schema.ts";

/** The variables of one run of a flow that has data. */
export type Row = Readonly<Record<string, Scalar>>;

/** Rows of a table, or what is wrong with it. */
export type Rows = { readonly rows: readonly Row[]; readonly problem?: undefined } | { readonly problem: string };

const mostRows = 10_000;
const isScalar = (value: unknown): value is Scalar => ["string", "number", "boolean"].includes(typeof value);

export function readRows(text: string, kind: "csv" | "json"): Rows {
  const read = kind === "csv" ? ofCsv(text.replace(/^\uFEFF/, "")) : ofJson(text);
  if (read.problem !== undefined) return read;
  if (read.rows.length === 0) return { problem: "has no rows" };
  return read.rows.length > mostRows ? { problem: `has more than ${mostRows} rows` } : read;
}

function ofJson(text: string): Rows {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser quotes the file.
    return { problem: "is not JSON" };
  }
  if (!Array.isArray(value)) return { problem: "must be a list of objects" };
  const bad = value.findIndex(
    (row) => typeof row !== "object" || row === null || Array.isArray(row) || !Object.values(row).every(isScalar),
  );
  return bad >= 0 ? { problem: `row ${bad + 1} must be an object of texts and numbers` } : { rows: value as Row[] };
}

/** RFC 4180: the first line names the columns; a field in quotes may hold commas, quotes and line ends. */
function ofCsv(text: string): Rows {
  const lines: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  for (let end = ""; field.lastIndex <= text.length;) {
    const found = field.exec(text);
    if (!found) return { problem: `row ${lines.length}: a quote is not closed, or stands inside a field` };
    const [, quoted, plain = "", after = ""] = found;
    lines.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    end = after;
    // After a last comma there is one more field, an empty one.
    if (end === "" || (end !== "," && field.lastIndex >= text.length)) break;
    if (end !== ",") lines.push([]);
  }
  const [names = [], ...rows] = lines.filter((line) => line.length > 1 || line[0] !== "");
  const uneven = rows.findIndex((row) => row.length !== names.length);
  if (uneven >= 0)
    return { problem: `row ${uneven + 1} has ${rows[uneven]?.length} fields, the first line ${names.length}` };
  return { rows: rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ""]))) };
}
