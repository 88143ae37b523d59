import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../../src/base/async.ts";
import { screenPoint } from "../../../src/base/geometry.ts";
import type { NodeAction, UiNode } from "../../../src/base/node.ts";
import type { FixtureEvent } from "../../support/fixture.ts";
import { expectations, reasonAgainst, subjects, type Capability, type SubjectName } from "./expectations.ts";
import { openSubject, type Subject } from "./subjects.ts";

/** Whether it works, according to the program itself. A refusal is a plain "no"; anything else fails the test. */
type Probe = (subject: Subject) => Promise<boolean>;

const refusals = new Set(["not_dispatchable", "pattern_unsupported", "no_row_ancestor"]);

/** Performs the action and waits for what the program logs because of it. */
const acts =
  (name: string, role: string, action: NodeAction, logged: (event: FixtureEvent) => boolean): Probe =>
  async ({ controls, events }) => {
    const already = events.length;
    const via = await controls.perform(name, action, role);
    if (refusals.has(via)) return false;
    const said = await poll(async () => events.slice(already).find(logged), { timeoutMs: 2000, everyMs: 10 });
    if (said === undefined) throw new Error(`${name} took ${via}, and nothing came of it`);
    return said !== undefined;
  };

const about =
  (name: string) =>
  (event: FixtureEvent): boolean =>
    event["name"] === name && event.event !== "clicked";

/** A row that is scrolled away must be searched below its list. */
async function findHidden({ controls, desktop, names }: Subject): Promise<UiNode | undefined> {
  const { nodes: shown } = await controls.tree();
  const list = shown.find(({ name }) => name === names.list);
  if (!list) return undefined;
  const { nodes } = await desktop.elements.tree(desktop.elements.scope({ pid: controls.pid }), {
    maxNodes: 5000,
    root: list.runtimeId,
  });
  return nodes.find(({ name, role }) => name === names.hiddenRow && role !== "text");
}

async function roleOf({ controls }: Subject, name: string): Promise<string> {
  return (await controls.find(name)).role;
}

const probes: Readonly<Record<Capability, Probe>> = {
  async tree({ controls }) {
    const { nodes } = await controls.tree();
    const shown = nodes.map(({ role, name }) => `${role} ${name}`);
    expect(shown).toEqual(expect.arrayContaining(["button Press me", "checkbox Check me", "slider Volume"]));
    return (await controls.find("Volume", "slider")).value !== undefined;
  },
  async places({ controls, desktop, events }) {
    const already = events.length;
    const { clickPoint } = await controls.find("Press me", "button");
    if (!clickPoint) return false;
    await desktop.pointer.move(clickPoint);
    await desktop.pointer.down("left");
    await desktop.pointer.up("left");
    const said = await poll(async () => events.slice(already).find(about("Press me")), {
      timeoutMs: 2000,
      everyMs: 10,
    });
    return said?.event === "pressed";
  },
  async at({ controls, desktop }) {
    const { clickPoint, runtimeId } = await controls.find("Check me", "checkbox");
    if (!clickPoint) return false;
    const chain = await desktop.elements.at(screenPoint(clickPoint.x, clickPoint.y));
    return chain.some((node) => node.runtimeId === runtimeId);
  },
  press: acts("Press me", "button", { name: "press" }, about("Press me")),
  toggle: acts("Check me", "checkbox", { name: "toggle" }, about("Check me")),
  async radio(subject) {
    const role = await roleOf(subject, "Fast");
    return acts("Fast", role, { name: "press" }, about("Fast"))(subject);
  },
  slider: acts("Volume", "slider", { name: "set_value", value: 42 }, about("Volume")),
  spin: acts("Quantity", "spinbutton", { name: "set_value", value: 7 }, about("Quantity")),
  write: acts("Username", "textbox", { name: "set_value", value: "Héllo 你好 🎉" }, about("Username")),
  async read({ controls, desktop }) {
    const { runtimeId, value } = await controls.find("Username", "textbox");
    const content = await desktop.elements.text(runtimeId, { maxChars: 100 });
    return typeof value === "string" && value !== "" && content?.text === value;
  },
  async password({ controls, desktop }) {
    const { runtimeId, value, states } = await controls.find("Password", "textbox");
    const content = await desktop.elements.text(runtimeId, { maxChars: 100 });
    return value === undefined && content === undefined && states.includes("password");
  },
  chosen: async ({ controls }) => (await controls.find("Colour", "combobox")).value === "Red",
  choose: acts("Colour", "combobox", { name: "set_value", value: "Blue" }, about("Colour")),
  async tab(subject) {
    const { tab } = subject.names;
    return acts(tab, "tab", { name: "select" }, about(tab))(subject);
  },
  async row(subject) {
    await subject.showLists();
    const { row } = subject.names;
    const logged = ({ event, name, value }: FixtureEvent): boolean =>
      (event === "selected" && name === row) || (event === "chosen" && value === row);
    return acts(row, await roleOf(subject, row), { name: "select" }, logged)(subject);
  },
  async expand(subject) {
    await subject.showLists();
    const { expandable } = subject.names;
    const { nodes } = await subject.controls.tree();
    const found = nodes.find(({ name, states }) => name === expandable && states.includes("expandable"));
    return found ? acts(expandable, found.role, { name: "expand" }, ({ on }) => on === true)(subject) : false;
  },
  async focus({ controls, desktop }) {
    const { runtimeId, windowId } = await controls.find("Late", "button");
    if (windowId !== undefined) await desktop.backend.windows?.change(windowId, { to: "focus" });
    const via = await controls.perform("Late", { name: "focus" }, "button");
    return (await desktop.elements.focused())?.runtimeId === runtimeId && !refusals.has(via);
  },
  async scroll(subject) {
    await subject.showLists();
    const found = await findHidden(subject);
    if (!found?.actions.includes("scroll_into_view")) return false;
    await subject.desktop.elements.perform(found.runtimeId, { name: "scroll_into_view" });
    return (await subject.controls.read(found)).states.includes("showing");
  },
  async events({ controls, desktop }) {
    const told: string[] = [];
    await using _watch = await desktop.events.watch(
      ["state", "children", "property", "text"],
      ({ pid, kind, detail }) => {
        if (pid === controls.pid) told.push(`${kind} ${detail}`);
      },
    );
    await controls.perform("Play", { name: "press" }, "button");
    return (await poll(async () => (told.length > 0 ? true : undefined), { timeoutMs: 2000, everyMs: 10 })) === true;
  },
  async ids({ controls }) {
    const { nodes } = await controls.tree();
    return nodes.some(({ automationId }) => automationId !== undefined && automationId !== "");
  },
};

// Those on the first tab come before the ones that leave it.
const order: readonly Capability[] = [
  "tree",
  "places",
  "at",
  "press",
  "toggle",
  "radio",
  "slider",
  "spin",
  "write",
  "read",
  "password",
  "chosen",
  "choose",
  "ids",
  "focus",
  "events",
  "tab",
  "row",
  "expand",
  "scroll",
];

test("every capability has a place in the order", () => {
  expect([...order].sort()).toEqual(Object.keys(expectations).sort());
});

describe.each(Object.keys(subjects) as SubjectName[])("%s", (name) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await openSubject(name);
  });
  afterAll(async () => {
    await subject[Symbol.asyncDispose]();
  });

  test.each(order)("can or cannot do what the list says: %s", async (capability) => {
    const reason = reasonAgainst(capability, name);
    const works = await probes[capability](subject);
    expect(works, reason ?? "listed as working").toBe(reason === undefined);
  });
});
