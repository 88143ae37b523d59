import fc from "fast-check";
import { describe, test, type ExpectStatic } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import type { Rect } from "../../src/base/geometry.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { kinds, MutatingApp, names, type Kind, type Known, type Mutation } from "../support/mutating.ts";

interface Stage extends AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  readonly handsight: Handsight;
}

/** A separate desktop for each test: they run concurrently. */
async function openStage(): Promise<Stage> {
  const desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  try {
    const handsight = await startHandsight(desktop.env, ["--log-level", "error"]);
    const end = async () => {
      await handsight[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
    };
    return { env: desktop.env, handsight, [Symbol.asyncDispose]: end };
  } catch (error) {
    await desktop[Symbol.asyncDispose]();
    throw error;
  }
}

/** One mutation of the tree, and one earlier ref that is used after it or at the same moment. */
interface Step {
  readonly mutation: Mutation;
  /** Take a new snapshot first. */
  readonly fresh: boolean;
  /** Read the tree between the mutation and the use, as every search and every verified action does. */
  readonly looks: boolean;
  readonly pick: number;
  readonly way: "native" | "pointer" | "meanwhile";
}

const mutations = (among: readonly Kind[]): fc.Arbitrary<Mutation> =>
  fc
    .record({
      do: fc.constantFrom("insert", "remove", "replace", "swap", "rename", "move", "rebuild"),
      in: fc.constantFrom(...among),
      at: fc.nat(20),
      to: fc.nat(20),
      pick: fc.nat(3),
    })
    .map(({ pick, ...rest }) => ({ ...rest, name: names[rest.in][pick] ?? "" }));

const rarely = fc.integer({ min: 0, max: 2 }).map((number) => number === 0);

const steps = (among: readonly Kind[]): fc.Arbitrary<Step> =>
  fc.record({
    mutation: mutations(among),
    fresh: rarely,
    looks: rarely,
    pick: fc.nat(1_000),
    way: fc.oneof(
      { weight: 7, arbitrary: fc.constant("native" as const) },
      { weight: 2, arbitrary: fc.constant("meanwhile" as const) },
      { weight: 1, arbitrary: fc.constant("pointer" as const) },
    ),
  });

const stepsPerRun = 50;
const seed = 20_251_115;
const honest: readonly unknown[] = ["snapshot_expired", "uid_not_found"];

const toolkits = [
  ["gtk3", "GTK3 Mutating", kinds, 10],
  ["gtk4", "GTK4 Mutating", kinds, 5],
  ["qt5", "Qt5 Mutating", ["buttons", "rows"], 5],
  ["qt6", "Qt6 Mutating", ["buttons", "rows"], 5],
] as const satisfies readonly (readonly [string, string, readonly Kind[], number])[];

describe.each(toolkits)("%s", { concurrent: true }, (toolkit, title, among, runs) => {
  test(
    `a ref reaches its own element or none, over ${runs * stepsPerRun} mutations [S3-11]`,
    { timeout: 600_000 },
    async ({ expect }) => {
      await using stage = await openStage();
      const count = { reached: 0, refused: 0 };
      const property = fc.asyncProperty(
        fc.array(steps(among), { minLength: stepsPerRun, maxLength: stepsPerRun }),
        async (list) => {
          await using app = await MutatingApp.start(toolkit, title, stage.env, stage.handsight);
          let refs = await app.snapshot(expect);
          for (const step of list) {
            if (step.fresh) refs = together(expect, refs, await app.snapshot(expect));
            const known = refs[step.pick % refs.length];
            if (!known) throw new Error("the snapshot has nothing to use");
            count[await useAround(stage, expect, app, known, step)]++;
          }
        },
      );
      const options = { seed, numRuns: runs, endOnFailure: true };
      const { failed, counterexamplePath, errorInstance } = await fc.check(property, options);
      // Not fc.assert: its message would be 50 steps long, and the last step is enough.
      const told = errorInstance instanceof Error ? errorInstance.message : JSON.stringify(errorInstance);
      if (failed) throw new Error(`${toolkit}, seed ${seed}, path "${counterexamplePath}": ${told}`);
      process.stdout.write(`${toolkit}: ${count.reached} times its own element, ${count.refused} times none\n`);
      expect(count.reached + count.refused).toBe(runs * stepsPerRun);
      // Refusing everything, or never having to, would prove nothing.
      expect(count.reached).toBeGreaterThan(runs * 10);
      expect(count.refused).toBeGreaterThan(runs * 2);
    },
  );
});

// Enough for refs that are several snapshots old.
const mostRefs = 40;

/** Refs of earlier snapshots stay in use. A ref that a later one repeats must name the same element. */
function together(expect: ExpectStatic, earlier: readonly Known[], later: readonly Known[]): readonly Known[] {
  for (const { ref, id } of later) {
    const before = earlier.find((each) => each.ref === ref);
    if (before) expect(id, `${ref} is the ref of two elements`).toBe(before.id);
  }
  const gone = earlier.filter(({ ref }) => !later.some((each) => each.ref === ref));
  return [...later, ...gone].slice(0, mostRefs);
}

async function useAround(
  { handsight }: Stage,
  expect: ExpectStatic,
  app: MutatingApp,
  known: Known,
  { mutation: change, way, looks }: Step,
): Promise<"reached" | "refused"> {
  const before = app.reactions;
  const changing = app.mutate(change);
  // A press is one call. But AT-SPI selects by position, and Qt 5 gives the path of one button to the next, so there
  // something may always change between asking and acting.
  const isMeanwhile = way === "meanwhile" && known.kind === "buttons" && !app.title.startsWith("Qt5");
  if (!isMeanwhile) await changing;
  if (looks) await handsight.call("find_elements", { window_title: app.title, role: "button" });
  const tool = way === "pointer" ? "click" : known.kind === "buttons" ? "ax_click" : "ax_select";
  const more = way === "pointer" ? { delivery: "foreground", settle_ms: 300 } : { settle_ms: 0 };
  const { isError, data } = await handsight.ask(tool, { uid: known.ref, ...more });
  await changing;
  await app.drained();
  const story = JSON.stringify({ tool, way, known, change, data });
  if (!isError) {
    await expect.poll(() => app.reached(before), { timeout: 5_000, message: story }).toEqual([known.id]);
    return "reached";
  }
  expect(honest, story).toContain((data as { error: { code: string } }).error.code);
  // Removed at the very moment it was pressed: the press may still have reached it.
  const allowed = isMeanwhile ? [[], [known.id]] : [[]];
  expect(allowed, story).toContainEqual(app.reached(before));
  return "refused";
}

const tabs = ["Basics", "Lists", "Table", "Extras"] as const;
const controls = [
  ["gtk3", "GTK3 Controls"],
  ["gtk4", "GTK4 Controls"],
  ["qt5", "Qt5 Controls"],
  ["qt6", "Qt6 Controls"],
] as const;

describe.each(controls)("%s", { concurrent: true }, (toolkit, title) => {
  test(
    "stable ids find at least 95 % of the elements again after a restart",
    { timeout: 240_000 },
    async ({ expect }) => {
      await using stage = await openStage();
      let all = 0;
      const lost: string[] = [];
      for (const tab of tabs) {
        const before = await readStable(stage, expect, toolkit, title, tab);
        const after = new Map(
          (await readStable(stage, expect, toolkit, title, tab)).toReversed().map((each) => [each.id, each.what]),
        );
        all += before.length;
        lost.push(...before.filter(({ id, what }) => after.get(id) !== what).map(({ what }) => `${tab}: ${what}`));
      }
      const percent = Math.round(((all - lost.length) / all) * 1_000) / 10;
      process.stdout.write(`${toolkit}: ${percent} % of ${all} elements found again by stable id\n`);
      expect(all).toBeGreaterThan(100);
      expect(percent, lost.join("\n")).toBeGreaterThanOrEqual(95);
    },
  );
});

describe.each(controls)("%s", { concurrent: true }, (toolkit, title) => {
  test(
    "a ref to a row that was scrolled away never reaches the row that took its place",
    { timeout: 120_000 },
    async ({ expect }) => {
      await using stage = await openStage();
      const { env, handsight } = stage;
      const args = ["--tab", "Table", "--rows", "2000", "--geometry", "500x400"];
      await using app = await startFixture(`${toolkit}_controls`, { env, args });
      await app.waitFor(({ event }) => event === "ready", 20_000);
      await handsight.call("wait_for", { window_title: title, timeout_ms: 20_000 });
      const search = { selector: "Cell[name^=Record ]", window_title: title, max_results: 200 };
      let rows: readonly { readonly uid: string; readonly name: string }[] = [];
      await expect
        .poll(
          async () => {
            rows = (await handsight.call("find_elements", search))["elements"] as typeof rows;
            return rows.length;
          },
          { timeout: 20_000 },
        )
        .toBeGreaterThan(8);
      // Qt keeps the earlier selection, and GTK 4 starts with the first row selected.
      const selected = new Set<unknown>(["Record 1"]);
      let refused = 0;
      for (const amount of [0, 5, 40, 90]) {
        const at = await handsight.call("find_elements", { selector: "Cell", window_title: title, max_results: 30 });
        const [place] = (at["elements"] as { click_point: { x: number; y: number } }[]).slice(-1);
        if (amount > 0) await handsight.call("scroll", { ...place?.click_point, direction: "down", amount });
        for (const { uid, name } of rows.slice(0, 8)) {
          const before = app.events.length;
          const { isError, data } = await handsight.ask("ax_select", { uid, settle_ms: 0 });
          const added = () =>
            app.events
              .slice(before)
              .flatMap((event) => (event.event === "selected" ? [event["name"]] : []))
              .filter((each) => !selected.has(each));
          if (isError) {
            refused++;
            expect(honest).toContain((data as { error: { code: string } }).error.code);
          } else {
            const message = `after ${amount}: ${JSON.stringify(data)}`;
            await expect.poll(() => [...selected, ...added()], { message }).toContain(name);
          }
          expect(added().filter((each) => each !== name)).toEqual([]);
          for (const each of added()) selected.add(each);
        }
      }
      process.stdout.write(`${toolkit}: ${refused} of 32 rows refused after scrolling\n`);
    },
  );
});

interface StableLine {
  readonly stable_id: string;
  readonly role: string;
  readonly name: string;
  readonly depth: number;
  readonly bounds?: Rect;
}

/** Every element of a freshly started app: its stable id, what it is, and where it is in its window. */
async function readStable(
  { env, handsight }: Stage,
  expect: ExpectStatic,
  toolkit: string,
  title: string,
  tab: string,
) {
  await using app = await startFixture(`${toolkit}_controls`, {
    env,
    args: ["--tab", tab, "--rows", "200"],
  });
  await app.waitFor(({ event }) => event === "ready", 20_000);
  await handsight.call("wait_for", { window_title: title, timeout_ms: 20_000 });
  let told: readonly { readonly id: string; readonly what: string }[] = [];
  await expect
    .poll(
      async () => {
        const last = told;
        const args = { window_title: title, format: "json", max_nodes: 5_000 };
        const { elements } = (await handsight.call("take_ax_snapshot", args)) as { elements: StableLine[] };
        const corner = elements[0]?.bounds;
        told = elements.map(({ stable_id, role, name, depth, bounds }) => {
          const place = bounds && corner ? `${bounds.x - corner.x},${bounds.y - corner.y}` : "nowhere";
          return { id: stable_id, what: `${role} "${name}" at ${place}, depth ${depth}` };
        });
        return told.length > 10 && JSON.stringify(told) === JSON.stringify(last);
      },
      { timeout: 30_000, interval: 150 },
    )
    .toBe(true);
  await app.stop();
  await handsight.call("wait_for", { condition: "window_closed", window_title: title, timeout_ms: 20_000 });
  return told;
}
