import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { callerFolder } from "../../base/caller-folder.ts";
import { nearest } from "../../base/nearest.ts";
import { stepLists, type Flow, type FlowStep } from "./flow-schema.ts";
import { placeholdersIn } from "./placeholders.ts";
import { readFlow, type FlowProblem, type FlowText } from "./read-flow.ts";
import { readRows, type Row } from "./rows.ts";
import { mostCharacters } from "./yaml-document.ts";

/** A flow with every file that it needs. */
export interface LoadedFlow extends FlowText {
  readonly file: string;
  readonly folder: string;
  /** One run for each; undefined when the flow has no data. */
  readonly rows: readonly Row[] | undefined;
  /** The flows that it runs, by the name that it calls them. */
  readonly runs: ReadonlyMap<string, LoadedFlow>;
}

export interface Loading {
  /** Variables that the caller brings along. */
  readonly vars?: readonly string[] | undefined;
}

export type Loaded =
  | { readonly flow: LoadedFlow; readonly problems: readonly [] }
  | { readonly flow?: undefined; readonly problems: readonly FlowProblem[] };

/** Also every file that was read for it, this one first. */
export type LoadedWithFiles = Loaded & { readonly files: readonly string[] };

/** Reads a flow, its data and every flow that it runs. Executes nothing. */
export function loadFlow(file: string, { vars = [] }: Loading = {}): LoadedWithFiles {
  const path = resolve(callerFolder(), file);
  const loader = new Loader(rootOf(path));
  const loaded = loader.load(path, new Set(vars), []);
  return { ...loaded, files: [...loader.files] };
}

/** A flow may use the files of the folder that handsight was called in, else those of its own folder. */
function rootOf(path: string): string {
  const here = callerFolder();
  return isInside(path, here) ? here : dirname(path);
}

const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** How it is called in messages: as short as it can be. */
const shown = (path: string): string => {
  const here = callerFolder();
  return isInside(path, here) ? relative(here, path) : path;
};

const mostFiles = 200;
const mostDataBytes = 10_000_000;

class Loader {
  readonly #root: string;
  readonly files = new Set<string>();
  #flows = 0;

  constructor(root: string) {
    this.#root = root;
  }

  load(path: string, known: ReadonlySet<string>, above: readonly string[]): Loaded {
    const file = shown(path);
    const bad = (message: string): Loaded => ({ problems: [{ file, line: 1, column: 1, message }] });
    this.files.add(path);
    if (++this.#flows > mostFiles) return bad(`more than ${mostFiles} flows run each other`);
    const text = readText(path, mostCharacters * 4);
    if (text.problem !== undefined) return bad(text.problem);
    const read = readFlow(text.text, file);
    if (!read.text) return read;
    return this.#complete({ ...read.text, file: path, folder: dirname(path) }, known, [...above, path]);
  }

  #complete(flow: Omit<LoadedFlow, "rows" | "runs">, given: ReadonlySet<string>, above: readonly string[]): Loaded {
    const problems: FlowProblem[] = [];
    const file = shown(flow.file);
    const report = (path: readonly PropertyKey[], message: string): void => {
      problems.push({ file, ...flow.position(path), message });
    };
    const rows = this.#rows(flow, report);
    const { vars = {}, env = {}, secrets = [] } = flow.flow;
    const columns = new Set((rows ?? []).flatMap((row) => Object.keys(row)));
    const known = new Set([...given, ...Object.keys(vars), ...Object.keys(env), ...columns]);
    const runs = new Map<string, LoadedFlow>();
    const run = (called: string, path: readonly PropertyKey[], names: readonly string[]): void => {
      if (runs.has(called)) return;
      const found = this.#file(called, flow.folder);
      if (found.problem !== undefined) return report(path, `run ${JSON.stringify(called)}: ${found.problem}`);
      const cycle = above.indexOf(found.path);
      if (cycle >= 0) {
        const way = [...above.slice(cycle), found.path].map((each) => basename(each)).join(" → ");
        return report(path, `run: these flows run each other without end: ${way}`);
      }
      const inner = this.load(found.path, new Set([...known, ...names]), above);
      if (inner.flow) runs.set(called, inner.flow);
      else problems.push(...inner.problems);
    };
    checkTexts(flow.flow, { known, secrets: new Set(secrets), report, run });
    return problems.length > 0 ? { problems } : { flow: { ...flow, rows, runs }, problems: [] };
  }

