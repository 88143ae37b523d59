import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

test("a shortcut that saves without any sign of it cannot be verified; one that does nothing has no effect", async () => {
  const { handsight, app } = await openApp("gtk3_silent_save", "Silent save");
  // A window that is still being drawn changes by itself.
  await handsight.call("wait_for", { condition: "stable", window_title: "Silent save" });
  const dead = await handsight.call("press_key", { key: "ctrl+d" });
  expect(dead).toMatchObject({ effect: "no_change" });
  const saved = await handsight.call("press_key", { key: "ctrl+s" });
  await app.waitFor(({ event }) => event === "saved");
  expect(saved).toMatchObject({
    effect: "unverifiable",
    warning: expect.stringContaining("has written to a file") as string,
  });
});

test("a window that is disabled while its app is busy proves nothing; one that stays disabled does", async () => {
  const { handsight } = await openApp("gtk3_silent_save", "Silent save");
  await handsight.call("wait_for", { condition: "stable", window_title: "Silent save" });
  expect(await handsight.call("press_key", { key: "ctrl+b" })).toMatchObject({
    effect: "unverifiable",
    warning: expect.stringContaining("busy") as string,
  });
  expect(await handsight.call("press_key", { key: "ctrl+l" })).toMatchObject({ effect: "confirmed" });
});
