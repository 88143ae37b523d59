import { poll } from "../src/base/async.ts";
import { openVirtualDesktop } from "../src/platform/virtual/desktop.ts";
import { isMissing, type Contender, type Done, type Missing } from "./contenders/contender.ts";
import { closeContenders, openContenders, type ContenderName } from "./contenders/open.ts";
import type { Argument } from "./contenders/task.ts";
import { openControls, type ControlsApp } from "./controls-app.ts";
import { toolkits, type Toolkit } from "./editor.ts";
import type { Group } from "./group.ts";
import { absent, figure, messageOf, race, type Row, type Runner } from "./measure.ts";
import { atMost, timesFaster, type Table, type Verdict } from "./report.ts";
import { openDesktop } from "./scene.ts";

/** Large enough that ten thousand buttons show at once: what is scrolled away only a peer would read. */
const largeScreen = { width: 3840, height: 2160 } as const;
const sizes = [200, 2_000, 10_000] as const;
const middle = 2_000;
const names: readonly ContenderName[] = ["handsight elements", "pyatspi", "dogtail"];
const missing: readonly Row[] = [absent("xa11y", "library", "on no registry here")];

export const elements: Group = async ({ rounds, tell }) => {
  const tables: Table[] = [];
  const trees: Tree[] = [];
  for (const [toolkit, nodes] of [
    ...sizes.map((size) => ["gtk3", size] as const),
    ...toolkits.filter((each) => each !== "gtk3").map((each) => [each, middle] as const),
  ]) {
    tell(`${nodes} nodes of ${toolkit}`);
    const tree = await measureTree(toolkit, nodes, rounds);
    trees.push(tree);
    tables.push(...tree.tables);
  }
  return [...tables, growth(trees)];
};

/** Verified actions and the text form, in windows as people have them. */
export const actions: Group = async ({ rounds, tell }) => {
  tell("ax_click");
  return measureControls(rounds);
};

interface Tree {
  readonly toolkit: Toolkit;
  readonly nodes: number;
  readonly snapshot: Row | undefined;
  readonly tables: readonly Table[];
}

/** Everything about one tree in one race, so that each figure can be held against each other. */
async function measureTree(toolkit: Toolkit, nodes: number, rounds: number): Promise<Tree> {
  await using desktop = await openVirtualDesktop({ ...largeScreen, monitors: 1, scale: 1 });
  const entries = await openContenders(names, desktop.env);
  try {
    await using app = await openControls(toolkit, desktop.env, {
      many: buttons(toolkit, nodes),
      geometry: "3800x2080",
    });
    const ours = entries[0];
    if (!ours || isMissing(ours)) throw new Error(`handsight did not start: ${ours?.problem}`);
    const count = await settled(ours, app);
    // One in the middle of the tree: neither the first nor the last that a walk comes by.
    const text = `B${Math.round(buttons(toolkit, nodes) / 2)}`;
    const { x = 0, y = 0 } = await ours.run("where", { pid: app.pid, title: app.title, text });
    const argument = { pid: app.pid, title: app.title, text, x, y };
    const rows = await race(
      entries.flatMap((entry) => (isMissing(entry) ? [] : runnersOf(entry, argument, nodes, count))),
      rounds,
    );
    return { toolkit, nodes: count, ...report(toolkit, count, nodes, [...rows, ...reasons(entries)]) };
  } catch (error) {
    return { toolkit, nodes, snapshot: undefined, tables: [failed(`${toolkit}, ${nodes} nodes`, error)] };
  } finally {
    await closeContenders(entries);
  }
}

/** In GTK 4 a button is two elements: itself and its label. Forty buttons to a row, which is one more. */
const buttons = (toolkit: Toolkit, nodes: number): number =>
  Math.round(((toolkit === "gtk4" ? nodes / 2 : nodes) * 40) / 41);

