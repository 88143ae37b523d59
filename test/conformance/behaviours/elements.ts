import { expect } from "vitest";
import { centre, contains, screenPoint } from "../../../src/base/geometry.ts";
import type { NodeAction, UiNode } from "../../../src/base/node.ts";
import type { Elements } from "../../../src/platform/backend.ts";
import { names, need, type AppEvent, type Stage } from "../stage.ts";
import {
  click,
  codeOf,
  elementNamed,
  expectCancelled,
  expectTimeout,
  said,
  until,
  untilTrue,
  type Behaviour,
  type Behaviours,
} from "./shared.ts";

const elementsOf = ({ backend }: Stage): Elements => need(backend.elements, "elements");

/** Performs the action, and waits for what the app itself reports. */
const performs =
  (name: string, action: NodeAction, outcome: Partial<AppEvent>): Behaviour =>
  async (stage) => {
    const { runtimeId, actions } = await elementNamed(stage, name);
    await elementsOf(stage).perform(runtimeId, action);
    await said(stage.app, { ...outcome, name });
    expect(actions).toContain(action.name);
  };

async function readOne(stage: Stage, { runtimeId }: UiNode): Promise<UiNode | undefined> {
  return (await elementsOf(stage).read([runtimeId]))[0];
}

/** An element that the app has just removed. */
async function removed(stage: Stage): Promise<UiNode> {
  const button = await elementNamed(stage, names.button);
  await stage.app.act("remove button");
  await untilTrue("it is not listed any more", async () => {
    const { nodes } = await elementsOf(stage).tree(stage.app.scope, { maxNodes: 5000 });
    return nodes.every(({ runtimeId }) => runtimeId !== button.runtimeId);
  });
  return button;
}

async function frozen(stage: Stage, call: (timeoutMs: number) => Promise<unknown>): Promise<void> {
  await using _frozen = await need(stage.app.freeze?.(), "way to freeze it");
  await expectTimeout(call);
}

const foreign = "Héllo 漢字 🎉";

