import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { toolkits, type Toolkit } from "../support/accessible.ts";
import { startFixture, type Fixture, type FixtureEvent } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

/** How a toolkit differs. Everything not listed here is the same in all of them. */
const expectations: Readonly<Partial<Record<Toolkit, readonly { readonly differs: Difference; because: string }[]>>> = {
  gtk4: [
    { differs: "toggle by pointer", because: "GTK 4.8 check boxes offer no native action" },
    { differs: "moved may be refused", because: "GTK 4 gives an element another path when its parent changes" },
  ],
  qt5: [
    {
      differs: "moved may be refused",
      because: "Qt 5 gives a path to another element once the first is gone, so one that shows anew may be another",
    },
    { differs: "every toggle by pointer", because: "Qt apps hear of a native toggle, but not of a click" },
  ],
  qt6: [{ differs: "every toggle by pointer", because: "Qt apps hear of a native toggle, but not of a click" }],
};
type Difference = "toggle by pointer" | "every toggle by pointer" | "moved may be refused";

interface Element {
  readonly uid: string;
  readonly stable_id: string;
  readonly role: string;
  readonly name: string;
  readonly value?: string | number;
  readonly bounds?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly click_point?: { readonly x: number; readonly y: number };
}

let desktop: VirtualDesktop;
let handsight: Handsight;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  handsight = await startHandsight(desktop.env);
});

afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
});

/** A running controls app, on which only `act` is used. */
class Stage {
  readonly app: Fixture;

  constructor(app: Fixture) {
    this.app = app;
  }

  async elements(): Promise<readonly Element[]> {
    const query = { pid: this.app.pid, format: "json", max_nodes: 2_000 };
    return (await handsight.call("take_ax_snapshot", query))["elements"] as readonly Element[];
  }

  /** The element with that name from a new snapshot; of an element and its label, the element. */
  async find(name: string, role?: string): Promise<Element> {
    const look = async () => {
      const named = (await this.elements().catch(unlessBusy)).filter(
        (each) => each.name === name && (role ?? each.role) === each.role,
      );
      return named.find((each) => each.role !== "text" && each.bounds) ?? named.find((each) => each.bounds);
    };
    const found = await poll(look, { timeoutMs: 10_000, everyMs: 50 });
    if (!found) throw new Error(`no ${role ?? "element"} "${name}" in ${JSON.stringify(await this.elements())}`);
    return found;
  }

  act(action: string, fields: object = {}): Promise<Record<string, unknown>> {
    return handsight.call("act", { action, ...fields });
  }

  async says(expected: object): Promise<FixtureEvent> {
    const wanted = Object.entries(expected);
    return this.app.waitFor((event) => wanted.every(([field, value]) => event[field] === value));
  }

  async openTab(name: string): Promise<void> {
    const { uid } = await this.find(name, "tab");
    await this.act("click", { uid });
    await this.says({ event: "tab", name });
  }
}

/** An app that is busy starting may miss the deadline of a question. */
function unlessBusy(error: unknown): readonly Element[] {
  if ((error as { code?: string }).code === "timeout") return [];
  throw error;
}

