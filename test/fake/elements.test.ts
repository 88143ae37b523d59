import { expect, test } from "vitest";
import { ToolError } from "../../src/base/errors.ts";
import { screenPoint } from "../../src/base/geometry.ts";
import { FakeElements, type FakeNode } from "../../src/platform/fake/elements.ts";
import { openFakeSession } from "../support/fake-session.ts";

// No process on the test machine has this id.
const pid = 2_000_000_000;
const bounds = { x: 10, y: 20, width: 80, height: 20 };
const fallback = { x: 50, y: 30 };

const button: FakeNode = { runtimeId: "press", parent: "w", role: "button", name: "Press", actions: ["press"], bounds };
const row: FakeNode = { runtimeId: "row", parent: "list", role: "listitem", name: "Row", actions: ["select"], bounds };
const nodes: readonly FakeNode[] = [
  { runtimeId: "w", role: "window", name: "Notes" },
  button,
  { runtimeId: "plain", parent: "w", role: "button", name: "Plain", bounds },
  { runtimeId: "stray", parent: "w", role: "listitem", name: "Stray", actions: ["select"], bounds },
  { runtimeId: "list", parent: "w", role: "list", name: "List" },
  row,
  { runtimeId: "fixed", parent: "list", role: "listitem", name: "Fixed", bounds },
];

async function open() {
  // Only that surface lets refs expire with every snapshot.
  const opened = openFakeSession(
    {
      windows: [
        { id: 1, title: "Notes", pid },
        { id: 2, title: "Other" },
      ],
    },
    { tools: "devtools,desktop" },
  );
  const elements = new FakeElements(nodes.map((node) => ({ ...node, pid })));
  Object.assign(opened.backend, { elements });
  const uid = async (name: string): Promise<string> => {
    const found = await opened.call("find_elements", { name, pid });
    return (found["elements"] as { uid: string }[])[0]?.uid ?? "";
  };
  const answer = async (tool: string, ref: string) => {
    const result = await opened.outcome(tool, { uid: ref });
    return result.kind === "failed" ? result.envelope.error : result.kind;
  };
  return { ...opened, elements, uid, answer };
}

/** The error codes that `ax_click` and `ax_select` share, one after the other on the same element. */
async function goThroughCodes(tool: string, usable: FakeNode, without: string): Promise<void> {
  const { call, elements, uid, answer } = await open();
  const name = usable.name ?? "";
  expect(await answer(tool, await uid(name))).toBe("done");
  expect(await answer(tool, await uid(without))).toMatchObject({ code: "not_dispatchable", fallback });
  const old = await uid(name);
  await call("take_ax_snapshot", { pid });
  expect(await answer(tool, old)).toMatchObject({ code: "snapshot_expired" });
  const fresh = await uid(name);
  elements.onPerform = () => {
    throw new ToolError("ax_error", "The program refused: no.");
  };
  expect(await answer(tool, fresh)).toMatchObject({ code: "ax_error" });
  elements.nodes = elements.nodes.filter(({ runtimeId }) => runtimeId !== usable.runtimeId);
  expect(await answer(tool, fresh)).toMatchObject({ code: "uid_not_found" });
}

test("an app that does not answer has not lost its elements: only a responsive app can say they are gone", async () => {
  const { call, elements } = await open();
  const tree = elements.tree.bind(elements);
  const answers = ["timeout", "not_supported", "timeout"] as const;
  let asked = 0;
  elements.tree = async (...args) => {
    const code = answers[asked++];
    if (code) throw new ToolError(code, "No answer yet.");
    return tree(...args);
  };
  const wait = { condition: "element", selector: "Button:Press", pid };
  expect(await call("wait_for", wait)).toMatchObject({ met: true, element: { name: "Press" } });
  expect(asked).toBe(answers.length + 1);
  asked = 0;
  const gone = { ...wait, condition: "element_gone", timeout_ms: 300 };
  await expect(call("wait_for", gone)).rejects.toMatchObject({ code: "timeout" });
  elements.nodes = elements.nodes.filter(({ name }) => name !== "Press");
  expect(await call("wait_for", gone)).toMatchObject({ met: true });
});

test("the name of a password field is not read as its text", async () => {
  const { call, elements } = await open();
  const states = ["enabled", "showing", "editable", "password"] as const;
  elements.nodes = elements.nodes.map((node) => (node.name === "Plain" ? { ...node, name: "PIN", states } : node));
  expect(await call("read_text", { text: "PIN", pid })).toMatchObject({
    text: "",
    length: 0,
    element: { name: "PIN" },
  });
  expect(await call("read_text", { text: "Press", pid })).toMatchObject({ text: "Press" });
});

test("the third time an action changes nothing a loop is suspected; another action or a change ends it", async () => {
  const { call, elements, uid } = await open();
  const suspected = async (name: string) => {
    const { suspected_loop = false } = await call("ax_click", { uid: await uid(name), settle_ms: 20 });
    return suspected_loop;
  };
  const presses = async (count: number) => {
    const answers: unknown[] = [];
    for (let press = 0; press < count; press++) answers.push(await suspected("Press"));
    return answers;
  };
  expect(await presses(4)).toEqual([false, false, true, true]);
  elements.change("plain", { name: "Pressed" });
  expect(await presses(3)).toEqual([false, false, true]);
  await call("ax_select", { uid: await uid("Row"), settle_ms: 20 });
  expect(await presses(1)).toEqual([false]);
});

