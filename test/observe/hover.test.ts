import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { centre, contains, type Rect } from "../../src/base/geometry.ts";
import { controlsOf, openGrid } from "../support/grid.ts";
import type { Handsight } from "../support/handsight.ts";
import { openApp } from "../support/open-app.ts";
import { openPerson } from "../support/person.ts";

const poll = 150;

interface HoverEvent {
  readonly timestamp_ms: number;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly element: {
    readonly role: string;
    readonly name: string;
    readonly bounds: Rect;
    readonly app_name: string;
    readonly pid: number;
    readonly source: string;
  };
  readonly dwell_ms: number;
}

interface Found {
  readonly name: string;
  readonly role: string;
  readonly bounds: Rect;
}

/** How often an app is asked what is at a point: the first question of each search goes to its window. */
async function countQuestions(env: NodeJS.ProcessEnv) {
  const rule = "type='method_call',member='GetAccessibleAtPoint'";
  const ask = ["--session", "--print-reply=literal", "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress"];
  const address = execFileSync("dbus-send", ask, { env, encoding: "utf8" }).trim();
  const monitor = spawn("dbus-monitor", ["--address", address, rule], { env });
  onTestFinished(() => void monitor.kill());
  const paths: string[] = [];
  const lines = createInterface({ input: monitor.stdout });
  lines.on("line", (line) => {
    const [, path] = /member=GetAccessibleAtPoint/.test(line) ? (/path=([^;]+)/.exec(line) ?? []) : [];
    if (path !== undefined) paths.push(path);
  });
  // It reports its own name once it listens.
  await new Promise((resolve) => lines.once("line", resolve));
  return () => paths.filter((path) => path === paths[0]).length;
}

interface Visit {
  readonly name: string;
  readonly ms: number;
}

/** How long the pointer was on each control. A busy app learns that late, so the one who moved it says when. */
function visitsOf(
  trail: ReturnType<typeof openPerson>["trail"],
  controls: readonly Pick<Found, "name" | "bounds">[],
): readonly Visit[] {
  const nameAt = (point: { readonly x: number; readonly y: number }) =>
    controls.find(({ bounds }) => contains(bounds, point))?.name;
  const arrivals = trail
    .map(({ at, point }) => ({ at, name: nameAt(point) }))
    .filter(({ name }, index, all) => name !== all[index - 1]?.name);
  return arrivals.flatMap(({ at, name }, index) => {
    const left = arrivals[index + 1];
    return name === undefined || !left ? [] : [{ name, ms: left.at - at }];
  });
}

/** Each event with the visit that it is about, in order. */
function pairUp(visits: readonly Visit[], events: readonly HoverEvent[]) {
  let from = 0;
  return events.flatMap((event) => {
    const index = visits.findIndex(({ name }, at) => at >= from && name === event.element.name);
    const visit = visits[index];
    if (!visit) return [];
    from = index + 1;
    return [{ visit, event }];
  });
}

test("notes what the pointer dwells on and for how long, and asks the app once per pause [S2-79, S2-80…S2-86, S2-88, S2-5g]", async () => {
  const shortest = 300;
  const { desktop, handsight, app } = await openApp("gtk4_grid", "Grid");
  await using person = openPerson(desktop.env);
  const found = (await handsight.call("find_elements", { role: "button", window_title: "Grid", max_results: 50 }))[
    "elements"
  ] as readonly Found[];
  const controls = found.filter(({ name }) => name.startsWith("Control"));
  expect(controls).toHaveLength(20);
  const questions = await countQuestions(desktop.env);
  await person.moveTo({ x: 5, y: 790 });
  await handsight.call("start_hover_tracking", { poll_interval_ms: poll, min_dwell_ms: shortest });
  const path = controls.map((_, index) => controls[(index * 7) % 20] as Found);
  let pauses = 1;
  for (const [turn, control] of path.entries()) {
    if (turn % 4 === 1) {
      // Too short to count.
      await person.moveTo(centre((path[(turn + 9) % 20] as Found).bounds));
      await person.rest(60);
      pauses++;
    }
    await person.moveTo(centre(control.bounds));
    // Longer than the shortest by more than the times may be off.
    await person.rest(shortest + poll + 20 + (turn % 3) * 60);
    pauses++;
  }
  const first = await handsight.call("get_hover_events", { max_events: 5 });
  expect(first).toMatchObject({ active: true, current: { element: { name: path.at(-1)?.name } } });
  await person.moveTo({ x: 5, y: 790 });
  const rest = await handsight.call("stop_hover_tracking");
  // A person may also pause between two controls.
  const events = [first, rest]
    .flatMap((each) => each["events"] as readonly HoverEvent[])
    .filter(({ element }) => element.name.startsWith("Control"));
  expect(first["events"]).toHaveLength(5);
  expect(first["more"]).toBeGreaterThan(0);

  // Of a stay about as long as the shortest, either may be right.
  const visits = visitsOf(person.trail, controls).filter(({ ms }) => ms >= shortest - poll);
  const seen = pairUp(visits, events);
  expect(seen.map(({ event }) => event)).toEqual(events);
  const unseen = visits.filter((visit) => !seen.some((each) => each.visit === visit));
  expect(unseen.filter(({ ms }) => ms >= shortest + poll)).toEqual([]);
  expect(events.map(({ element }) => element.name)).toEqual(expect.arrayContaining(path.map(({ name }) => name)));
  const entered = app.events.filter(({ event }) => event === "enter").map(({ name }) => name);
  expect(entered).toEqual(expect.arrayContaining(path.map(({ name }) => name)));
  for (const { visit, event } of seen) {
    expect(event.dwell_ms).toBeGreaterThanOrEqual(shortest);
    expect(
      Math.abs(event.dwell_ms - visit.ms),
      `${event.dwell_ms} ms, the person says ${visit.ms}`,
    ).toBeLessThanOrEqual(poll);
  }
  expect(questions()).toBeGreaterThanOrEqual(20);
  expect(questions()).toBeLessThanOrEqual(pauses + 1);

  const [{ cursor, element } = {} as HoverEvent] = events;
  expect(element).toMatchObject({ role: "button", pid: app.pid, source: "accessibility" });
  const { element: there } = await handsight.call("element_at_point", { ...cursor });
  expect(there).toMatchObject({ name: element.name });
});

