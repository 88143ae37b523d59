import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

test("every visible cell of a table that is a thousand columns wide is listed and can be clicked", async () => {
  const { handsight, app, windowId } = await openApp("qt6_sheet", "Sheet");
  const where = { window_id: windowId };
  await handsight.call("wait_for", { condition: "stable", ...where, timeout_ms: 30_000 });
  const { elements } = await handsight.call("find_elements", { role: "cell", ...where, max_results: 500 });
  const names = new Set((elements as { name: string }[]).map(({ name }) => name));
  for (const row of [1, 2, 8, 13]) {
    for (const column of [1, 3, 6]) expect(names).toContain(`R${row}C${column}`);
  }
  expect(names.size).toBeLessThan(300);
  await handsight.call("click", { text: "R12C4", ...where, delivery: "foreground" });
  await app.waitFor(({ event, cell }) => event === "current" && cell === "R12C4");
});

test("a cell of a sheet is found by its name wherever the sheet is scrolled, without reading the others", async () => {
  const { handsight, windowId } = await openApp("qt6_sheet", "Sheet", { app: ["--letters"] });
  const where = { window_id: windowId };
  await handsight.call("wait_for", { condition: "stable", ...where, timeout_ms: 30_000 });
  const found = async (search: Record<string, unknown>) => {
    const { elements } = await handsight.call("find_elements", { ...where, ...search });
    return (elements as { name: string; role: string; states: string[] }[]).map(({ name }) => name);
  };
  expect(await found({ selector: "Cell:B500" })).toEqual(["B500"]);
  expect(await found({ name: "AB777" })).toEqual(["AB777"]);
  expect(await found({ selector: "Cell:B5" })).toEqual(["B5"]);
  expect(await found({ selector: "Cell:B5000" })).toEqual([]);
});

test("a row of a Qt table that is selected natively is selected alone, also where single cells were", async () => {
  const { handsight, app, windowId } = await openApp("qt6_sheet", "Sheet", { app: ["--small"] });
  const where = { window_id: windowId };
  await handsight.call("wait_for", { condition: "stable", ...where, timeout_ms: 30_000 });
  await handsight.call("click", { text: "R2C1", ...where, delivery: "foreground" });
  const { elements } = await handsight.call("find_elements", { selector: "Cell:R4C1", ...where });
  const [{ uid } = { uid: "" }] = elements as { uid: string }[];
  expect(await handsight.call("ax_select", { uid })).toMatchObject({ effect: "confirmed" });
  const last = () => app.events.findLast(({ event }) => event === "selected");
  await expect.poll(last).toMatchObject({ cells: ["R4C1", "R4C2", "R4C3"] });
});
