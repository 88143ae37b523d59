import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { centre, contains, screenPoint } from "../../src/base/geometry.ts";
import type { NodeAction, UiNode } from "../../src/base/node.ts";
import { startFixture } from "../support/fixture.ts";
import { openAccessibleDesktop, toolkits, type AccessibleDesktop, type Controls } from "../support/accessible.ts";

let desktop: AccessibleDesktop;

beforeAll(async () => {
  desktop = await openAccessibleDesktop();
});

afterAll(async () => {
  await desktop[Symbol.asyncDispose]();
});

async function click(node: UiNode): Promise<void> {
  if (!node.clickPoint) throw new Error(`${node.name} has no click point`);
  await desktop.pointer.move(node.clickPoint);
  await desktop.pointer.down("left");
  await desktop.pointer.up("left");
}

const set = (value: string | number | boolean): NodeAction => ({ name: "set_value", value });
const setText = "EditableText.SetTextContents";

/** The role of each control that is not the same everywhere. */
const unusualRoles: Readonly<Record<string, Partial<Record<string, string>>>> = {
  "Toggle me": { gtk3: "togglebutton", gtk4: "button", qt5: "checkbox", qt6: "checkbox" },
  Slow: { gtk4: "checkbox" },
  File: { gtk3: "menu" },
};
const usualRoles: Readonly<Record<string, string>> = {
  "Press me": "button",
  "Check me": "checkbox",
  "Toggle me": "togglebutton",
  Slow: "radio",
  Volume: "slider",
  Quantity: "spinbutton",
  Username: "textbox",
  Password: "textbox",
  Notes: "textbox",
  Colour: "combobox",
  Basics: "tab",
  File: "menuitem",
};