/** Follows a path over these controls, resting on each until it was noticed. */
async function restOnEach(
  handsight: Handsight,
  person: ReturnType<typeof openPerson>,
  places: readonly { readonly name: string; readonly at: { readonly x: number; readonly y: number } }[],
): Promise<readonly HoverEvent[]> {
  await handsight.call("start_hover_tracking", { poll_interval_ms: poll, min_dwell_ms: 0 });
  const events: HoverEvent[] = [];
  const currentName = async () => {
    const told = await handsight.call("get_hover_events");
    events.push(...(told["events"] as readonly HoverEvent[]));
    return (told["current"] as HoverEvent | undefined)?.element.name;
  };
  for (const { name, at } of places) {
    await person.moveTo(at);
    await expect.poll(currentName, { timeout: 20_000 }).toBe(name);
  }
  await person.moveTo({ x: 5, y: 790 });
  await expect.poll(currentName).not.toBe(places.at(-1)?.name);
  const rest = await handsight.call("stop_hover_tracking");
  return [...events, ...(rest["events"] as readonly HoverEvent[])];
}

test.each(["qt6", "chromium"] as const)("over %s it notes the same as the app does", async (kind) => {
  const { desktop, handsight, app } = await openGrid(kind);
  await using person = openPerson(desktop.env);
  const controls = await controlsOf(handsight);
  const path = [0, 13, 6, 19, 2, 8].map((index) => controls[index] as Found);
  await person.moveTo({ x: 5, y: 790 });
  const events = await restOnEach(
    handsight,
    person,
    path.map(({ name, bounds }) => ({ name, at: centre(bounds) })),
  );
  const onControls = events.filter(({ element }) => element.name.startsWith("Control"));
  expect(onControls.map(({ element }) => element.name)).toEqual(path.map(({ name }) => name));
  const entered = app.events.filter(({ event }) => event === "enter").map(({ name }) => name);
  expect(entered).toEqual(expect.arrayContaining(path.map(({ name }) => name)));
  const visits = visitsOf(person.trail, controls);
  for (const { element, dwell_ms: ms } of onControls) {
    expect(element).toMatchObject({ role: "button", pid: app.pid, source: "accessibility" });
    const longest = Math.max(...visits.filter(({ name }) => name === element.name).map((visit) => visit.ms));
    expect(Math.abs(ms - longest), `${element.name}: ${ms} ms, the person says ${longest}`).toBeLessThanOrEqual(poll);
  }
});

test("where an app has no elements, it notes the text that is read under the pointer", async () => {
  const { desktop, handsight } = await openApp("gtk3_painted", "Painted");
  const tick = spawn("wish", [fileURLToPath(new URL("../fixtures/tick.tcl", import.meta.url))], { env: desktop.env });
  onTestFinished(() => void tick.kill());
  await handsight.call("wait_for", { window_title: "Tk Tick" });
  await using person = openPerson(desktop.env);
  const places = await Promise.all(
    [
      { text: "High scores", window_title: "Painted" },
      { text: "Open dialog", window_title: "Tk Tick" },
      { text: "Quit", window_title: "Painted" },
    ].map(async (wanted) => {
      const { matches } = await handsight.call("find_text", wanted);
      return { name: wanted.text, at: (matches as { x: number; y: number }[])[0] ?? { x: 0, y: 0 } };
    }),
  );
  const events = await restOnEach(handsight, person, places);
  const texts = events.filter(({ element }) => element.source === "ocr");
  expect(texts.map(({ element }) => element.name)).toEqual(places.map(({ name }) => name));
  for (const [index, { element }] of texts.entries()) {
    expect(element).toMatchObject({ role: "text" });
    expect(contains(element.bounds, places[index]?.at ?? { x: 0, y: 0 })).toBe(true);
  }
});