export const elements: Behaviours<"elements"> = {
  async tree(stage) {
    await elementNamed(stage, names.field);
    const { nodes } = await elementsOf(stage).tree(stage.app.scope, { maxNodes: 5000 });
    const shown = nodes.map(({ role, name }) => `${role} ${name}`);
    expect(shown).toEqual(
      expect.arrayContaining([`button ${names.button}`, `checkbox ${names.check}`, `textbox ${names.field}`]),
    );
    const seen = new Set<string>();
    for (const { runtimeId, parent } of nodes) {
      expect(parent === undefined || seen.has(parent)).toBe(true);
      seen.add(runtimeId);
    }
  },
  async places(stage) {
    for (const name of [names.button, names.check, names.field]) {
      expect((await elementNamed(stage, name)).bounds).toEqual(await stage.app.place(name));
    }
  },
  async clickPoint(stage) {
    const { clickPoint, bounds } = await elementNamed(stage, names.button);
    const point = clickPoint ?? centre(need(bounds, "place"));
    await click(need(stage.backend.pointer, "pointer"), point);
    await said(stage.app, { event: "pressed", name: names.button });
  },
  async states(stage) {
    expect((await elementNamed(stage, names.button)).states).toContain("enabled");
    expect((await elementNamed(stage, names.disabled)).states).not.toContain("enabled");
    const box = await elementNamed(stage, names.check);
    expect(box.states).not.toContain("checked");
    await stage.app.act("check");
    await untilTrue("it is checked", async () => (await elementNamed(stage, names.check)).states.includes("checked"));
  },
  async value(stage) {
    await stage.app.act("focus field");
    await need(stage.backend.keyboard, "keyboard").text("what it says");
    await untilTrue("the app has it", async () => (await stage.app.text()) === "what it says");
    expect((await elementNamed(stage, names.field)).value).toBe("what it says");
  },
  async range(stage) {
    const { value, range } = await elementNamed(stage, names.slider);
    expect({ value, range }).toEqual({ value: 30, range: expect.objectContaining({ min: 0, max: 100 }) });
  },
  async secret(stage) {
    const field = await elementNamed(stage, names.secret);
    expect(field.states).toContain("password");
    expect(JSON.stringify(field)).not.toContain("hunter2");
    const text = await elementsOf(stage).text(field.runtimeId, { maxChars: 100 });
    expect(text?.text ?? "").not.toContain("hunter2");
  },
  async budget(stage) {
    await elementNamed(stage, names.field);
    const all = await elementsOf(stage).tree(stage.app.scope, { maxNodes: 5000 });
    const { nodes, omitted } = await elementsOf(stage).tree(stage.app.scope, { maxNodes: 4 });
    expect(nodes).toHaveLength(4);
    expect(all.nodes.length).toBeGreaterThan(4);
    expect(omitted.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(0);
  },
  async below(stage) {
    const { runtimeId } = await elementNamed(stage, names.list);
    const { nodes } = await elementsOf(stage).tree(stage.app.scope, { maxNodes: 5000, root: runtimeId });
    expect(nodes.some(({ name }) => name === names.row)).toBe(true);
    expect(nodes.some(({ name }) => name === names.button)).toBe(false);
  },
  async at(stage) {
    const { x, y, width, height } = await stage.app.place(names.check);
    const point = screenPoint(Math.round(x + width / 2), Math.round(y + height / 2));
    const chain = await elementsOf(stage).at(point);
    expect(chain.map(({ name }) => name)).toContain(names.check);
    for (const [index, node] of chain.entries()) {
      const outer = chain[index + 1];
      if (outer && node.parent !== undefined) expect(node.runtimeId).not.toBe(outer.runtimeId);
    }
    expect(chain[0]?.bounds && contains(chain[0].bounds, point)).toBe(true);
  },
  async nothingAt(stage) {
    const { width, height } = stage.screen;
    const { nodes } = await elementsOf(stage).tree(stage.app.scope, { maxNodes: 1 });
    expect(nodes).toHaveLength(1);
    expect(await elementsOf(stage).at(screenPoint(width + 500, height + 500))).toEqual([]);
  },
  async focused(stage) {
    await stage.app.act("focus field");
    await untilTrue("the field is focused", async () => (await elementsOf(stage).focused())?.name === names.field);
    expect((await elementsOf(stage).focused())?.states).toContain("focused");
  },
  async identity(stage) {
    const first = await elementNamed(stage, names.button);
    await stage.app.act("check");
    const second = await elementNamed(stage, names.button);
    expect(second.runtimeId).toBe(first.runtimeId);
    const { x, y, width, height } = await stage.app.place(names.button);
    const chain = await elementsOf(stage).at(screenPoint(Math.round(x + width / 2), Math.round(y + height / 2)));
    expect(chain.map(({ runtimeId }) => runtimeId)).toContain(first.runtimeId);
  },
  async read(stage) {
    const [button, box] = [await elementNamed(stage, names.button), await elementNamed(stage, names.check)];
    const again = await elementsOf(stage).read([box.runtimeId, button.runtimeId]);
    expect(again.map((node) => node?.name)).toEqual([names.check, names.button]);
    await stage.app.act("check");
    await untilTrue(
      "it is read as checked",
      async () => (await readOne(stage, box))?.states.includes("checked") ?? false,
    );
  },
  async text(stage) {
    await stage.app.act("focus field");
    await need(stage.backend.keyboard, "keyboard").text("twelve chars");
    const { runtimeId } = await elementNamed(stage, names.field);
    const read = (maxChars: number) => elementsOf(stage).text(runtimeId, { maxChars });
    await untilTrue("all of it is read", async () => (await read(100))?.text === "twelve chars");
    expect(await read(6)).toEqual({ text: "twelve", length: 12 });
  },
  async press(stage) {
    const pointer = stage.backend.pointer;
    const before = await pointer?.position();
    await performs(names.button, { name: "press" }, { event: "pressed" })(stage);
    expect(await pointer?.position()).toEqual(before);
  },
  toggle: performs(names.check, { name: "toggle" }, { event: "toggled", on: true }),
  async setText(stage) {
    const { runtimeId } = await elementNamed(stage, names.field);
    for (const value of ["first", foreign, ""]) {
      await elementsOf(stage).perform(runtimeId, { name: "set_value", value });
      let last = "";
      await untilTrue("the field has it", async () => (last = await stage.app.text()) === value).catch(() => {});
      expect(last).toBe(value);
    }
  },
  setNumber: performs(names.slider, { name: "set_value", value: 60 }, { event: "value", value: 60 }),
  select: performs(names.row, { name: "select" }, { event: "selected" }),
  async expand(stage) {
    await performs(names.expander, { name: "expand" }, { event: "expanded", on: true })(stage);
    await performs(names.expander, { name: "collapse" }, { event: "expanded", on: false })(stage);
  },
  async focus(stage) {
    const { runtimeId } = await elementNamed(stage, names.field);
    await elementsOf(stage).perform(runtimeId, { name: "focus" });
    await need(stage.backend.keyboard, "keyboard").text("here");
    await untilTrue("the letters arrive in it", async () => (await stage.app.text()) === "here");
  },
  async scroll(stage) {
    const list = await elementNamed(stage, names.list);
    const { nodes } = await elementsOf(stage).tree(stage.app.scope, { maxNodes: 5000, root: list.runtimeId });
    const hidden = nodes.find(({ name }) => name === names.hiddenRow);
    const found = need(hidden, "row that is scrolled away");
    await elementsOf(stage).perform(found.runtimeId, { name: "scroll_into_view" });
    await until("the row shows", async () =>
      (await readOne(stage, found))?.states.includes("showing") ? true : undefined,
    );
  },
  async unoffered(stage) {
    const { runtimeId, actions } = await elementNamed(stage, names.button);
    expect(actions).not.toContain("expand");
    expect(["not_dispatchable", "pattern_unsupported"]).toContain(
      await codeOf(elementsOf(stage).perform(runtimeId, { name: "expand" })),
    );
  },
  async stale(stage) {
    const { runtimeId } = await removed(stage);
    expect(await codeOf(elementsOf(stage).perform(runtimeId, { name: "press" }))).toBe("uid_not_found");
  },
  async staleRead(stage) {
    const button = await removed(stage);
    await untilTrue("nothing is read of it", async () => (await readOne(stage, button)) === undefined);
  },
  async frozenTree(stage) {
    await elementNamed(stage, names.field);
    await frozen(stage, (timeoutMs) => elementsOf(stage).tree(stage.app.scope, { maxNodes: 100, timeoutMs }));
  },
  async frozenAt(stage) {
    const { x, y } = await stage.app.place(names.button);
    await elementNamed(stage, names.field);
    await frozen(stage, (timeoutMs) => elementsOf(stage).at(screenPoint(x + 5, y + 5), { timeoutMs }));
  },
  async frozenFocus(stage) {
    await stage.app.act("focus field");
    await elementNamed(stage, names.field);
    await frozen(stage, (timeoutMs) => elementsOf(stage).focused({ timeoutMs }));
  },
  async cancelled(stage) {
    const { runtimeId } = await elementNamed(stage, names.button);
    await expectCancelled((signal) => elementsOf(stage).tree(stage.app.scope, { maxNodes: 100, signal }));
    await expectCancelled((signal) => elementsOf(stage).perform(runtimeId, { name: "press" }, { signal }));
    expect(stage.app.events.filter(({ event }) => event === "pressed")).toEqual([]);
  },
};