describe.each(toolkits)("the elements of a %s window", (toolkit) => {
  let app: Controls;
  beforeAll(async () => {
    app = await desktop.start(toolkit);
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
  });

  test("have one vocabulary of roles, whatever the toolkit calls them [S2-8]", async () => {
    const { nodes } = await app.tree();
    for (const [name, usual] of Object.entries(usualRoles)) {
      const role = unusualRoles[name]?.[toolkit] ?? usual;
      expect(nodes.filter((node) => node.name === name).map((node) => node.role)).toContain(role);
    }
    expect(nodes[0]).toMatchObject({ role: "window", name: expect.stringContaining("Controls"), pid: app.pid });
  });

  test("come parents first, each once, and only visible ones", async () => {
    const { nodes, omitted } = await app.tree();
    const seen = new Set<string>();
    for (const { runtimeId, parent } of nodes) {
      expect(seen.has(runtimeId)).toBe(false);
      if (parent !== undefined) expect(seen.has(parent)).toBe(true);
      seen.add(runtimeId);
    }
    const names = nodes.map(({ name }) => name);
    expect(names).not.toContain("Hidden");
    expect(names).not.toContain("Fruit 1");
    expect(names).not.toContain("Save");
    expect(omitted).toEqual([]);
  });

  test("are inside their window, and have a point to click", async () => {
    const { nodes } = await app.tree();
    const window = nodes[0]?.bounds;
    if (!window) throw new Error("the window has no bounds");
    const placed = nodes.filter((node) => node.bounds);
    expect(placed.length).toBeGreaterThan(25);
    for (const { clickPoint } of placed) expect(clickPoint && contains(window, clickPoint)).toBe(true);
  });

  test("are where a click reaches them", async () => {
    const before = app.fixture.events.length;
    const happened = () => app.fixture.events.slice(before).map(({ event, name }) => `${event} ${String(name)}`);
    const hears = (what: string) =>
      poll(() => Promise.resolve(happened().includes(what) || undefined), { timeoutMs: 5000, everyMs: 20 });
    await click(await app.find("Press me"));
    await hears("pressed Press me");
    await click(await app.find("Check me"));
    await hears("toggled Check me");
    expect(happened()).toEqual(["pressed Press me", "toggled Check me"]);
    await app.perform("Check me", { name: "toggle" });
  });

  test("say what is disabled, and offer nothing to do with it", async () => {
    const disabled = await app.find("Disabled", "button");
    expect(disabled.states).not.toContain("enabled");
    expect(disabled.actions).toEqual([]);
    expect(await app.perform("Disabled", { name: "press" })).toBe("not_dispatchable");
    expect((await app.find("Press me")).states).toContain("enabled");
  });

  test("are pressed without the pointer [S4-68]", async () => {
    const pointer = await desktop.pointer.position();
    const before = app.fixture.events.filter(({ event }) => event === "pressed").length;
    expect(await app.perform("Press me", { name: "press" }, "button")).toMatch(/^Action.DoAction/);
    await app.fixture.waitFor(({ event, count }) => event === "pressed" && count === before + 1);
    expect(await desktop.pointer.position()).toEqual(pointer);
    await app.find(`Pressed ${before + 1}`);
  });

  test("can change their name without becoming others", async () => {
    const play = await app.find("Play", "button");
    await app.perform("Play", { name: "press" }, "button");
    await app.fixture.waitFor(({ event, name }) => event === "renamed" && name === "Pause");
    expect((await app.find("Pause", "button")).runtimeId).toBe(play.runtimeId);
    await app.perform("Pause", { name: "press" }, "button");
  });

  test("take numbers, and have them afterwards [S4-69]", async () => {
    expect(await app.perform("Volume", set(42), "slider")).toBe("Value.CurrentValue");
    expect(await app.perform("Quantity", set(7), "spinbutton")).toBe("Value.CurrentValue");
    expect(await app.find("Volume", "slider")).toMatchObject({ value: 42, range: { min: 0, max: 100 } });
    expect(await app.find("Quantity", "spinbutton")).toMatchObject({ value: 7 });
    const told = app.fixture.events.filter(({ event }) => event === "value").map(({ name, value }) => [name, value]);
    expect(told.slice(-2)).toEqual([
      ["Volume", 42],
      ["Quantity", 7],
    ]);
  });

  test("refuse a number beyond their range", async () => {
    expect(await app.perform("Volume", set(101), "slider")).toBe("invalid_argument");
  });

  test("take any text, and have it afterwards [S4-70]", async () => {
    const text = "Héllo wörld 你好 🎉 ß";
    expect(await app.perform("Username", set(text), "textbox")).toBe(setText);
    const field = await app.find("Username", "textbox");
    expect(field.value).toBe(text);
    expect((await app.read(field)).value).toBe(text);
    expect(await desktop.elements.text(field.runtimeId, { maxChars: 5 })).toEqual({
      text: "Héllo",
      length: toolkit.startsWith("qt") ? text.length : [...text].length,
    });
    await app.fixture.waitFor(
      ({ event, name, text: told }) => event === "text" && name === "Username" && told === text,
    );
  });

  test("never reveal what is in a password field", async () => {
    expect(await app.perform("Password", set("hunter2"), "textbox")).toBe(setText);
    await app.fixture.waitFor(({ event, length }) => event === "secret" && length === 7);
    const field = await app.find("Password", "textbox");
    expect(field.states).toContain("password");
    expect(field.value).toBeUndefined();
    expect((await app.read(field)).value).toBeUndefined();
    expect(await desktop.elements.text(field.runtimeId, { maxChars: 100 })).toBeUndefined();
    expect(JSON.stringify((await app.tree()).nodes)).not.toMatch(/hunter2|•{3}|●{3}/);
  });

  test("toggle, and are seen to have toggled", async () => {
    const before = (await app.find("Toggle me")).states;
    expect(await app.perform("Toggle me", { name: "toggle" })).toMatch(/^Action.DoAction/);
    const after = (await app.find("Toggle me")).states;
    const isOn = (states: readonly string[]) => states.includes("checked") || states.includes("pressed");
    expect(isOn(after)).toBe(!isOn(before));
    await app.fixture.waitFor(
      ({ event, name, on }) => event === "toggled" && name === "Toggle me" && on === isOn(after),
    );
    // In GTK 4.8 check boxes have no native action.
    const box = await app.find("Check me");
    const outcome = await app.perform("Check me", { name: "toggle" });
    expect(outcome).toMatch(toolkit === "gtk4" ? /not_dispatchable/ : /DoAction/);
    expect(isOn((await app.read(box)).states)).toBe(toolkit === "gtk4" ? isOn(box.states) : !isOn(box.states));
  });

  test("are picked from a group, and not mistaken for the tab they are on", async () => {
    const outcome = await app.perform("Fast", { name: "select" });
    // In GTK 4.8 radio buttons are check boxes without an action.
    expect(outcome).toMatch(toolkit === "gtk4" ? /no_row_ancestor/ : /DoAction/);
    if (toolkit === "gtk4") return;
    await app.fixture.waitFor(({ event, name }) => event === "picked" && name === "Fast");
    expect((await app.find("Fast")).states).toContain("checked");
    expect(await app.perform("Press me", { name: "select" }, "button")).toBe("no_row_ancestor");
  });

  test("say what is chosen in a combo box", async () => {
    expect((await app.find("Colour", "combobox")).value).toBe("Red");
    const outcome = await app.perform("Colour", set("Green"), "combobox");
    expect(outcome).toBe(toolkit === "gtk3" ? "Selection.SelectChild" : "not_dispatchable");
    if (toolkit !== "gtk3") return;
    await app.fixture.waitFor(({ event, item }) => event === "chosen" && item === "Green");
    expect((await app.find("Colour", "combobox")).value).toBe("Green");
  });

  test("take the focus, and are found by it", async () => {
    const outcome = await app.perform("Notes", { name: "focus" }, "textbox");
    // GTK 4.8 has no GrabFocus.
    expect(outcome).toBe(toolkit === "gtk4" ? "not_dispatchable" : "Component.GrabFocus");
    if (toolkit === "gtk4") await click(await app.find("Notes", "textbox"));
    const focused = await poll(
      async () => {
        const node = await desktop.elements.focused();
        return node?.name === "Notes" ? node : undefined;
      },
      { timeoutMs: 5000, everyMs: 30 },
    );
    expect(focused).toMatchObject({ role: "textbox", name: "Notes" });
    expect(focused?.states).toContain("focused");
  });

  test.each(["Press me", "Volume", "Username", "Ready", "Lists"])("are found by a point: %s [S2-36]", async (name) => {
    const node = name === "Ready" ? (await app.tree()).nodes.at(-1) : await app.find(name);
    if (!node?.clickPoint) throw new Error("nothing to point at");
    const chain = await desktop.elements.at(node.clickPoint);
    expect(chain.slice(0, 2).map(({ runtimeId }) => runtimeId)).toContain(node.runtimeId);
    expect(chain.at(-1)).toMatchObject({ role: "window", pid: app.pid });
    chain.slice(0, -1).forEach((each, index) => expect(each.parent).toBe(chain[index + 1]?.runtimeId));
  });

  test("are fewer than a budget allows, with the rest counted by parent", async () => {
    const whole = await app.tree();
    const cut = await app.tree(15);
    expect(cut.nodes.length).toBe(15);
    const known = new Set(cut.nodes.map(({ runtimeId }) => runtimeId));
    for (const { parent, count } of cut.omitted) {
      expect(known.has(parent)).toBe(true);
      expect(count).toBeGreaterThan(0);
    }
    expect(cut.omitted.length).toBeGreaterThan(0);
    expect(whole.nodes.length).toBeGreaterThan(15);
  });

  test("can be asked for below one of them", async () => {
    const field = await app.find("Press me", "button");
    const { nodes } = await desktop.elements.tree(desktop.elements.scope({ pid: app.pid }), {
      maxNodes: 100,
      root: field.parent,
    });
    expect(nodes[0]?.runtimeId).toBe(field.parent);
    expect(nodes.map(({ name }) => name)).toContain("Do nothing");
    expect(nodes.map(({ name }) => name)).not.toContain("File");
  });

  test("open a dialog that belongs to the same app", async () => {
    await app.perform("Open dialog", { name: "press" }, "button");
    const placed = async () => {
      const node = await app.find("Yes", "button");
      return node.windowId === undefined ? undefined : node;
    };
    const yes = await poll(placed, { timeoutMs: 5000, everyMs: 30 });
    if (!yes) throw new Error("the dialog has no window");
    expect(yes.windowId).not.toBe((await app.find("Press me")).windowId);
    const { nodes } = await desktop.elements.tree(desktop.elements.scope({ pid: app.pid, windowId: yes.windowId }), {
      maxNodes: 500,
    });
    expect(nodes.map(({ name }) => name)).toContain("No");
    expect(nodes.map(({ name }) => name)).not.toContain("Press me");
    await click(yes);
    await app.fixture.waitFor(({ event, answer }) => event === "answer" && answer === "Yes");
    expect(
      await poll(async () => ((await desktop.elements.read([yes.runtimeId]))[0] ? undefined : true), {
        timeoutMs: 5000,
        everyMs: 30,
      }),
    ).toBe(true);
  });

  test("report what happens to them [S3-30]", async () => {
    const heard: string[] = [];
    const watch = await desktop.events.watch(
      ["state", "property", "text", "focus"],
      ({ kind, detail, pid, runtimeId }) => {
        if (pid === app.pid) heard.push(`${kind} ${detail} ${runtimeId}`);
      },
    );
    const field = await app.find("Username", "textbox");
    const toggle = await app.find("Toggle me");
    await app.perform("Username", set("changed"), "textbox");
    await app.perform("Toggle me", { name: "toggle" });
    const has = (part: string, id: string) => heard.some((each) => each.startsWith(part) && each.endsWith(id));
    await poll(
      async () => (has("text insert", field.runtimeId) && has("state ", toggle.runtimeId) ? true : undefined),
      { timeoutMs: 5000, everyMs: 10 },
    );
    expect(heard.filter((each) => each.startsWith("text insert")).join()).toContain(field.runtimeId);
    expect(heard.filter((each) => each.startsWith("state ")).join()).toContain(toggle.runtimeId);
    await watch[Symbol.asyncDispose]();
    const before = heard.length;
    await app.perform("Username", set("unheard"), "textbox");
    expect(heard.length).toBe(before);
  });
});

