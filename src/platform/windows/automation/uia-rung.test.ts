import { describe, expect, test } from "vitest";
import { MockUia, type MockElement, type MockValue } from "../../../../test/simulators/windows/mock-uia.ts";
import { ToolError } from "../../../base/errors.ts";
import { screenPoint } from "../../../base/geometry.ts";
import type { NodeAction } from "../../../base/node.ts";
import { references } from "./com.ts";
import { Deadline } from "./deadline.ts";
import { gather } from "./gather.ts";
import { UiaRung } from "./uia-rung.ts";
import { property } from "./uia-names.ts";
import { Uia } from "./uia.ts";

const hwnd = 77;
const context = () => ({ deadline: new Deadline(5000), clip: undefined });

let count = 0;
function element(
  name: string,
  controlType: number,
  more: Readonly<Record<number, MockValue>> = {},
  patterns: MockElement["patterns"] = [],
): MockElement {
  count += 1;
  const known: Readonly<Record<number, MockValue>> = {
    [property.runtimeId]: [42, hwnd, 4, count],
    [property.bounds]: { doubles: [10, 20, 100, 30] },
    [property.controlType]: controlType,
    [property.name]: name,
    [property.isEnabled]: true,
    [property.isOffscreen]: false,
    ...more,
  };
  return {
    properties: new Map(Object.entries(known).map(([key, value]) => [Number(key), value])),
    patterns,
    children: [],
  };
}

function inside(parent: MockElement, ...children: readonly MockElement[]): MockElement {
  for (const child of children) {
    child.parent = parent;
    parent.children.push(child);
  }
  return parent;
}

