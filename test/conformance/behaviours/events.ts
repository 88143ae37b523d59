import { expect } from "vitest";
import type { Rect } from "../../../src/base/geometry.ts";
import { intersect } from "../../../src/base/geometry.ts";
import type { ElementEvent, ElementEventKind, Events } from "../../../src/platform/backend.ts";
import { names, need, type AppCommand, type Stage } from "../stage.ts";
import {
  elementNamed,
  expectCancelled,
  ownWindow,
  until,
  untilTrue,
  type Behaviour,
  type Behaviours,
} from "./shared.ts";

const eventsOf = ({ backend }: Stage): Events => need(backend.events, "events");

/** Collects all events of these kinds from the known app from now on. */
async function watch(stage: Stage, kinds: readonly ElementEventKind[]) {
  const heard: ElementEvent[] = [];
  const listener = (event: ElementEvent) => {
    if (event.pid === stage.app.pid) heard.push(event);
  };
  const stop = await eventsOf(stage).watch(kinds, listener);
  return { heard, [Symbol.asyncDispose]: () => stop[Symbol.asyncDispose]() };
}

const reports =
  (kind: ElementEventKind, command: AppCommand): Behaviour =>
  async (stage) => {
    await elementNamed(stage, names.field);
    await using watching = await watch(stage, [kind]);
    await stage.app.act(command);
    const { at } = await until(`${kind} is reported`, () => watching.heard[0]);
    expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
  };

export const events: Behaviours<"events"> = {
  focus: reports("focus", "focus field"),
  async text(stage) {
    await stage.app.act("focus field");
    await elementNamed(stage, names.field);
    await using watching = await watch(stage, ["text"]);
    await need(stage.backend.keyboard, "keyboard").text("x");
    await until("a text change is reported", () => watching.heard[0]);
  },
  state: reports("state", "check"),
  children: reports("children", "remove button"),
  async window(stage) {
    await elementNamed(stage, names.field);
    const told: string[] = [];
    await using _watch = await eventsOf(stage).watch(["window"], ({ detail }) => void told.push(detail));
    {
      await using _other = await need(stage.openOther?.(), "other window");
      await until("an opened window is reported", () => told.find((each) => each === "create" || each === "activate"));
      told.length = 0;
    }
    await until("a closed window is reported", () => told[0]);
  },
  async identity(stage) {
    const box = await elementNamed(stage, names.check);
    await using watching = await watch(stage, ["state"]);
    await stage.app.act("check");
    await until("the box is named", () => watching.heard.find(({ runtimeId }) => runtimeId === box.runtimeId));
  },
  async kinds(stage) {
    await elementNamed(stage, names.field);
    await using focus = await watch(stage, ["focus"]);
    await using children = await watch(stage, ["children"]);
    await stage.app.act("focus field");
    await until("the focus is reported", () => focus.heard[0]);
    await stage.app.act("remove button");
    await until("the removal is reported", () => children.heard[0]);
    expect(new Set(focus.heard.map(({ kind }) => kind))).toEqual(new Set(["focus"]));
    expect(new Set(children.heard.map(({ kind }) => kind))).toEqual(new Set(["children"]));
  },
  async ends(stage) {
    await elementNamed(stage, names.field);
    const first = await watch(stage, ["children"]);
    await using second = await watch(stage, ["children"]);
    await first[Symbol.asyncDispose]();
    await stage.app.act("remove button");
    await until("the other one still hears", () => second.heard[0]);
    expect(first.heard).toEqual([]);
  },
  async told(stage) {
    const target = eventsOf(stage);
    const { runtimeId } = await elementNamed(stage, names.check);
    await using watching = await watch(stage, ["state"]);
    await need(stage.backend.elements, "elements").perform(runtimeId, { name: "toggle" });
    const first = await need(target.told?.(), "way to tell");
    expect(watching.heard.length).toBeGreaterThan(0);
    expect(await need(target.told?.(), "way to tell")).toBe(first);
  },
  async damage(stage) {
    const target = eventsOf(stage);
    const { id } = await ownWindow(stage);
    const parts: Rect[] = [];
    await using _watch = await need(
      target.damage?.(id, (part: Rect) => void parts.push(part)),
      "report of pixels",
    );
    await stage.app.act("swap colours");
    const pad = await stage.app.pad();
    await untilTrue("the pad is reported", () => parts.some((part) => intersect(part, pad) !== undefined));
  },
  async cancelled(stage) {
    await expectCancelled((signal) => eventsOf(stage).watch(["state"], () => {}, { signal }));
  },
};