describe.each(toolkits)("a list in %s", (toolkit) => {
  test("shows its first rows, and selects one", async () => {
    await using app = await desktop.start(toolkit, ["--tab", "Lists", "--geometry", "500x400"]);
    const { nodes } = await app.tree();
    const fruits = nodes.filter(({ name, role }) => role === "listitem" && name.startsWith("Fruit"));
    expect(fruits[0]?.name).toBe("Fruit 1");
    expect(fruits.length).toBeGreaterThan(8);
    expect(fruits.length).toBeLessThan(40);
    expect(await app.perform("Fruit 3", { name: "select" }, "listitem")).toMatch(/^(Selection|Table)\./);
    await app.fixture.waitFor(({ event, name }) => event === "selected" && name === "Fruit 3");
    expect((await app.find("Fruit 3", "listitem")).states).toContain("selected");
  });
});

describe.each(toolkits)("a table of 5000 rows in %s", (toolkit) => {
  test("costs only the visible rows, and selects one", async () => {
    await using app = await desktop.start(toolkit, ["--tab", "Table", "--geometry", "500x400"]);
    const tree = await app.tree(20_000);
    const records = tree.nodes.filter(({ name, role }) => role === "cell" && name.startsWith("Record "));
    expect(records.slice(0, 3).map(({ name }) => name)).toEqual(["Record 1", "Record 2", "Record 3"]);
    expect(tree.nodes.length).toBeLessThan(300);
    // GTK 4 lists contain only the rows near the screen, so there is nothing to count.
    const hidden = tree.omitted.reduce((sum, { count }) => sum + count, 0);
    if (toolkit !== "gtk4") expect(hidden).toBeGreaterThan(14_000);
    expect(await app.perform("Record 3", { name: "select" }, "cell")).toMatch(/^(Selection|Table)\./);
    await app.fixture.waitFor(({ event, name }) => event === "selected" && name === "Record 3");
  });
});

