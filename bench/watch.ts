import { poll } from "../src/base/async.ts";
import type { UiNode } from "../src/base/node.ts";
import { open } from "../src/index.ts";
import { openBackend } from "../src/platform/open.ts";
import { openVirtualDesktop } from "../src/platform/virtual/desktop.ts";
import { findScope } from "../src/surface/find-element.ts";
import { Surface } from "../src/surface/surface.ts";
import { LiveTree } from "../src/surface/watch/live-tree.ts";
import { applyDelta, diffTrees } from "../src/surface/watch/tree-delta.ts";
import { Encoder } from "../src/vision/encode.ts";
import { servePages } from "../test/support/browser.ts";
import { startFixture } from "../test/support/fixture.ts";
import type { Group } from "./group.ts";
import { figure, now, type Row } from "./measure.ts";
import type { Table, Verdict } from "./report.ts";

const limitMs = 250;
const sizes = [200, 2_000] as const;
/** What the issue asks for, of the smaller tree; the larger takes longer to check, not to watch. */
const mutations = { 200: 1_000, 2_000: 200 } as const;
const apps = ["gtk3", "gtk4", "qt6", "chromium"] as const;
type AppName = (typeof apps)[number];

const names = ["Save", "Open", "Apply", "Discard"];
const verbs = ["insert", "remove", "replace", "swap", "rename", "move"] as const;

interface Changing extends AsyncDisposable {
  readonly title: string;
  /** Changes something, and returns the names of its buttons from top to bottom. */
  mutate(order: object): Promise<readonly string[]>;
}

/** How soon the elements of a window are up to date after a change, and whether they are right in the end. */
export const watch: Group = async ({ tell, only = "" }) => {
  const rows: Row[] = [];
  const verdicts: Verdict[] = [];
  for (const app of apps.filter((each) => each.includes(only))) {
    for (const size of sizes) {
      tell(`${mutations[size]} changes of ${app} with ${size} elements`);
      const measured = await measure(app, size);
      rows.push(...measured.rows);
      verdicts.push(...measured.verdicts);
    }
  }
  const table: Table = { title: "Elements of a watched window after a change", rows, verdicts };
  return [table];
};

async function measure(app: AppName, size: (typeof sizes)[number]) {
  await using desktop = await openVirtualDesktop({ width: 3840, height: 2160, monitors: 1, scale: 1 });
  await using changing = await (app === "chromium" ? openPage(desktop.env, size) : openApp(app, desktop.env, size));
  await using surface = new Surface("desktop", await openBackend({ env: desktop.env }), { encoder: new Encoder() });
  const { signal } = new AbortController();
  const opened = async () => {
    const found = await findScope(surface, { title: changing.title }, signal).catch(() => undefined);
    if (!found) return undefined;
    const scope = surface.need("elements").scope({ pid: found.pid, windowId: found.window.id });
    const tree = await surface
      .need("elements")
      .tree(scope, { maxNodes: 20_000, signal })
      .catch(() => undefined);
    return tree && tree.nodes.length >= size ? { ...found, scope } : undefined;
  };
  const found = await poll(opened, { timeoutMs: 60_000, everyMs: 200 });
  if (!found) throw new Error(`${app} does not show ${size} elements`);
  const { pid, window, scope } = found;
  let wake = (): void => {};
  let told: readonly UiNode[] = [];
  const news = { events: 0, scan: 0 };
  await using live = await LiveTree.open(
    surface,
    { pid, windowId: window.id },
    {
      signal,
      onNews: (each) => {
        if (each.kind === "delta") told = applyDelta(told, each.delta);
        else told = live.nodes;
        if (each.kind === "delta") news[each.by]++;
        wake();
      },
    },
  );
  told = live.nodes;
  const times: number[] = [];
  let late = 0;
  let seed = 24;
  const any = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let index = 0; index < mutations[size]; index++) {
    const started = now();
    const wanted = await changing.mutate({
      do: verbs[any(verbs.length)],
      in: "buttons",
      at: any(20),
      to: any(20),
      name: names[any(names.length)],
    });
    const isThere = (): boolean => namesOf(live.nodes).join() === wanted.join();
    const seen = await new Promise<number | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), 10_000);
      wake = () => {
        if (!isThere()) return;
        clearTimeout(timer);
        resolve(now());
      };
      wake();
    });
    if (seen === undefined) late++;
    else times.push(seen - started);
  }
  const isRight = async () => {
    const { nodes } = await surface.need("elements").tree(scope, { maxNodes: 20_000, signal });
    const { added, removed, changed, moved } = diffTrees(told, nodes);
    return added.length + removed.length + changed.length + moved.length === 0 ? true : undefined;
  };
  const right = (await poll(isRight, { timeoutMs: 15_000, everyMs: 300 })) === true;
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  const name = `${app}, ${live.nodes.length} elements`;
  const note = `${times.length} changes; ${live.figures.parts} parts and ${live.figures.scans} whole trees read; ${live.figures.corrections} elements not told by events`;
  return {
    rows: [
      { ...figure(`${name}, middle`, at(0.5), "ms", note), runs: times.length },
      { ...figure(`${name}, p95`, at(0.95), "ms"), runs: times.length },
    ],
    verdicts: [
      {
        target: `${name}: up to date in ≤ ${limitMs} ms, p95`,
        figure: `${at(0.95)} ms${late > 0 ? `, ${late} never` : ""}`,
        state: at(0.95) <= limitMs && late === 0 ? "met" : "MISSED",
      },
      {
        target: `${name}: what was told leads to the last snapshot after ${mutations[size]} changes`,
        figure: right ? "equal" : "different",
        state: right ? "met" : "MISSED",
      },
    ] as const,
  };
}