/** Reads until the tree has stopped growing; toolkits publish it in their own time. */
async function settled(ours: Contender, { pid }: ControlsApp): Promise<number> {
  let last = -1;
  const count = await poll(
    async () => {
      const { placed = 0 } = await ours.run("snapshot", { pid }).catch((): Partial<Done> => ({}));
      const isSame = placed > 0 && placed === last;
      last = placed;
      return isSame ? placed : undefined;
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
  if (count === undefined) throw new Error("the app's tree did not come to rest within 60 s");
  return count;
}

const oursTasks = {
  snapshot: "handsight",
  "snapshot, first look": "handsight, first look",
  "snapshot, take_ax_snapshot": "handsight, take_ax_snapshot",
  find: "handsight find_text",
  at: "handsight element_at_point",
} as const;
const peerTasks = { snapshot: "full walk", find: "search by name" } as const;

function runnersOf(contender: Contender, argument: Argument, nodes: number, count: number): Runner[] {
  const isOurs = contender.kind === "ours";
  const tasks: Readonly<Record<string, string>> = isOurs ? oursTasks : peerTasks;
  return Object.entries(tasks).map(([task, title]) => {
    let seen: Done | undefined;
    return {
      name: isOurs ? title : `${contender.name} ${title}`,
      kind: contender.kind,
      everyRounds: isOurs || nodes < middle ? 1 : nodes > middle ? 5 : 3,
      get note() {
        if (!task.startsWith("snapshot") || !seen) return undefined;
        return seen.placed === undefined ? `${seen.nodes} nodes` : `${seen.nodes} nodes, ${seen.placed} with bounds`;
      },
      async run() {
        seen = await contender.run(task, argument);
        needAll(task, seen, count);
        return seen;
      },
    };
  });
}

/** Like for like: whoever reads fewer elements with bounds than there are is not faster but incomplete. */
function needAll(task: string, { placed }: Done, count: number): void {
  if (task.startsWith("snapshot") && placed !== undefined && placed < count) {
    throw new Error(`${placed} of ${count} elements with bounds`);
  }
}

function report(
  toolkit: Toolkit,
  count: number,
  nodes: number,
  rows: readonly Row[],
): { readonly snapshot: Row | undefined; readonly tables: readonly Table[] } {
  const row = (name: string) => rows.find((each) => each.name === name);
  const [snapshot, walk] = [row(oursTasks.snapshot), row(`pyatspi ${peerTasks.snapshot}`)];
  const isSearch = ({ name }: Row) =>
    [oursTasks.find, oursTasks.at, `pyatspi ${peerTasks.find}`, `dogtail ${peerTasks.find}`].includes(name);
  const isGtk = toolkit.startsWith("gtk");
  const verdicts: Verdict[] =
    nodes === middle
      ? [timesFaster("snapshot", snapshot, walk, 10), ...(isGtk && snapshot ? [atMost(snapshot, 150)] : [])]
      : [];
  const searches = rows.filter(isSearch);
  return {
    snapshot,
    tables: [
      {
        title: `Snapshot with bounds of ${count} nodes, ${toolkit}`,
        rows: [...rows.filter((each) => !isSearch(each)), ...missing],
        verdicts,
      },
      {
        title: `One element among ${count}, ${toolkit}`,
        rows: searches,
        verdicts: [oursTasks.find, oursTasks.at].map((name) =>
          timesFaster(name.replace("handsight ", ""), row(name), walk, 10),
        ),
      },
    ],
  };
}

/** How the time of one node changes with their number; 1 is exactly linear. */
function growth(trees: readonly Tree[]): Table {
  const perNode = trees
    .filter(({ toolkit }) => toolkit === "gtk3")
    .map(({ nodes, snapshot }) => ({
      nodes,
      us: snapshot?.p50 === undefined ? undefined : (snapshot.p50 * 1000) / nodes,
    }));
  const last = perNode.at(-1);
  return {
    title: "Growth: time per node, gtk3",
    rows: perNode.map(({ nodes, us }) =>
      us === undefined ? absent(`${nodes} nodes`, "ours", "no snapshot") : figure(`${nodes} nodes`, us, "µs"),
    ),
    verdicts: perNode.slice(0, -1).map(({ nodes, us }) => {
      const target = `near-linear: a node among ${last?.nodes} costs ≤ 1.5× one among ${nodes}`;
      if (us === undefined || last?.us === undefined) return { target, figure: "–", state: "not measured" };
      const value = last.us / us;
      return { target, figure: `${value.toFixed(2)}×`, state: value <= 1.5 ? "met" : "MISSED" };
    }),
  };
}

// Qt holds a button down for 100 ms before it acts and GTK 4 for 250; docs/decisions tells what that means here.
const clickLimitMs = 120;

/** What an agent does all day: press a button of an ordinary window and be told what came of it. */
async function measureControls(rounds: number): Promise<Table[]> {
  await using desktop = await openDesktop();
  const entries = await openContenders(["handsight elements"], desktop.env);
  const apps: (ControlsApp & { readonly toolkit: Toolkit; readonly count: number })[] = [];
  try {
    const [ours] = entries;
    if (!ours || isMissing(ours)) throw new Error(`handsight did not start: ${ours?.problem}`);
    for (const toolkit of toolkits) {
      const app = await openControls(toolkit, desktop.env, { geometry: "760x600" });
      apps.push({ ...app, toolkit, count: await settled(ours, app) });
    }
    const tokens: Row[] = [];
    for (const { pid, title, toolkit } of apps) {
      const { tokens: all = 0, shown = 1 } = await ours.run("snapshot, take_ax_snapshot", { pid, title });
      tokens.push(figure(toolkit, all / shown, "tokens", `${shown} lines`));
    }
    const clicks = await race(await clickRunners(ours, apps), rounds);
    return [
      {
        title: "A verified ax_click in an ordinary window, settling included",
        rows: clicks,
        verdicts: clicks.map((row) => atMost(row, clickLimitMs)),
      },
      {
        title: "Text form of a snapshot with bounds, tokens per line (4 characters are one)",
        rows: tokens,
        verdicts: tokens.map((row) => atMost(row, 12)),
      },
    ];
  } catch (error) {
    return [failed("ax_click and text form", error)];
  } finally {
    await closeContenders(entries);
    for (const app of apps) await app[Symbol.asyncDispose]();
  }
}

/** A button everywhere, and a check box where it can be pressed natively: GTK 4 gives it no action. */
async function clickRunners(
  ours: Contender,
  apps: readonly (ControlsApp & { readonly toolkit: Toolkit; readonly count: number })[],
): Promise<Runner[]> {
  const runners: Runner[] = [];
  for (const { pid, title, toolkit, count } of apps) {
    for (const text of toolkit === "gtk4" ? ["Press me"] : ["Press me", "Check me"]) {
      const argument = { pid, title, text };
      await ours.run("prepare", argument);
      const what = text === "Press me" ? "button" : "check box";
      const name = `${toolkit} ${what}`;
      runners.push({ name, kind: "ours", note: `${count} nodes`, run: () => ours.run("ax_click", argument) });
    }
  }
  return runners;
}

const failed = (title: string, error: unknown): Table => ({
  title,
  rows: [],
  verdicts: [{ target: `${title} can be measured`, figure: messageOf(error), state: "not measured" }],
});

const reasons = (entries: readonly (Contender | Missing)[]): Row[] =>
  entries.filter(isMissing).map(({ name, kind, problem }) => absent(name, kind, problem));
