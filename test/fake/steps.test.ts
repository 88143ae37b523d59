import { expect, test } from "vitest";
import type { FakeElements, FakeNode } from "../../src/platform/fake/elements.ts";
import { answerTexts } from "../../src/tools/answers.ts";
import { openFakeSession } from "../support/fake-session.ts";

const windows = [{ id: 1, title: "Order", appName: "order", pid: 11, bounds: { x: 0, y: 0, width: 600, height: 400 } }];
const at = (y: number) => ({ bounds: { x: 10, y, width: 100, height: 20 }, pid: 11 });
const size: FakeNode = { runtimeId: "size", role: "combobox", name: "Size", actions: ["press"], ...at(10) };
const gift: FakeNode = { runtimeId: "gift", role: "checkbox", name: "Gift", actions: ["toggle"], ...at(40) };
const send: FakeNode = { runtimeId: "send", role: "button", name: "Send", actions: ["press"], ...at(70) };
const large = { nativeRole: "button", name: "Large", states: ["enabled", "showing"], actions: ["press"] } as const;

function open(nodes: readonly FakeNode[]) {
  const { backend, call } = openFakeSession({ windows, elements: nodes }, { settleMs: "50" });
  const clicked: string[] = [];
  const elements = backend.elements as FakeElements;
  elements.onPerform = ({ runtimeId }) => void clicked.push(runtimeId);
  const run = (...steps: unknown[]) => call("run_steps", { steps, timeout_ms: 200 });
  return { elements, clicked, run };
}

test("an option is chosen among the entries that appear, not on a button of its name", async () => {
  const { elements, clicked, run } = open([size, { runtimeId: "other", role: "button", ...large, ...at(100) }]);
  const choice = { select: { option: "Large", from: "Size" } };
  expect(await run(choice)).toMatchObject({ ok: false, stopped: { code: "not_found" } });
  expect(clicked).toEqual(["size"]);
  elements.onPerform = ({ runtimeId }) => {
    clicked.push(runtimeId);
    if (runtimeId === "size")
      elements.nodes = [...elements.nodes, { runtimeId: "entry", role: "listitem", windowId: 1, ...large, ...at(130) }];
    else elements.change("size", { value: "Large" });
  };
  elements.change("other", { bounds: { x: 300, y: 300, width: 50, height: 20 } });
  await run(choice);
  expect(clicked).toEqual(["size", "size", "entry"]);
});

test("what is expected of a step that has nothing to do is about its own element and its own effect", async () => {
  const name: FakeNode = { runtimeId: "name", role: "textbox", name: "Name", value: "Ada", ...at(10) };
  const { run } = open([name, gift, send]);
  const fill = { fill: { into: "Name", text: "Ada" } };
  expect(await run({ ...fill, expect: { value: "Ada" } })).toMatchObject({ ok: true });
  expect(await run({ check: "Gift" }, { ...fill, expect: { changed: true } })).toMatchObject({
    ran: 1,
    stopped: { step: 2, code: "timeout" },
  });
  expect(await run({ uncheck: "Gift", expect: { changed: true } })).toMatchObject({ ok: true });
});

test("a mixed box is neither checked nor unchecked, and a button is no box", async () => {
  const { elements, clicked, run } = open([{ ...gift, states: ["enabled", "showing", "mixed"] }, send]);
  elements.onPerform = ({ runtimeId }) => {
    clicked.push(runtimeId);
    elements.mark(runtimeId, undefined, "mixed");
  };
  expect(await run({ uncheck: "Gift" })).toMatchObject({ ok: true });
  // The first click has checked it.
  expect(clicked).toEqual(["gift", "gift"]);
  expect(elements.find("gift")?.states).not.toContain("checked");
  expect(await run({ uncheck: "Send" })).toMatchObject({ stopped: { code: "pattern_unsupported" } });
  expect(clicked).toHaveLength(2);
});

test("what is below the edge of the screen is not in view", async () => {
  const { run } = open([send, { ...send, runtimeId: "below", name: "Below", ...at(9_000) }]);
  expect(await run({ scroll: { until: { role: "button", name: "Send" } } })).toMatchObject({
    ok: true,
    steps: [{ note: "is in view already" }],
  });
  expect(await run({ scroll: { until: { role: "button", name: "Below" } } })).toMatchObject({
    ok: false,
    stopped: { code: "not_found" },
  });
});

test("a run that is done tells what its last action changed, and not each step that went well", async () => {
  const said: FakeNode = { runtimeId: "said", role: "statusbar", name: "", ...at(100) };
  const { backend, call } = openFakeSession({ windows, elements: [gift, send, said] }, { settleMs: "50" });
  const elements = backend.elements as FakeElements;
  elements.onPerform = ({ runtimeId }) => {
    if (runtimeId === "send") elements.change("said", { name: "Sent." });
  };
  const steps = [{ check: "Gift" }, { click: "Send" }];
  expect(await call("run_steps", { steps })).toMatchObject({
    ok: true,
    changes: { tree: [expect.stringMatching(/^~ statusbar a\d+g\d+ → "Sent\."$/)] },
    steps: [{ saw: expect.stringMatching(/^~ checkbox "Gift"/) }, { effect: "confirmed" }],
  });
  elements.change("said", { name: "" });
  elements.mark("gift", undefined, "checked");
  const data = await call("run_steps", { steps });
  expect(answerTexts("run_steps", { data, isUntrusted: false }, "text")).toEqual([
    expect.stringMatching(/^done: 2 steps\n~ statusbar a\d+g\d+ → "Sent\."$/),
  ]);
});

test("a click into the field that has the focus is done, elsewhere nothing changed ends the run", async () => {
  const name: FakeNode = { runtimeId: "name", role: "textbox", name: "Name", ...at(10) };
  const focused: FakeNode = { ...name, states: ["enabled", "showing", "focused", "editable"] };
  const { run } = open([focused, send]);
  expect(await run({ click: "Name" })).toMatchObject({ ok: true, steps: [{ note: "had the focus already" }] });
  expect(await run({ press: "ctrl+End" })).toMatchObject({ ok: true });
  expect(await run({ press: "F5" })).toMatchObject({ ok: false, stopped: { code: "no_change" } });
  expect(await run({ click: "Send" })).toMatchObject({ ok: false, stopped: { code: "no_change" } });
});

test("a button that is disabled is waited for, and stays the reason if it remains so", async () => {
  const { elements, clicked, run } = open([gift, { ...send, states: ["showing"] }]);
  expect(await run({ click: "Send" })).toMatchObject({
    stopped: { code: "not_dispatchable", reason: expect.stringContaining("disabled") },
  });
  elements.onPerform = ({ runtimeId }) => {
    clicked.push(runtimeId);
    if (runtimeId === "gift") setTimeout(() => elements.mark("send", "enabled"), 60);
    else elements.change("send", { name: "Sent" });
  };
  expect(await run({ check: "Gift" }, { click: "Send" })).toMatchObject({ ok: true });
  expect(clicked).toEqual(["gift", "send"]);
});
