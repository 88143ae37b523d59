import { expect, test } from "vitest";
import { readFlow } from "../../src/flows/file/read-flow.ts";
import { openApp } from "../support/open-app.ts";
import { openSandbox } from "../support/cli.ts";

test("what was done in a session becomes a flow, without what failed or led nowhere", async () => {
  const { handsight, app } = await openApp("gtk3_controls", "Controls", { app: ["--title", "Controls"] });
  await handsight.ask("click", { text: "No such thing" });
  await handsight.call("click", { text: "Do nothing" });
  await handsight.call("take_ax_snapshot", {});
  await handsight.call("act", { action: "set_value", selector: "Field:Username", value: "Ada" });
  await handsight.call("click", { selector: 'checkbox:"Check me"' });
  await handsight.call("click", { text: "Open dialog" });
  await handsight.call("click", { selector: "button:Yes" });
  await app.waitFor(({ event, answer }) => event === "answer" && answer === "Yes");
  const { flow, steps, dropped } = await handsight.call("save_flow", { name: "Ask" });
  expect(steps).toBe(4);
  expect(dropped).toEqual([
    { step: expect.any(String), tool: "click", why: "it failed: not_found" },
    { step: expect.any(String), tool: "click", why: "it changed nothing" },
  ]);
  const { text, problems } = readFlow(String(flow), "ask.flow.yaml");
  expect(problems).toEqual([]);
  expect(text?.flow.steps).toEqual([
    { fill: { into: { selector: "Field:Username" }, text: "Ada" } },
    { click: { selector: 'checkbox:"Check me"' } },
    { click: "Open dialog", expect: { window: "Question" } },
    { click: { selector: "button:Yes" }, expect: { gone: { window: "Question" } } },
  ]);
  // The same from the command line, of the run that the server keeps.
  using sandbox = openSandbox();
  const kept = await sandbox.run(["flow", "save", "--json", "--runs-dir", handsight.runsDir]);
  expect(JSON.parse(kept.stdout)).toMatchObject({ steps: 4 });

  const fresh = await openApp("gtk3_controls", "Controls", { app: ["--title", "Controls"] });
  expect(await fresh.handsight.call("run_steps", { steps: text?.flow.steps })).toMatchObject({ ok: true });
  const done = (event: string) => fresh.app.events.some((each) => each.event === event);
  await expect.poll(() => ["text", "toggled", "answer"].every(done)).toBe(true);
});