  #rows({ flow, folder }: Omit<LoadedFlow, "rows" | "runs">, report: Report): readonly Row[] | undefined {
    const { data } = flow;
    if (data === undefined || typeof data !== "string") return data;
    const kind = /\.(csv|json)$/i.exec(data)?.[1]?.toLowerCase() as "csv" | "json" | undefined;
    if (kind === undefined) report(["data"], "data: must be a .csv or .json file");
    const found = this.#file(data, folder);
    const text = found.problem === undefined ? readText(found.path, mostDataBytes) : found;
    const rows = kind === undefined ? undefined : text.problem === undefined ? readRows(text.text, kind) : text;
    if (rows?.problem !== undefined) report(["data"], `data: ${JSON.stringify(data)} ${rows.problem}`);
    return rows !== undefined && "rows" in rows ? rows.rows : undefined;
  }

  /** A file that a flow names. Nothing outside may be read by naming it. */
  #file(
    name: string,
    folder: string,
  ): { readonly path: string; readonly problem?: undefined } | { readonly problem: string } {
    if (placeholdersIn(name).length > 0) return { problem: "must be the name of a file, without variables" };
    const path = resolve(folder, name);
    if (isAbsolute(name) || !isInside(path, this.#root))
      return { problem: `leads outside ${shown(this.#root) || "this folder"}` };
    try {
      const real = realpathSync(path);
      if (!statSync(real).isFile()) return { problem: "is not a file" };
      if (!isInside(real, realpathSync(this.#root))) return { problem: "is a link that leads outside" };
      this.files.add(path);
      return { path };
    } catch {
      return { problem: "there is no such file" };
    }
  }
}

function readText(
  path: string,
  mostBytes: number,
): { readonly text: string; readonly problem?: undefined } | { readonly problem: string } {
  try {
    const found = statSync(path);
    // Reading a pipe or a device may never end.
    if (!found.isFile()) return { problem: "is not a file" };
    if (found.size > mostBytes) return { problem: `is too large: ${found.size} bytes, at most ${mostBytes}` };
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)) };
  } catch (error) {
    if (error instanceof TypeError) return { problem: "is not UTF-8 text" };
    const { code } = error as NodeJS.ErrnoException;
    return { problem: code === "ENOENT" ? "there is no such file" : `cannot be read: ${code}` };
  }
}

type Report = (path: readonly PropertyKey[], message: string) => void;

interface Checking {
  readonly known: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  readonly report: Report;
  readonly run: (called: string, path: readonly PropertyKey[], names: readonly string[]) => void;
}

/** Every variable must come from somewhere: the file, the caller, a row, or a step before it. */
function checkTexts(flow: Flow, checking: Checking): void {
  const known = new Set(checking.known);
  for (const list of stepLists) {
    if (list !== "else") checkSteps(flow[list] ?? [], [list], { ...checking, known });
  }
}

function checkSteps(
  steps: readonly FlowStep[],
  path: readonly PropertyKey[],
  checking: Checking & { readonly known: Set<string> },
): void {
  for (const [index, step] of steps.entries()) {
    const at = [...path, index];
    const { repeat } = step;
    const inner = repeat
      ? new Set([...checking.known, repeat.as ?? "item", "index", ...columnsOf(repeat.each)])
      : checking.known;
    for (const [key, value] of Object.entries(step)) {
      if (!(stepLists as readonly string[]).includes(key))
        checkValue(value, [...at, key], { ...checking, known: inner });
    }
    if (typeof step.run === "string") checking.run(step.run, [...at, "run"], []);
    else if (step.run) checking.run(step.run.flow, [...at, "run", "flow"], Object.keys(step.run.vars ?? {}));
    for (const list of stepLists) checkSteps(step[list] ?? [], [...at, list], { ...checking, known: inner });
    const read = step["read"];
    if (typeof read === "object" && read !== null && "as" in read) checking.known.add(String(read.as));
  }
}

const columnsOf = (each: unknown): readonly string[] =>
  Array.isArray(each)
    ? each.flatMap((item: unknown) => (typeof item === "object" && item !== null ? Object.keys(item) : []))
    : [];

function checkValue(value: unknown, path: readonly PropertyKey[], checking: Checking): void {
  if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      checkValue(inner, [...path, Array.isArray(value) ? Number(key) : key], checking);
    }
  }
  if (typeof value !== "string") return;
  for (const found of placeholdersIn(value)) {
    if (found === undefined) checking.report(path, 'a "${" is not closed; write "$${" for the signs themselves');
    else if (!(found.isSecret ? checking.secrets : checking.known).has(found.name)) {
      const names = [...(found.isSecret ? checking.secrets : checking.known)];
      const near = nearest(found.name, names);
      const what = found.isSecret ? `secret "${found.name}" is not in secrets` : `there is no variable "${found.name}"`;
      checking.report(path, near === undefined ? `${what}; ${nameAll(names)}` : `${what}, did you mean "${near}"?`);
    }
  }
}

const nameAll = (names: readonly string[]): string =>
  names.length === 0 ? "give it in vars or with --env" : `there are ${names.join(", ")}`;