describe.each(toolkits)("a scrolled area in %s", (toolkit) => {
  test("lists what is visible in it and nothing that is scrolled away", async () => {
    await using app = await desktop.start(toolkit, ["--many", "800", "--geometry", "200x80"]);
    const names = (await app.tree()).nodes.map(({ name }) => name);
    expect(names).toContain("B0");
    expect(names).not.toContain("B799");
  });
});

describe("a tree", () => {
  test("expands and collapses natively in GTK 3", async () => {
    await using app = await desktop.start("gtk3", ["--tab", "Lists"]);
    expect((await app.find("Documents", "cell")).states).toContain("collapsed");
    expect(await app.perform("Documents", { name: "expand" }, "cell")).toMatch(/DoAction/);
    await app.fixture.waitFor(({ event, on }) => event === "expanded" && on === true);
    await app.find("Letter", "cell");
    expect(await app.perform("Documents", { name: "collapse" }, "cell")).toMatch(/DoAction/);
    await app.fixture.waitFor(({ event, on }) => event === "expanded" && on === false);
  });
});

describe("a program in trouble", () => {
  test.each(toolkits)("%s: frozen, it costs its deadline and blocks nobody", async (toolkit) => {
    await using frozen = await desktop.start(toolkit);
    await using lively = await desktop.start("gtk3", ["--title", "Lively"]);
    process.kill(frozen.pid, "SIGSTOP");
    try {
      const outcome = desktop.elements
        .tree(desktop.elements.scope({ pid: frozen.pid }), { maxNodes: 500, timeoutMs: 400 })
        .catch((error: unknown) => error);
      expect((await lively.tree()).nodes.length).toBeGreaterThan(20);
      expect(await outcome).toMatchObject({ code: "timeout" });
    } finally {
      process.kill(frozen.pid, "SIGCONT");
    }
    expect((await frozen.tree()).nodes.length).toBeGreaterThan(20);
  });

  test.each(toolkits)("%s: frozen, no question waits longer than its timeout", async (toolkit) => {
    await using app = await desktop.start(toolkit);
    const { runtimeId, bounds } = await app.find("Press me", "button");
    const at = centre(bounds ?? { x: 0, y: 0, width: 0, height: 0 });
    process.kill(app.pid, "SIGSTOP");
    try {
      const { elements } = desktop;
      const hurry = { timeoutMs: 100 };
      const ended: string[] = [];
      const asked = {
        unhurried: elements.read([runtimeId]),
        tree: elements.tree(elements.scope({ pid: app.pid }), { maxNodes: 500, ...hurry }),
        at: elements.at(at, hurry),
        focused: elements.focused(hurry),
        read: elements.read([runtimeId], hurry),
      };
      const codes = Object.entries(asked).map(async ([question, answer]) => {
        const code: unknown = await answer.then(
          () => "answered",
          (error: { code?: unknown }) => error.code,
        );
        ended.push(question);
        return [question, code];
      });
      expect(Object.fromEntries(await Promise.all(codes))).toEqual({
        unhurried: "timeout",
        tree: "timeout",
        at: "timeout",
        focused: "timeout",
        read: "timeout",
      });
      expect(ended.at(-1)).toBe("unhurried");
    } finally {
      process.kill(app.pid, "SIGCONT");
    }
  });

  test.each(toolkits)("%s: killed, its elements are gone and nothing else is mistaken for them", async (toolkit) => {
    const app = await desktop.start(toolkit);
    const node = await app.find("Press me", "button");
    await app.fixture.stop();
    await expect(desktop.elements.perform(node.runtimeId, { name: "press" })).rejects.toMatchObject({
      code: "uid_not_found",
    });
    expect(await desktop.elements.read([node.runtimeId])).toEqual([undefined]);
    await expect(
      desktop.elements.tree(desktop.elements.scope({ pid: app.pid }), { maxNodes: 10 }),
    ).rejects.toMatchObject({
      code: "process_not_running",
    });
  });

  test("that is not on the bus is distinguished from one that has ended", async () => {
    await expect(
      desktop.elements.tree(desktop.elements.scope({ pid: process.pid }), { maxNodes: 10 }),
    ).rejects.toMatchObject({
      code: "not_supported",
      details: { hint: expect.stringContaining("--force-renderer-accessibility") },
    });
  });

  test("ends a walk when the caller cancels", async () => {
    await using app = await desktop.start("gtk3");
    const abort = new AbortController();
    const walk = desktop.elements.tree(desktop.elements.scope({ pid: app.pid }), {
      maxNodes: 500,
      signal: abort.signal,
    });
    abort.abort();
    await expect(walk).rejects.toMatchObject({ code: "cancelled" });
  });

  test("with a hostile title has it unchanged", async () => {
    const title = "a\nb\tc \u202Eright-to-left\u202C ".padEnd(5000, "x");
    await using app = await desktop.start("gtk3", ["--title", title]);
    expect((await app.tree()).nodes[0]?.name).toBe(title);
  });
});

