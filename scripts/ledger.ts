export interface Requirement {
  readonly id: string;
  readonly group: string;
  readonly statement: string;
}

export interface Ledger {
  readonly requirements: readonly Requirement[];
  readonly groups: readonly string[];
  /** Requirement → what is done instead, and why. */
  readonly different: readonly { readonly ids: readonly string[]; readonly instead: string; readonly reason: string }[];
  /** Requirements that ask for nothing. */
  readonly idle: ReadonlySet<string>;
  /** Requirement → what has to be there before it can be proven. */
  readonly waiting: ReadonlyMap<string, string>;
  /** Numbers in the tables that no statement has. */
  readonly unknown: readonly string[];
}

/** Reads docs/requirements.md. */
export function readLedger(markdown: string): Ledger {
  const groups: string[] = [];
  const requirements: Requirement[] = [];
  const rows: { heading: string; cells: string[] }[] = [];
  let heading = "";
  for (const line of markdown.split("\n")) {
    const title = /^## (.+)$/.exec(line)?.[1];
    const item = /^\s*- \*\*(S\d-\d+[a-z]?)\*\* (.+)$/.exec(line);
    if (title !== undefined) heading = title;
    else if (item?.[1] !== undefined && item[2] !== undefined) {
      if (!groups.includes(heading)) groups.push(heading);
      requirements.push({ id: item[1], group: heading, statement: item[2] });
    } else if (/^\| S\d-/.test(line)) {
      rows.push({
        heading,
        cells: line
          .split("|")
          .map((cell) => cell.trim())
          .slice(1, -1),
      });
    }
  }
  const ids = requirements.map(({ id }) => id);
  const tables = rows.map(({ heading, cells: [list = "", ...rest] }) => ({ heading, ...expand(list, ids), rest }));
  return {
    requirements,
    groups,
    different: tables
      .filter(({ heading }) => heading === "Resolved differently")
      .map(({ known, rest: [instead = "", reason = ""] }) => ({ ids: known, instead, reason })),
    idle: new Set(tables.filter(({ heading }) => heading === "Ask for nothing").flatMap(({ known }) => known)),
    waiting: new Map(
      tables
        .filter(({ heading }) => heading === "Waiting")
        .flatMap(({ known, rest: [what = ""] }) => known.map((id) => [id, what] as const)),
    ),
    unknown: tables.flatMap(({ unknown }) => unknown),
  };
}

/** The numbers a test title claims: `[S2-11]`, `[S0-12, S0-13]`, `[S0-12…S0-17]`. */
export function claims(title: string, ids: readonly string[]): { known: string[]; unknown: string[] } {
  const lists = [...title.matchAll(/\[(S\d[^\]]*)\]/g)].map((match) => expand(match[1] ?? "", ids));
  return { known: lists.flatMap(({ known }) => known), unknown: lists.flatMap(({ unknown }) => unknown) };
}

function expand(list: string, ids: readonly string[]): { known: string[]; unknown: string[] } {
  const known: string[] = [];
  const unknown: string[] = [];
  for (const part of list.split(",").map((text) => text.trim())) {
    const [first = "", last = first] = part.split(/\s*(?:…|\.\.\.)\s*/);
    const [from, to] = [ids.indexOf(first), ids.indexOf(last)];
    const isRange = from >= 0 && to >= from && first.slice(0, 2) === last.slice(0, 2);
    if (isRange) known.push(...ids.slice(from, to + 1));
    else unknown.push(part);
  }
  return { known, unknown };
}

export type State = "proven" | "failing" | "not yet" | "idle";

export interface Standing {
  readonly states: ReadonlyMap<string, State>;
  /** Claims of numbers that do not exist, with the title that makes them. */
  readonly unknown: readonly { readonly claim: string; readonly title: string }[];
}

/** What the last run says of a test. */
export interface Outcome {
  readonly title: string;
  readonly state: string;
  readonly retries: number;
}

/** A test that passes only when it is tried again may fail the next time; it proves nothing. */
export const isFlaky = ({ state, retries }: Outcome): boolean => state === "passed" && retries > 0;

/** A requirement is proven when some test claims it and passes at once, and none that claims it fails. */
export function stand(ledger: Ledger, tests: readonly Outcome[]): Standing {
  const ids = ledger.requirements.map(({ id }) => id);
  const passed = new Set<string>();
  const failed = new Set<string>();
  const unknown: { claim: string; title: string }[] = [];
  for (const test of tests) {
    const { title, state } = test;
    const claimed = claims(title, ids);
    unknown.push(...claimed.unknown.map((claim) => ({ claim, title })));
    for (const id of claimed.known) {
      if (state === "passed" && !isFlaky(test)) passed.add(id);
      if (state === "failed") failed.add(id);
    }
  }
  const judge = (id: string): State => {
    const parts = ids.filter((other) => other !== id && other.replace(/[a-z]$/, "") === id);
    const all = [id, ...parts];
    if (all.some((one) => failed.has(one))) return "failing";
    if (passed.has(id) || (parts.length > 0 && parts.every((one) => passed.has(one)))) return "proven";
    return ledger.idle.has(id) ? "idle" : "not yet";
  };
  return { states: new Map(ids.map((id) => [id, judge(id)])), unknown };
}
