import { describe, expect, test } from "vitest";
import { expect as expectUi } from "../../src/api/expect.ts";
import type { App } from "../../src/api/desktop.ts";
import { ToolError } from "../../src/base/errors.ts";
import type { NodeState, UiNode } from "../../src/base/node.ts";
import { overSession } from "../../src/open.ts";
import { FakeElements, type FakeNode } from "../../src/platform/fake/elements.ts";
import { openFakeSession } from "../support/fake-session.ts";

// No process on the test machine has this id.
const pid = 2_000_000_000;
const bounds = { x: 10, y: 20, width: 80, height: 20 };
const usable: NodeState[] = ["enabled", "showing"];

const node = (runtimeId: string, role: string, name: string, more: Partial<UiNode> = {}): FakeNode => ({
  runtimeId,
  parent: "w",
  role,
  name,
  bounds,
  states: usable,
  actions: role === "button" || role === "checkbox" ? ["press"] : [],
  pid,
  windowId: 1,
  ...more,
});

interface Opened {
  readonly app: App;
  readonly elements: FakeElements;
  /** The input that the desktop got. */
  readonly events: readonly string[];
  /** Does something to the app when its elements have been read this often. */
  readonly afterLooks: (looks: number, change: () => void) => void;
}

async function openLibrary(nodes: readonly FakeNode[]): Promise<Opened> {
  const { session, backend } = openFakeSession({ windows: [{ id: 1, title: "Notes", pid, appName: "notes" }] });
  const elements = new FakeElements([{ runtimeId: "w", role: "window", name: "Notes", pid, windowId: 1 }, ...nodes]);
  Object.assign(backend, { elements });
  const tree = elements.tree.bind(elements);
  let seen = 0;
  const planned = new Map<number, () => void>();
  elements.tree = async (...args) => {
    const read = await tree(...args);
    planned.get(++seen)?.();
    return read;
  };
  const library = overSession(session, { timeoutMs: 2_000, pictures: "" });
  const app = await library.desktop.app(pid);
  return {
    app,
    elements,
    events: backend.desktop.events,
    afterLooks: (looks, change) => planned.set(seen + looks, change),
  };
}

const save = node("save", "button", "Save");
const errorOf = async (work: Promise<unknown>): Promise<ToolError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ToolError) return error;
  throw new Error(`expected a ToolError, got ${String(error)}`);
};

describe("an action waits until its target is ready, and acts once", () => {
  test.each([
    ["appears", [], (elements: FakeElements) => (elements.nodes = [...elements.nodes, complete(save)])],
    ["shows", [{ ...save, states: ["enabled"], bounds: undefined }], restore],
    ["is enabled", [{ ...save, states: ["showing"] }], restore],
    [
      "is replaced by a new one",
      [{ ...save, states: ["showing"] }],
      (elements: FakeElements) =>
        (elements.nodes = [
          ...elements.nodes.filter(({ runtimeId }) => runtimeId !== "save"),
          complete({ ...save, runtimeId: "new" }),
        ]),
    ],
    [
      "is no longer one of two",
      [save, { ...save, runtimeId: "old", bounds: { ...bounds, y: 90 } }],
      (elements: FakeElements) => (elements.nodes = elements.nodes.filter(({ runtimeId }) => runtimeId !== "old")),
    ],
  ] as const)("that %s", async (_what, before, change) => {
    const { app, elements, afterLooks } = await openLibrary(before as readonly FakeNode[]);
    afterLooks(2, () => change(elements));
    await app.getByRole("button", { name: "Save" }).click();
    expect(elements.performed).toHaveLength(1);
  });

  const complete = (made: FakeNode): UiNode => new FakeElements([made]).nodes[0] as UiNode;
  function restore(elements: FakeElements): void {
    elements.change("save", { states: usable, bounds });
  }
});