test("a point where windows overlap is the topmost one's, unless another app is named [S2-40, S2-41]", async () => {
  await using below = await desktop.start("qt5", ["--geometry", "500x500+100+100"]);
  await using above = await desktop.start("gtk3", ["--geometry", "500x500+120+120", "--title", "Above"]);
  const corner = (await above.tree()).nodes[0]?.bounds;
  if (!corner) throw new Error("no place");
  const point = screenPoint(corner.x + 250, corner.y + 200);
  expect((await desktop.elements.at(point)).at(-1)?.pid).toBe(above.pid);
  expect((await desktop.elements.at(point, { pid: below.pid })).at(-1)?.pid).toBe(below.pid);
  expect(await desktop.elements.at(screenPoint(2, 990))).toEqual([]);
});

test("an app that is still starting is waited for as long as the deadline allows", async () => {
  await using app = await startFixture("gtk3_slow_start", { env: desktop.env });
  await app.waitFor(({ event }) => event === "loaded");
  const read = async (timeoutMs: number) =>
    desktop.elements.tree(desktop.elements.scope({ pid: app.pid }), { maxNodes: 100, timeoutMs });
  await expect(read(200)).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("just started") });
  const tree = read(20_000);
  app.tell("open");
  expect((await tree).nodes.map(({ name }) => name)).toContain("Slow start");
});