test("two targets are refused, not chosen between", async () => {
  const { call, uid } = await open();
  const ref = await uid("Press");
  const twice: readonly (readonly [string, object, RegExp])[] = [
    ["act", { action: "click", uid: ref, stable_id: "x" }, /one of uid, selector, region, region_id, stable_id/],
    ["act", { action: "drag", uid: ref, to_uid: ref, to_stable_id: "x" }, /one of to_uid, .*to_stable_id/],
    ["ax_set_value", { uid: ref, text: "a", value: "b" }, /text or value/],
  ];
  for (const [tool, args, message] of twice) {
    await expect(call(tool, args)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(message) as unknown,
    });
  }
});

test("ax_click has a separate code for each reason why it could not [S2-11, S2-57]", async () => {
  await goThroughCodes("ax_click", button, "Plain");
});

test("ax_select has a separate code for each reason why it could not [S2-11, S2-67]", async () => {
  await goThroughCodes("ax_select", row, "Fixed");
  const { uid, answer } = await open();
  expect(await answer("ax_select", await uid("Press"))).toMatchObject({ code: "no_row_ancestor" });
  expect(await answer("ax_select", await uid("Stray"))).toMatchObject({ code: "no_outline_container" });
});

test.each([1, 2])(
  "a scrolled-away cell of a sheet is brought into view with keys, at try %d, and clicked there",
  async (atTry) => {
    const { call, elements, backend, uid } = await open();
    const { desktop } = backend;
    const states = ["enabled", "editable"] as const;
    const cell = { runtimeId: "B500", parent: "list", role: "cell", nativeRole: "cell", name: "B500", pid } as const;
    elements.nodes = [...elements.nodes, { ...cell, states: [...states, "showing"], actions: ["focus"], bounds }];
    const { keyboard } = backend;
    const clickPoint = screenPoint(fallback.x, fallback.y);
    let tries = 0;
    const down = async (...[key, options]: Parameters<NonNullable<typeof keyboard>["down"]>) => {
      await keyboard?.down(key, options);
      if (key === "left" && ++tries === atTry)
        elements.change("B500", { states: [...states, "showing", "focused"], bounds, clickPoint });
    };
    Object.assign(backend, { keyboard: { ...keyboard, down } });
    const ref = await uid("B500");
    // As in LibreOffice Calc: the focus makes it the current cell, and only the keys scroll to it.
    elements.change("B500", { states, bounds: undefined, clickPoint: undefined });
    expect(await call("click", { uid: ref })).toMatchObject({ dispatched_via: "pointer" });
    const pressed = desktop.events.filter((event) => /down/.test(event));
    const aside = Array.from({ length: atTry }, () => ["key down right", "key down left"]).flat();
    expect(pressed).toEqual([...aside, "down left"]);
    expect(desktop.events).toContain(`move ${fallback.x},${fallback.y}`);
  },
);

test("a text inside a word is found, and never clicked", async () => {
  const { call, outcome, elements } = await open();
  const add = (name: string): void => {
    const states = ["enabled", "showing"] as const;
    const own = { runtimeId: name, parent: "w", role: "button", nativeRole: "button", name, pid } as const;
    elements.nodes = [
      ...elements.nodes,
      { ...own, states, actions: ["press"], bounds, clickPoint: screenPoint(50, 30) },
    ];
  };
  add("Book");
  expect(await call("find_text", { text: "OK", pid })).toMatchObject({ matches: [{ text: "Book" }] });
  const refused = { kind: "failed", envelope: { error: { code: "not_found" } } };
  expect(await outcome("click", { text: "OK", pid })).toMatchObject(refused);
  add("OK");
  const { target } = await call("click", { text: "OK", pid });
  expect(target).toMatchObject({ element: expect.stringContaining('"OK"') as string });
});

test("names, values and descriptions are searched for a text, and a match says which of them has it [S2-35]", async () => {
  const texts = { name: { name: "Invoice" }, value: { value: "Invoice" }, description: { description: "Invoice" } };
  for (const [field, own] of Object.entries(texts)) {
    const { call, backend } = await open();
    const node = { runtimeId: field, parent: "w", role: "textbox", name: "", bounds, pid, ...own } as const;
    Object.assign(backend, { elements: new FakeElements([...nodes.map((each) => ({ ...each, pid })), node]) });
    const { matches } = await call("find_text", { text: "invoice", pid });
    expect(matches).toMatchObject([{ text: "Invoice", source: "accessibility", matched: field }]);
  }
});

test("delivery says whether an action may take pointer and focus, and the result which way it went [S4-45]", async () => {
  const { call, backend, uid } = await open();
  const { events } = backend.desktop;
  const ways = async (delivery: string) => {
    const { method, dispatched_via } = await call("click", { uid: await uid("Press"), delivery });
    return [method, dispatched_via, events.splice(0).filter((event) => !event.startsWith("move"))];
  };
  expect(await ways("background")).toEqual(["ax", expect.any(String), []]);
  expect(await ways("auto")).toEqual(["ax", expect.any(String), []]);
  expect(await ways("foreground")).toEqual(["input", "pointer", ["down left", "up left"]]);
  const plain = await uid("Plain");
  await expect(call("click", { uid: plain, delivery: "background" })).rejects.toMatchObject({
    code: "not_dispatchable",
    hint: expect.stringContaining('"foreground"'),
  });
  expect(events).toEqual([]);
  await call("focus_window", { window_id: 2 });
  events.splice(0);
  // No way around the focus is left: its window comes to the front first.
  expect(await call("click", { uid: plain, delivery: "auto" })).toMatchObject({ method: "input" });
  expect(events.filter((event) => !event.startsWith("move"))).toEqual(["window focus 1", "down left", "up left"]);
});