/** A window with one control for each pattern. */
function stage({ allowsSubtrees = true } = {}) {
  const button = element("Save", 50000, { [property.canInvoke]: true, [property.isFocusable]: true }, [10000]);
  const box = element("Agree", 50002, { [property.canToggle]: true, [property.toggleState]: 1 }, [10015]);
  const field = element(
    "Name",
    50004,
    { [property.hasValue]: true, [property.value]: "Ann", [property.hasText]: true },
    [10002, 10014],
  );
  const slider = element(
    "Volume",
    50015,
    {
      [property.hasRange]: true,
      [property.rangeValue]: 30,
      [property.rangeMinimum]: 0,
      [property.rangeMaximum]: 100,
      [property.rangeStep]: 0.5,
    },
    [10003],
  );
  const secret = element("Password", 50004, {
    [property.hasValue]: true,
    [property.value]: "hunter2",
    [property.isPassword]: true,
  });
  const branch = element("More", 50024, { [property.canExpand]: true, [property.expandState]: 0 }, [10005]);
  const row = element(
    "Fruit 2",
    50007,
    { [property.canSelect]: true, [property.canScrollItem]: true, [property.isSelected]: false },
    [10010, 10017],
  );
  const old = element("Old", 50000, { [property.hasLegacy]: true, [property.legacyAction]: "Press" }, [10018]);
  const list = inside(element("Fruits", 50008, { [property.canScroll]: true }, [10004]), row);
  const disabled = element("Disabled", 50000, { [property.isEnabled]: false, [property.canInvoke]: true });
  const window = inside(
    element("Window", 50032, { [property.runtimeId]: [42, hwnd] }),
    button,
    box,
    field,
    slider,
    secret,
    branch,
    list,
    old,
    disabled,
  );
  const mock = new MockUia(window, { allowsSubtrees });
  const uia = new Uia(mock.open(), mock.memory, hwnd);
  const rung = new UiaRung(uia, { pidOf: () => 7, exists: () => true });
  const tree = () => {
    const root = rung.open(hwnd, context());
    const read = gather(root ? [root] : [], { maxNodes: 100, deadline: new Deadline(5000), includesHidden: false });
    rung.finish(hwnd);
    return read;
  };
  const idOf = ({ properties }: MockElement): string =>
    `u${hwnd}/${(properties.get(property.runtimeId) as readonly number[]).join(".")}`;
  const perform = (target: MockElement, action: NodeAction): string =>
    rung.perform(idOf(target), action, context(), () => {});
  const controls = { window, button, box, field, slider, secret, branch, list, row, old, disabled };
  return { mock, uia, rung, tree, idOf, perform, ...controls };
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return "done";
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

describe("UI Automation on mock COM objects", () => {
  test("a mock tree is read in one request, without asking for patterns [S3-31]", () => {
    const { mock, tree, uia } = stage();
    const { nodes } = tree();
    expect(uia.readsSubtrees).toBe(true);
    expect(nodes.map(({ role, name }) => `${role} ${name}`)).toEqual([
      "window Window",
      "button Save",
      "checkbox Agree",
      "textbox Name",
      "slider Volume",
      "textbox Password",
      "treeitem More",
      "list Fruits",
      "listitem Fruit 2",
      "button Old",
      "button Disabled",
    ]);
    expect(new Set(mock.log)).toEqual(new Set(["cached"]));
  });

  test("a mock tree is read level by level where a request holds one element", () => {
    const whole = stage().tree();
    const { mock, tree, uia } = stage({ allowsSubtrees: false });
    const { nodes } = tree();
    expect(uia.readsSubtrees).toBe(false);
    expect(nodes.map(({ name }) => name)).toEqual(whole.nodes.map(({ name }) => name));
    expect(mock.log.filter((line) => line === "level of Window")).toHaveLength(1);
    expect(mock.log).not.toContain("cached");
  });

  test("mock properties become states, values and ranges; a password is nowhere", () => {
    const { tree, rung, secret, idOf } = stage();
    const { nodes } = tree();
    const named = (name: string) => nodes.find((node) => node.name === name);
    expect(named("Agree")?.states).toEqual(expect.arrayContaining(["enabled", "checkable", "checked"]));
    expect(named("Name")).toMatchObject({ value: "Ann", bounds: { x: 10, y: 20, width: 100, height: 30 } });
    expect(named("Volume")).toMatchObject({ value: 30, range: { min: 0, max: 100, step: 0.5 } });
    expect(named("More")?.states).toEqual(expect.arrayContaining(["expandable", "collapsed"]));
    expect(named("Password")?.states).toContain("password");
    expect(JSON.stringify(nodes)).not.toContain("hunter2");
    expect(rung.text(idOf(secret), 100, context())).toBeUndefined();
  });

  test.each([
    ["press", "button", { name: "press" }, "InvokePattern.Invoke", "Save: Invoke.Invoke()"],
    [
      "press by the default action",
      "old",
      { name: "press" },
      "LegacyPattern.DoDefaultAction",
      "Old: Legacy.DoDefaultAction()",
    ],
    ["toggle", "box", { name: "toggle" }, "TogglePattern.Toggle", "Agree: Toggle.Toggle()"],
    [
      "set a text",
      "field",
      { name: "set_value", value: "Héllo 漢字 🎉" },
      "ValuePattern.SetValue",
      "Name: Value.SetValue(Héllo 漢字 🎉)",
    ],
    [
      "set a number",
      "slider",
      { name: "set_value", value: 42.5 },
      "RangeValuePattern.SetValue",
      "Volume: RangeValue.SetValue(42.5)",
    ],
    ["expand", "branch", { name: "expand" }, "ExpandCollapsePattern.Expand", "More: ExpandCollapse.Expand()"],
    ["collapse", "branch", { name: "collapse" }, "ExpandCollapsePattern.Collapse", "More: ExpandCollapse.Collapse()"],
    ["select", "row", { name: "select" }, "SelectionItemPattern.Select", "Fruit 2: SelectionItem.Select()"],
    [
      "scroll into view",
      "row",
      { name: "scroll_into_view" },
      "ScrollItemPattern.ScrollIntoView",
      "Fruit 2: ScrollItem.ScrollIntoView()",
    ],
    [
      "scroll to a percentage",
      "list",
      { name: "scroll_to", isHorizontal: false, percent: 50, notches: 0 },
      "ScrollPattern.Scroll",
      "Fruits: Scroll.SetScrollPercent(-1, 50)",
    ],
    [
      "scroll the container of a row by a notch",
      "row",
      { name: "scroll_to", isHorizontal: false, percent: undefined, notches: -1 },
      "ScrollPattern.Scroll",
      "Fruits: Scroll.Scroll(2, 1)",
    ],
    ["focus", "button", { name: "focus" }, "SetFocus", "Save: SetFocus"],
    ["menu", "button", { name: "menu" }, "ShowContextMenu", "Save: ShowContextMenu"],
  ] as const)(
    "a mock pattern is called once, in its own slot: %s [S3-28, S3-64]",
    (_title, name, action, via, logged) => {
      const made = stage();
      made.tree();
      made.mock.log.length = 0;
      expect(made.perform(made[name], action)).toBe(via);
      expect(made.mock.log).toEqual([logged]);
    },
  );

  test("a mock document is read over the text pattern, up to a limit [S3-67]", () => {
    const { rung, tree, field, idOf } = stage();
    tree();
    expect(rung.text(idOf(field), 2, context())).toEqual({ text: "An", length: 3 });
  });

  test("a mock element refuses what it has no pattern for, what is disabled and what is gone [S3-69]", () => {
    const { tree, perform, button, disabled, box } = stage();
    tree();
    expect(codeOf(() => perform(button, { name: "expand" }))).toBe("pattern_unsupported");
    expect(codeOf(() => perform(disabled, { name: "press" }))).toBe("not_dispatchable");
    box.isGone = true;
    expect(codeOf(() => perform(box, { name: "toggle" }))).toBe("uid_not_found");
  });

  test("a mock call that is not answered, as when it opens a dialog, counts as made", () => {
    const { tree, perform, button } = stage();
    tree();
    button.result = 0x80131505 | 0;
    expect(perform(button, { name: "press" })).toBe("InvokePattern.Invoke, not answered yet");
  });

  test("the mock's clickable point is preferred to the centre", () => {
    const { tree, rung, button, idOf } = stage();
    tree();
    expect(rung.read(idOf(button), context())?.clickPoint).toEqual({ x: 60, y: 35 });
    button.clickablePoint = [15, 25];
    expect(rung.read(idOf(button), context())?.clickPoint).toEqual({ x: 15, y: 25 });
  });

  test("at a mock point the most specific child is found, with its ancestors", () => {
    const { mock, rung, list } = stage();
    mock.pointed = list;
    const chain = rung.at(hwnd, screenPoint(20, 30), context());
    expect(chain?.map(({ name }) => name)).toEqual(["Fruit 2", "Fruits", "Window"]);
  });

  test("an id that this thread has never seen is looked for in the mock", () => {
    const { rung, row, idOf } = stage();
    expect(rung.read(idOf(row), context())?.name).toBe("Fruit 2");
  });

  test("two thousand mock actions leave no reference and no string behind", () => {
    const before = references.live;
    const { mock, rung, tree, perform, button, field, row, idOf, ...all } = stage();
    tree();
    const held = references.live;
    const [first, second] = [mock.heldReferences(button), mock.memory.live];
    for (let round = 0; round < 500; round++) {
      perform(button, { name: "press" });
      perform(field, { name: "set_value", value: `text ${round}` });
      perform(row, { name: "scroll_to", isHorizontal: false, percent: 10, notches: 0 });
      rung.read(idOf(all.slider), context());
      if (round % 50 === 0) tree();
    }
    expect([references.live, mock.heldReferences(button), mock.memory.live]).toEqual([held, first, second]);
    rung.release();
    expect([references.live, mock.heldReferences(button), mock.memory.live]).toEqual([before, 0, 0]);
  });
});
