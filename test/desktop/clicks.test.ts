import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

test("a click on a checkable tool button of Qt opens its page, as a person's click does", async () => {
  const { handsight, app } = await openApp("qt6_tool_pages", "Tool pages");
  const security = { text: "Security", window_title: "Tool pages" };
  expect(await handsight.call("click", security)).toMatchObject({ method: "input", effect: "confirmed" });
  await app.waitFor(({ event, name }) => event === "opened" && name === "Security");
});

test("the native action of such a button is used on request, and says what it does not do", async () => {
  const { handsight } = await openApp("qt6_tool_pages", "Tool pages");
  const background = { text: "General", window_title: "Tool pages", delivery: "background" };
  expect(await handsight.call("click", background)).toMatchObject({
    method: "ax",
    warning: expect.stringContaining("may not take for a click") as string,
  });
});

test.each([
  ["click", {}],
  ["click", { delivery: "background" }],
] as const)("%s %o chooses one row of a table, and lets go of the others", async (tool, how) => {
  const { handsight, app } = await openApp("gtk3_many", "Many");
  for (const text of ["one", "three"]) {
    expect(await handsight.call(tool, { text, window_title: "Many", ...how })).toMatchObject({ effect: "confirmed" });
    await app.waitFor(({ event, names }) => event === "selected" && JSON.stringify(names) === JSON.stringify([text]));
  }
  expect(app.events.findLast(({ event }) => event === "selected")).toMatchObject({ names: ["three"] });
});
