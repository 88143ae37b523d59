import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

describe.each([1, 2])("GTK 4 popovers at scale %i", (scale) => {
  let desktop: VirtualDesktop;
  let handsight: Handsight;
  let app: Fixture;
  const where = { window_title: "Popovers" };

  beforeAll(async () => {
    desktop = await openVirtualDesktop({ width: 1600, height: 1000, monitors: 1, scale });
    handsight = await startHandsight(desktop.env);
    app = await startFixture("gtk4_popovers", { env: desktop.env });
    await app.waitFor(({ event }) => event === "ready", 30_000);
    await handsight.call("wait_for", { condition: "stable", ...where, timeout_ms: 30_000 });
  });
  afterAll(async () => {
    await app?.stop();
    await handsight?.[Symbol.asyncDispose]();
    await desktop?.[Symbol.asyncDispose]();
  });

  const chosen = () => app.events.filter(({ event }) => event === "chosen").map(({ name }) => name);
  const click = (text: string, how = {}) => handsight.call("click", { text, ...where, ...how });
  const popups = async (): Promise<readonly { readonly window_id: number }[]> => {
    const { windows } = await handsight.call("list_windows", { pid: app.pid, include_system: true });
    return (windows as { window_id: number; kind: string }[]).filter(({ kind }) => kind === "menu");
  };
  const untilPopups = (count: number) =>
    poll(async () => ((await popups()).length === count ? true : undefined), { timeoutMs: 5_000, everyMs: 50 });
  const found = async (name: string): Promise<readonly { readonly uid: string }[]> => {
    const { elements } = await handsight.call("find_elements", { name, ...where });
    return (elements as { uid: string; name: string }[]).filter((element) => element.name === name);
  };

  test.each([
    ["Main menu", {}, "Gamma"],
    ["More", {}, "Two"],
    ["Red", {}, "Blue"],
    ["Right click here", { button: "right" }, "Paste"],
  ])("%s: the pointer hits the item that is named, which is gone when it is closed", async (opener, how, item) => {
    await click(opener, how);
    expect(await untilPopups(1)).toBe(true);
    const before = chosen().length;
    await click(item, { delivery: "foreground" });
    await app.waitFor(() => chosen().length > before);
    expect(chosen().slice(before)).toEqual([item]);
    if ((await popups()).length > 0) await handsight.call("press_key", { key: "Escape", ...where });
    expect(await untilPopups(0)).toBe(true);
    if (item !== "Blue") expect(await found(item)).toEqual([]);
  });

  // The rest is the same at any scale.
  if (scale > 1) return;

  test("the item at a point of a popover is the one that is drawn there", async () => {
    await click("Main menu");
    expect(await untilPopups(1)).toBe(true);
    const { elements } = await handsight.call("find_elements", { name: "Beta", ...where });
    const [{ bounds }] = elements as [{ bounds: { x: number; y: number; width: number; height: number } }];
    const at = { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
    expect(JSON.stringify(await handsight.call("element_at_point", at))).toContain("Beta");
    await handsight.call("press_key", { key: "Escape", ...where });
    expect(await untilPopups(0)).toBe(true);
  });

  test("a uid of a popover that has closed is not clicked where something else is now", async () => {
    await click("More");
    expect(await untilPopups(1)).toBe(true);
    const [three] = await found("Three");
    await handsight.call("press_key", { key: "Escape", ...where });
    expect(await untilPopups(0)).toBe(true);
    const before = chosen().length;
    const { isError } = await handsight.ask("click", { uid: three?.uid, delivery: "foreground" });
    expect(isError).toBe(true);
    expect(chosen()).toHaveLength(before);
    expect(await popups()).toEqual([]);
  });

  test("a control is named by its own label, not by what it has opened", async () => {
    await click("More");
    expect(await untilPopups(1)).toBe(true);
    expect(await found("More")).not.toEqual([]);
    expect(await found("More One Two Three")).toEqual([]);
    await handsight.call("press_key", { key: "Escape", ...where });
    expect(await untilPopups(0)).toBe(true);
  });
});
