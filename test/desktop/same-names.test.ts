import { expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openApp } from "../support/open-app.ts";

test("the button of the window in front or of its modal dialog is meant where others are called the same", async () => {
  const { handsight, app } = await openApp("gtk3_same_names", "Report");
  const front = async (title: string) => {
    await handsight.call("focus_window", { window_title: title });
    await handsight.call("wait_for", { condition: "window_active", window_title: title });
  };
  const clicked = () => app.events.filter(({ event }) => event === "clicked").map(({ where }) => where);
  const clickOk = async (count: number) => {
    const found = async () => ((await handsight.ask("click", { text: "OK" })).isError ? undefined : true);
    await poll(found, { timeoutMs: 5_000, everyMs: 100 });
    await app.waitFor(() => clicked().length >= count);
  };
  await front("Report");
  await clickOk(1);
  await front("Letter");
  await clickOk(2);
  // Asks in the window that is not in front, so the dialog is the only thing that can be used.
  await handsight.call("click", { text: "Ask Letter" });
  await handsight.call("wait_for", { condition: "window_active", window_title: "Question" });
  await clickOk(3);
  expect(clicked()).toEqual(["Report", "Letter", "Question"]);
});