const namesOf = (nodes: readonly UiNode[]): readonly string[] =>
  nodes
    .filter(({ role, name }) => role === "button" && names.includes(name))
    .toSorted((a, b) => (a.bounds?.y ?? 0) - (b.bounds?.y ?? 0))
    .map(({ name }) => name);

async function openApp(toolkit: string, env: NodeJS.ProcessEnv, size: number): Promise<Changing> {
  const title = `Watched ${toolkit}`;
  const args = ["--title", title, "--geometry", "2600x1900", "--fill", String(size)];
  const fixture = await startFixture(`${toolkit}_mutating`, { env, args });
  await fixture.waitFor(({ event }) => event === "ready", 30_000);
  let step = 0;
  return {
    title,
    async mutate(order) {
      const own = ++step;
      fixture.tell(JSON.stringify({ ...order, step: own }));
      const state = await fixture.waitFor((event) => event.event === "state" && event["step"] === own, 20_000);
      return (state["buttons"] as readonly (readonly [number, string])[]).map(([, name]) => name);
    },
    [Symbol.asyncDispose]: () => fixture.stop(),
  };
}

const page = (size: number): string => `<!doctype html><title>Watched chromium</title><main></main>
<p style="display:grid;grid-template-columns:repeat(40,40px)"></p><script>
  const main = document.querySelector("main");
  const make = (name) => { const row = document.createElement("div"); row.innerHTML = "<button></button>"; row.firstChild.textContent = name; return row; };
  main.append(...["Save", "Open", "Apply"].map(make));
  for (let number = 0; number < ${size / 2}; number++) document.querySelector("p").append(Object.assign(document.createElement("span"), { textContent: "F" + number, role: "note" }));
  const mutate = ({ do: how, at, to, name }) => {
    const rows = main.children;
    const row = rows[at % rows.length];
    if (how === "insert" && rows.length < 9) row.before(make(name));
    if (how === "remove" && rows.length > 1) row.remove();
    if (how === "replace" || how === "swap") row.replaceWith(make(name));
    if (how === "rename") row.firstChild.textContent = name;
    if (how === "move") main.append(row);
    return [...main.querySelectorAll("button")].map((each) => each.textContent);
  };
</script>`;

async function openPage(env: NodeJS.ProcessEnv, size: number): Promise<Changing> {
  const server = await servePages({ "watched.html": page(size) });
  const hs = await open({ policy: "allow", journal: false, env });
  const args = ["--force-renderer-accessibility", "--window-size=2600,1900"];
  await hs.browser.launch({ url: `${server.own}/watched.html`, headless: false, args });
  return {
    title: "Watched chromium",
    async mutate(order) {
      const script = { function: "(order) => mutate(order)", args: [order], settle_ms: 0 };
      const { result } = await hs.call("cdp_evaluate_script", script);
      return result as readonly string[];
    },
    async [Symbol.asyncDispose]() {
      await hs[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