/** Starts an app, and waits until its tree is complete and stable. */
async function start(toolkit: Toolkit, ...args: string[]): Promise<Stage> {
  const app = await startFixture(`${toolkit}_controls`, { env: desktop.env, args: ["--rows", "50", ...args] });
  const stage = new Stage(app);
  try {
    await app.waitFor(({ event }) => event === "ready", 20_000);
    await handsight.call("wait_for", { condition: "window_active", pid: app.pid, timeout_ms: 20_000 });
    let last = "";
    const isStill = await poll(
      async () => {
        const now = JSON.stringify(
          (await stage.elements().catch(unlessBusy)).map(({ name, bounds }) => [name, bounds]),
        );
        const isSame = now === last && now.includes("Extras");
        last = now;
        return isSame ? true : undefined;
      },
      { timeoutMs: 20_000, everyMs: 80 },
    );
    expect(isStill, `${toolkit} settled`).toBe(true);
    return stage;
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/** An app for one test. */
async function open(toolkit: Toolkit, ...args: string[]): Promise<Stage> {
  const stage = await start(toolkit, ...args);
  onTestFinished(() => stage.app.stop());
  return stage;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function expectMiddle({ x, y }: Point, { bounds }: Element): void {
  if (!bounds) throw new Error("no bounds");
  expect(Math.abs(x - bounds.x - bounds.width / 2)).toBeLessThanOrEqual(1);
  expect(Math.abs(y - bounds.y - bounds.height / 2)).toBeLessThanOrEqual(1);
}

const differs = (toolkit: Toolkit, what: Difference): boolean =>
  expectations[toolkit]?.some((each) => each.differs === what) === true;

/** An action, what it is given, and what is missing. */
const incomplete = [
  ["click", [], "uid"],
  ["set_value", ["value"], "uid"],
  ["set_value", ["uid"], "value"],
  ["type", ["text"], "uid"],
  ["type", ["uid"], "text"],
  ["key", ["uid"], "key"],
  ["scroll", ["direction"], "uid"],
  ["scroll", ["uid"], "direction"],
  ["drag", ["to_uid"], "uid"],
  ["drag", ["uid"], "to_uid"],
] as const;

describe.each(toolkits)("act on %s", (toolkit) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await start(toolkit);
  });
  afterAll(async () => {
    await stage?.app.stop();
  });

  test("click presses a button natively and says what changed [S4-68, S4-63]", async () => {
    const { uid } = await stage.find("Press me", "button");
    const pointer = await handsight.call("get_mouse_position");
    const result = await stage.act("click", { uid });
    expect(result).toMatchObject({
      ok: true,
      method: "ax",
      effect: "confirmed",
      changed: true,
      node_before: { role: "button", name: "Press me" },
      node_after: { role: "button", name: "Press me" },
    });
    expect(JSON.stringify(result["changes"])).toMatch(/Pressed 1|pixels/);
    await stage.says({ event: "pressed", name: "Press me", count: 1 });
    expect(await handsight.call("get_mouse_position")).toEqual(pointer);
  });

  test("click on a button that does nothing is changed: false [S4-63]", async () => {
    const before = stage.app.events.length;
    const { uid } = await stage.find("Do nothing", "button");
    expect(await stage.act("click", { uid })).toMatchObject({ ok: true, effect: "no_change", changed: false });
    expect(stage.app.events.length).toBe(before);
  });

  test("click switches a toggle and a check box [S4-67, S4-68]", async () => {
    for (const name of ["Toggle me", "Check me"]) {
      const { uid } = await stage.find(name);
      const byPointer =
        differs(toolkit, "every toggle by pointer") || (name === "Check me" && differs(toolkit, "toggle by pointer"));
      const result = await stage.act("click", { uid });
      expect(result, `click on ${name}`).toMatchObject({ ok: true, method: byPointer ? "input" : "ax", changed: true });
      await stage.says({ event: "toggled", name, on: true });
    }
  });

  test("a click by pointer hits the middle of the element [S4-64]", async () => {
    const fast = await stage.find("Fast");
    const result = await handsight.call("click", { uid: fast.uid, delivery: "foreground" });
    expect(result).toMatchObject({ method: "input", changed: true });
    const { x, y } = result["target"] as Point;
    expectMiddle({ x, y }, fast);
    expect(await handsight.call("get_mouse_position")).toEqual({ x, y });
    await stage.says({ event: "picked", name: "Fast" });
  });

  test("set_value moves a slider to the value [S4-69]", async () => {
    const { uid } = await stage.find("Volume", "slider");
    expect(await stage.act("set_value", { uid, value: 42 })).toMatchObject({
      ok: true,
      method: "ax",
      changed: true,
      node_before: { role: "slider", value: 0 },
      node_after: { role: "slider", value: 42 },
    });
    await stage.says({ event: "value", name: "Volume", value: 42 });
    expect(await stage.act("set_value", { uid, value: 42 })).toMatchObject({ ok: true, changed: false });
  });

  test("type puts the text into a field [S4-70]", async () => {
    const text = "Ann Øst 7";
    const { uid } = await stage.find("Username", "textbox");
    const result = await stage.act("type", { uid, text });
    expect(result).toMatchObject({ ok: true, method: "input", changed: true, node_after: { role: "textbox" } });
    expect((result["node_after"] as Element).value).toBe(text);
    await stage.says({ event: "text", name: "Username", text });
  });

  test("key presses a shortcut in the app: ctrl+a selects what the next text replaces [S4-71, S4-65]", async () => {
    const { uid } = await stage.find("Notes", "textbox");
    await stage.act("type", { uid, text: "all of this goes" });
    await stage.says({ event: "text", name: "Notes", text: "all of this goes" });
    const pressed = await stage.act("key", { key: "a", modifiers: ["ctrl"], pid: stage.app.pid });
    expect(pressed).toMatchObject({ ok: true, method: "input" });
    expect(pressed).not.toHaveProperty("node_after");
    await stage.act("type", { uid, text: "b" });
    await stage.says({ event: "text", name: "Notes", text: "b" });
    await stage.act("key", { key: "c", modifiers: ["shift"], pid: stage.app.pid });
    await stage.says({ event: "text", name: "Notes", text: "bC" });
  });

  test("an action without what it needs is refused, and nothing happens [S4-66]", async () => {
    const { uid } = await stage.find("Toggle me");
    const all = { uid, to_uid: uid, value: "x", text: "x", direction: "down" };
    const before = [stage.app.events.length, await handsight.call("get_mouse_position")];
    for (const [action, given, missing] of incomplete) {
      const fields = Object.fromEntries(given.map((name) => [name, all[name]]));
      await expect(stage.act(action, fields), `${action} without ${missing}`).rejects.toMatchObject({
        code: "invalid_argument",
        message: `${action} needs ${missing}.`,
      });
    }
    expect([stage.app.events.length, await handsight.call("get_mouse_position")]).toEqual(before);
  });

  test("an element is found by its uid, and by its stable id in later snapshots; no other is mistaken for it [S4-36, S4-62]", async () => {
    const play = await stage.find("Play", "button");
    expect(await stage.act("click", { uid: play.uid })).toMatchObject({
      changed: true,
      node_before: { name: "Play" },
      node_after: { name: "Pause" },
    });
    // The same element under its new name, by the old uid.
    expect(await stage.act("click", { uid: play.uid })).toMatchObject({ node_after: { name: "Play" } });
    const again = await stage.find("Play", "button");
    expect(again).toMatchObject({ stable_id: play.stable_id, uid: play.uid });
    const { pid } = stage.app;
    expect(await stage.act("click", { stable_id: play.stable_id, pid })).toMatchObject({
      node_before: { name: "Play" },
      node_after: { name: "Pause" },
    });
    await expect(stage.act("click", { stable_id: "nothing", pid })).rejects.toMatchObject({ code: "not_found" });
    const unknown = again.uid.replace(/\d+/, "9999");
    await expect(stage.act("click", { uid: unknown })).rejects.toMatchObject({ code: "uid_not_found" });
    await expect(stage.act("drag", { uid: again.uid, to_uid: unknown })).rejects.toMatchObject({
      code: "uid_not_found",
    });
  });

  test("actions sent at once are done one after the other", async () => {
    const elements = await stage.elements();
    const uidOf = (name: string) => elements.find((each) => each.name === name && each.role === "textbox")?.uid;
    const before = stage.app.events.length;
    const [a, b] = ["a".repeat(40), "b".repeat(40)];
    for (const name of ["Username", "Notes"]) await stage.act("set_value", { uid: uidOf(name), value: "" });
    await Promise.all([
      stage.act("type", { uid: uidOf("Username"), text: a }),
      stage.act("type", { uid: uidOf("Notes"), text: b }),
    ]);
    await stage.says({ event: "text", name: "Username", text: a });
    await stage.says({ event: "text", name: "Notes", text: b });
    const typed = stage.app.events.slice(before).filter(({ text }) => text !== "");
    const order = typed.map(({ name }) => String(name)).join(" ");
    expect(order).toMatch(/^(Username ?)+(Notes ?)+$/);
  });

  test("an element that moved in the tree is the same element, and no other is mistaken for it [S4-62, S4-17]", async () => {
    const moving = await open(toolkit);
    const { pid } = moving.app;
    const { uid, stable_id, bounds } = await moving.find("Press me", "button");
    process.kill(pid, "SIGUSR1");
    await moving.says({ event: "moved" });
    const already = moving.app.events.length;
    const outcome = (fields: object) =>
      moving.act("click", fields).then(
        ({ effect }) => String(effect),
        ({ code }: { code: string }) => code,
      );
    const outcomes = [await outcome({ uid }), await outcome({ stable_id, pid })];
    const reached = outcomes.filter((each) => each === "confirmed").length;
    const allowed = differs(toolkit, "moved may be refused")
      ? ["confirmed", "uid_not_found", "not_found"]
      : ["confirmed"];
    for (const each of outcomes) expect(allowed).toContain(each);
    const since = () => moving.app.events.slice(already).map(({ event, name }) => `${event} ${String(name)}`);
    await expect.poll(since, { timeout: 10_000 }).toEqual(Array.from({ length: reached }, () => "pressed Press me"));
    expect((await moving.find("Press me", "button")).bounds?.y).toBeGreaterThan(bounds?.y ?? 0);
  });

  test("a stable id reaches the same element in another run; an app that ended is distinguished [S4-62, S4-55]", async () => {
    const { stable_id } = await stage.find("Press me", "button");
    const before = stage.app.events.length;
    const another = await open(toolkit);
    const { pid } = another.app;
    expect(await another.act("click", { stable_id, pid })).toMatchObject({ ok: true, method: "ax" });
    await another.says({ event: "pressed", name: "Press me", count: 1 });
    expect(stage.app.events.length).toBe(before);

    const { uid } = await another.find("Username", "textbox");
    await another.app.stop();
    const ended = { code: "process_not_running" };
    await expect(another.act("click", { uid })).rejects.toMatchObject(ended);
    await expect(another.act("set_value", { uid, value: "x" })).rejects.toMatchObject(ended);
    await expect(another.act("type", { uid, text: "x" })).rejects.toMatchObject(ended);
    await expect(another.act("scroll", { uid, direction: "up" })).rejects.toMatchObject(ended);
    await expect(another.act("click", { stable_id, pid })).rejects.toMatchObject({ code: "not_found" });
    await expect(another.act("key", { key: "a", pid })).rejects.toMatchObject({ code: "not_found" });
    expect(stage.app.events.length).toBe(before);
  });

  test("every action, from the tree to what the app says [S4-67, S4-72, S4-73, S4-74, S4-64]", async () => {
    const results = new Map<string, Record<string, unknown>>();
    const run = async (action: string, fields: object) => {
      const result = await stage.act(action, fields);
      results.set(action, result);
      return result;
    };
    const before = stage.app.events.length;
    await run("click", { uid: (await stage.find("Press me", "button")).uid });
    expect((await stage.find("Toggle me")).role).toMatch(/button|checkbox/);
    await run("set_value", { uid: (await stage.find("Volume", "slider")).uid, value: 10 });
    await run("type", { uid: (await stage.find("Username", "textbox")).uid, text: "end to end" });
    await run("key", { key: "a", modifiers: ["ctrl"], pid: stage.app.pid });

    await stage.openTab("Lists");
    await run("scroll", { uid: (await stage.find("Fruits", "list")).uid, direction: "down" });
    await stage.says({ event: "scrolled", name: "Fruits" });

    await stage.openTab("Extras");
    await stage.find("Drop here");
    const elements = await stage.elements();
    const source = elements.find(({ name, bounds }) => name === "Drag me" && bounds);
    const zone = elements.find(({ name, bounds }) => name === "Drop here" && bounds);
    if (!source || !zone) throw new Error("nothing to drag");
    const drag = await run("drag", { uid: source.uid, to_uid: zone.uid });
    expect(drag).toMatchObject({
      effect: "confirmed",
      changed: true,
      node_before: { name: "Drop here" },
      node_after: { name: "Dropped 1" },
    });
    expectMiddle(drag["target"] as Point, source);
    expectMiddle((await handsight.call("get_mouse_position")) as unknown as Point, zone);

    expect([...results.keys()]).toEqual(["click", "set_value", "type", "key", "scroll", "drag"]);
    for (const [action, result] of results) {
      expect(result, `result of ${action}`).toMatchObject({ ok: true, method: expect.stringMatching(/^(ax|input)$/) });
      if (action !== "key")
        expect(result["node_after"], `node after ${action}`).toMatchObject({ role: expect.any(String) });
    }
    expect(results.get("set_value")).toMatchObject({ bbox: { w: expect.any(Number) } });
    expect(results.get("type")).toMatchObject({ characters: "end to end".length });
    expect(results.get("key")).toMatchObject({ keys: ["ctrl", "a"] });
    expect(results.get("scroll")).toMatchObject({ notches: { x: 0, y: 3 } });
    expectMiddle(drag["end"] as Point, zone);
    const told = () => stage.app.events.slice(before).map(({ event }) => event);
    const all = ["pressed", "value", "text", "scrolled", "dropped"];
    await expect.poll(told, { timeout: 10_000 }).toEqual(expect.arrayContaining(all));
  });
});