test("painting in a window is reported while it is watched", async () => {
  await using app = await desktop.start("gtk3", ["--tab", "Extras"]);
  const animation = await app.find("Animation");
  let parts = 0;
  const watch = await desktop.events.damage?.(animation.windowId, (part) => {
    if (animation.bounds && part.y + part.height > animation.bounds.y) parts += 1;
  });
  expect(await poll(async () => (parts > 3 ? true : undefined), { timeoutMs: 5000, everyMs: 10 })).toBe(true);
  await watch?.[Symbol.asyncDispose]();
});

describe("on a desktop that draws everything twice as large", () => {
  let large: AccessibleDesktop;
  beforeAll(async () => {
    large = await openAccessibleDesktop(2);
  });
  afterAll(async () => {
    await large[Symbol.asyncDispose]();
  });

  test.each(toolkits)("the elements of %s are where a click reaches them", async (toolkit) => {
    await using app = await large.start(toolkit);
    for (const name of ["Press me", "Check me"]) {
      const { clickPoint, bounds } = await app.find(name);
      if (!clickPoint || !bounds) throw new Error(`${name} has no place`);
      expect((await large.elements.at(clickPoint)).map((node) => node.name)).toContain(name);
      await large.pointer.move(clickPoint);
      await large.pointer.down("left");
      await large.pointer.up("left");
      await app.fixture.waitFor((event) => event["name"] === name);
    }
    expect(app.fixture.events.map(({ event }) => event)).toEqual(["ready", "pressed", "toggled"]);
  });
});
