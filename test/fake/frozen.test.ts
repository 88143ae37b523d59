import { expect, test } from "vitest";
import { ToolError } from "../../src/base/errors.ts";
import type { ScreenPoint } from "../../src/base/geometry.ts";
import type { ElementScope, HastyOptions } from "../../src/platform/backend.ts";
import { toScope } from "../../src/platform/scope.ts";
import { FakeElements } from "../../src/platform/fake/elements.ts";
import { openFakeSession } from "../support/fake-session.ts";

// No process on the test machine has this id.
const pid = 2_000_000_000;
const bounds = { x: 0, y: 0, width: 100, height: 80 };
const save = { runtimeId: "save", parent: "w", role: "button", name: "Save", pid, bounds } as const;

/** An app that never responds; adds up what each question would have cost. */
function openFrozen() {
  const opened = openFakeSession({ windows: [{ id: 1, pid, bounds }] }, { settleMs: "100" });
  const elements = new FakeElements([
    { runtimeId: "w", role: "window", pid, bounds },
    save,
    { ...save, runtimeId: "b" },
  ]);
  const app = { waitedMs: 0, drains: 0, isFrozen: true };
  const ask = async <T>(answer: () => Promise<T>, { timeoutMs = Infinity }: HastyOptions = {}): Promise<T> => {
    if (!app.isFrozen) return answer();
    app.waitedMs += timeoutMs;
    throw new ToolError("timeout", "No answer.");
  };
  Object.assign(opened.backend, {
    elements: {
      scope: toScope,
      tree: (scope: ElementScope, options: HastyOptions) => ask(() => elements.tree(scope, { maxNodes: 100 }), options),
      at: (point: ScreenPoint, options?: HastyOptions) => ask(() => elements.at(point), options),
      focused: (options?: HastyOptions) => ask(() => elements.focused(), options),
      read: (ids: readonly string[], options?: HastyOptions) => ask(() => elements.read(ids), options),
    },
    windows: {
      ...opened.backend.windows,
      async drained() {
        app.drains++;
        return false;
      },
    },
  });
  return { ...opened, app };
}

const evidenceMs = 700;

test.each([
  ["click", { x: 10, y: 10 }],
  ["click", { window_id: 1, window_x: 10, window_y: 10 }],
  ["click", { x: 10, y: 10, clicks: 2 }],
  ["scroll", { x: 10, y: 10, delta_y: 100 }],
  ["drag", { start_x: 10, start_y: 10, end_x: 20, end_y: 20 }],
] as const)("a frozen app costs an action the time evidence is worth and no more: %s %j", async (tool, args) => {
  const { call, app } = openFrozen();
  expect(await call(tool, args)).toMatchObject({ ok: true });
  expect(app).toMatchObject({ waitedMs: evidenceMs, drains: 0 });
});

test("it is asked again by the next action", async () => {
  const { call, app } = openFrozen();
  await call("click", { x: 10, y: 10 });
  app.isFrozen = false;
  expect(await call("click", { x: 10, y: 10 })).toMatchObject({ node_before: { name: "Save" } });
});

test("an app that is busy with what was done is asked until it answers", async () => {
  const { call, app, backend } = openFrozen();
  app.isFrozen = false;
  let asked = 0;
  backend.desktop.beforeEach = (operation) => {
    if (operation === "up") app.isFrozen = true;
    if (operation === "capture" && app.isFrozen && ++asked > 1) app.isFrozen = false;
  };
  expect(await call("click", { x: 10, y: 10, settle_ms: 400 })).toMatchObject({ node_after: { name: "Save" } });
});
