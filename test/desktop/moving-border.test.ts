import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

test("a border that moves twice a second confirms no dead key, and is never said to be unchanged when it stops", async () => {
  const { handsight, app, windowId } = await openApp("gtk3_ants", "Moving border");
  const press = async (key: string): Promise<unknown> =>
    (await handsight.call("press_key", { key, window_id: windowId }))["effect"];
  const dead: unknown[] = [];
  for (let round = 0; round < 4; round++) dead.push(await press("F9"));
  expect(dead).not.toContain("confirmed");
  // The border has to be seen moving without a key.
  const movesOn = async (): Promise<void> => {
    const [now] = app.events.filter(({ event }) => event === "moved").slice(-1);
    await app.waitFor(({ event, times }) => event === "moved" && Number(times) >= Number(now?.["times"] ?? 0) + 5);
  };
  await movesOn();
  expect(await press("F9")).toBe("no_change");
  await movesOn();
  const stopped = await handsight.call("press_key", { key: "escape", window_id: windowId });
  await app.waitFor(({ event, name }) => event === "key" && name === "Escape");
  expect(stopped).toMatchObject({ effect: "unverifiable", warning: expect.stringContaining("has stopped") as string });
});

test("a border that has only just begun to move is seen moving before a key stops it", async () => {
  const { handsight, app, windowId } = await openApp("gtk3_ants", "Moving border");
  const press = (key: string) => handsight.call("press_key", { key, window_id: windowId });
  const movesAgain = async (): Promise<void> => {
    const before = app.events.filter(({ event }) => event === "moved").length;
    await app.waitFor(() => app.events.filter(({ event }) => event === "moved").length > before);
  };
  await press("escape");
  for (let round = 0; round < 2; round++) {
    await press("c");
    await movesAgain();
    expect(await press("escape")).toMatchObject({
      effect: "unverifiable",
      warning: expect.stringContaining("has stopped") as string,
    });
  }
});
