import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

test("a question that a button waits for can be read and answered", async () => {
  const { handsight, app } = await openApp("gtk3_asker", "Asker");
  const { elements } = await handsight.call("find_elements", { selector: "Button:Ask", window_title: "Asker" });
  const [ask] = elements as { uid: string }[];
  const asked = await handsight.call("click", { uid: ask?.uid });
  expect(asked).toMatchObject({ effect: "confirmed", changes: { windows: [expect.stringContaining("Question")] } });
  const { windows } = await handsight.call("list_windows", { filter: "Question" });
  const [question] = windows as { window_id: number }[];
  const { data } = await handsight.ask("press_key", { key: "escape", window_title: "Asker" });
  expect(data).toMatchObject({
    error: { code: "not_dispatchable", hint: expect.stringContaining(`window_id ${question?.window_id}`) },
  });
  // Natively it could be pressed; a person's click would do nothing.
  expect((await handsight.ask("click", { uid: ask?.uid })).data).toMatchObject({
    error: { code: "not_dispatchable", message: expect.stringContaining(`its dialog, window ${question?.window_id}`) },
  });
  expect(await handsight.call("click", { text: "OK", window_title: "Question" })).toMatchObject({
    effect: "confirmed",
  });
  await app.waitFor(({ event, yes }) => event === "answered" && yes === true);
});
