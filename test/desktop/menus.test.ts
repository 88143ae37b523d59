import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

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

async function openMenus(pid: number): Promise<number> {
  const { windows } = await handsight.call("list_windows", { pid, include_system: true });
  return (windows as { kind: string }[]).filter(({ kind }) => kind === "menu").length;
}

test.each(["gtk3", "qt5", "qt6"])("%s: a menu is closed after one of its entries was clicked", async (toolkit) => {
  await using app = await startFixture(`${toolkit}_controls`, { env: desktop.env });
  await app.waitFor(({ event }) => event === "ready", 30_000);
  const { pid } = app;
  await handsight.call("wait_for", { condition: "window_active", pid, timeout_ms: 30_000 });
  await handsight.call("wait_for", { condition: "stable", pid, timeout_ms: 30_000 });
  const uid = async (role: string, name: string): Promise<string> => {
    const found = async () => {
      const { elements } = await handsight.call("find_elements", { selector: `${role}:${name}`, pid });
      return (elements as { uid: string; states: string[] }[]).find(({ states }) => states.includes("showing"))?.uid;
    };
    const shown = await poll(found, { timeoutMs: 5_000, everyMs: 100 });
    if (shown === undefined) throw new Error(`no ${name}`);
    return shown;
  };
  // Opened natively, the menus of some apps have their first entry chosen, as if a key had opened them.
  const opened = await handsight.call("click", { uid: await uid(toolkit === "gtk3" ? "Menu" : "MenuItem", "File") });
  expect(opened).toMatchObject({ effect: "confirmed", dispatched_via: "pointer" });
  expect(await openMenus(pid)).toBe(1);
  expect(await handsight.call("click", { uid: await uid("MenuItem", "Save") })).toMatchObject({ effect: "confirmed" });
  expect(await app.waitFor(({ event }) => event === "menu")).toMatchObject({ name: "Save" });
  expect(
    await poll(async () => ((await openMenus(pid)) === 0 ? true : undefined), { timeoutMs: 5_000, everyMs: 50 }),
  ).toBe(true);
  expect(app.events.filter(({ event }) => event === "menu")).toHaveLength(1);
});

test("GTK 3: at the place of an entry is the entry, not what its menu covers", async () => {
  const { pid } = await handsight.call("launch_app", { app_name: "gucharmap" });
  onTestFinished(async () => void (await handsight.call("quit_app", { pid, force: true })));
  await handsight.call("wait_for", { condition: "stable", pid });
  await handsight.call("click", { text: "View", pid });
  const { elements } = await handsight.call("find_elements", { selector: "MenuItem", pid });
  const shown = (elements as { name: string; states: string[]; click_point: object }[]).filter(({ states }) =>
    states.includes("showing"),
  );
  expect(shown.length).toBeGreaterThan(3);
  for (const { name, click_point } of shown)
    expect(await handsight.call("element_at_point", { ...click_point })).toMatchObject({ element: { name } });
});
