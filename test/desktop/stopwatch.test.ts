import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

test("a dead key and a dead button beside a running stopwatch are never confirmed, not even at first", async () => {
  const { handsight, windowId } = await openApp("gtk3_stopwatch", "Stopwatch");
  const effects: unknown[] = [];
  for (let round = 0; round < 3; round++) {
    effects.push((await handsight.call("press_key", { key: "F9", window_id: windowId }))["effect"]);
    const button = { selector: "Button:Do nothing", window_title: "Stopwatch" };
    effects.push((await handsight.call("click", button))["effect"]);
  }
  expect(effects).not.toContain("confirmed");
});