describe("what never becomes ready fails with the reason, and nothing is done", () => {
  test.each([
    ["not_found", /No element matches.*button:"Save".*Waited/s, []],
    ["not_dispatchable", /is disabled.*Waited/s, [{ ...save, states: ["showing"] as NodeState[] }]],
    ["ambiguous_target", /2 elements match/, [save, { ...save, runtimeId: "other", bounds: { ...bounds, y: 90 } }]],
  ] as const)("%s", async (code, message, nodes) => {
    const { app, elements } = await openLibrary(nodes as readonly FakeNode[]);
    const error = await errorOf(app.getByRole("button", { name: "Save" }).click({ timeoutMs: 200 }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.details.snapshot).toContain("window");
    expect(elements.performed).toEqual([]);
  });

  test("a disabled element is not clicked with the pointer either", async () => {
    const { app, events } = await openLibrary([{ ...save, states: ["showing"], actions: [] }]);
    const error = await errorOf(app.getByRole("button", { name: "Save" }).click({ timeoutMs: 100 }));
    expect(error.message).toMatch(/is disabled/);
    expect(events).toEqual([]);
  });

  test("several candidates are listed", async () => {
    const { app } = await openLibrary([save, { ...save, runtimeId: "other", bounds: { ...bounds, y: 90 } }]);
    const error = await errorOf(app.getByRole("button", { name: "Save" }).click({ timeoutMs: 0 }));
    expect(error.details.candidates).toEqual([
      expect.stringContaining('button "Save" at 10,20'),
      expect.stringContaining('button "Save" at 10,90'),
    ]);
  });
});

test("locators are narrowed without looking: position, content, a second condition, another element", async () => {
  const row = (id: string, name: string): FakeNode[] => [
    node(id, "row", name, { bounds: { ...bounds, y: Number(id.slice(1)) } }),
    node(`${id}-delete`, "button", "Delete", { parent: id, bounds: { ...bounds, y: Number(id.slice(1)) } }),
  ];
  const { app, elements } = await openLibrary([...row("r40", "Ann"), ...row("r60", "Bob"), ...row("r80", "Cid")]);
  const deletes = app.getByRole("button", { name: "Delete" });
  expect(await deletes.count()).toBe(3);
  await deletes.first().click();
  await deletes.last().click();
  await deletes.nth(1).click();
  await app.getByRole("row").filter({ hasText: "Bob" }).getByRole("button").click();
  await deletes.within(app.getByRole("row", { name: "Cid" })).click();
  await app
    .getByRole("row")
    .filter({ has: app.getByText("Ann") })
    .getByText("Delete")
    .click();
  await app.getByRole("row").nth(1).filter({ enabled: true }).getByRole("button").click();
  await app.getByRole("button").and(app.locator("Row:Ann > Button")).click();
  expect(elements.performed.map((done) => /r\d+/.exec(done)?.[0])).toEqual([
    "r40",
    "r80",
    "r60",
    "r60",
    "r80",
    "r40",
    "r60",
    "r40",
  ]);
});

test("a demanded effect that was not seen throws with the evidence", async () => {
  const { app } = await openLibrary([save]);
  const locator = app.getByRole("button", { name: "Save" });
  expect(await locator.click({ settleMs: 0 })).toMatchObject({ ok: true, effect: "unverifiable" });
  const error = await errorOf(locator.click({ settleMs: 0, effect: "confirmed" }));
  expect(error.code).toBe("not_confirmed");
  expect(error.message).toMatch(/The effect is unverifiable.*done by: ax/s);
});

describe("expect looks again until it holds", () => {
  const field = node("name", "textbox", "Name", { value: "", placeholder: "Your name" });

  test("values, texts, states and counts, by label and placeholder", async () => {
    const { app, elements, afterLooks } = await openLibrary([field, { ...save, states: ["showing"] }]);
    const name = app.getByLabel("Name");
    afterLooks(2, () => elements.change("name", { value: "Ada" }));
    await expectUi(name).toHaveValue("Ada");
    await expectUi(app.getByPlaceholder("your name")).toHaveText(/^A/);
    await expectUi(name).not.toHaveText("ada");
    afterLooks(2, () => elements.change("save", { states: usable }));
    await expectUi(app.getByText("Save")).not.toBeDisabled();
    await expectUi(app.getByRole("button")).toHaveCount(1);
    afterLooks(2, () => (elements.nodes = elements.nodes.filter(({ runtimeId }) => runtimeId !== "save")));
    await expectUi(app.getByRole("button")).toBeHidden();
    await expectUi(app.getByRole("button")).not.toBeVisible();
  });

  test("a failure shows what was expected, what was seen, and what is there", async () => {
    const { app } = await openLibrary([field]);
    const failing = expectUi(app.getByLabel("Name")).toHaveValue("Ada", { timeoutMs: 100 });
    await expect(failing).rejects.toMatchObject({
      code: "ERR_ASSERTION",
      actual: "",
      expected: "Ada",
      message: expect.stringMatching(
        /expect\(Field:"Name"\)\.toHaveValue failed after 100 ms\n {2}expected: "Ada"\n {2}seen: ""\n {2}snapshot:\n.*textbox "Name"/s,
      ),
    });
    await expect(expectUi(app.getByLabel("Name")).not.toBeVisible({ timeoutMs: 0 })).rejects.toThrow(
      /not\.toBeVisible.*expected: not "visible"\n {2}seen: "visible"/s,
    );
  });
});
