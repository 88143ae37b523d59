import { expect, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight } from "../support/handsight.ts";

test("the frame and the tree of a step can be read as resources", async () => {
  await using desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  await using app = await startFixture("gtk3_controls", { env: desktop.env, args: ["--rows", "20"] });
  await using handsight = await startHandsight(desktop.env);
  await app.waitFor(({ event }) => event === "ready");
  await handsight.call("wait_for", { window_title: "GTK3 Controls" });
  const shot = await handsight.call("take_screenshot", { window_title: "GTK3 Controls", max_side: 64 });
  await handsight.call("take_ax_snapshot", { window_title: "GTK3 Controls", max_nodes: 5 });
  const frame = await handsight.client.readResource({ uri: `handsight://frames/${String(shot["screenshot_id"])}` });
  expect(frame.contents[0]).toMatchObject({ mimeType: "image/png" });
  const { resources } = await handsight.client.listResources();
  const tree = resources.find(({ uri }) => uri.startsWith("handsight://trees/"));
  const { contents } = await handsight.client.readResource({ uri: tree?.uri ?? "" });
  const content = contents.find(({ mimeType }) => mimeType === "application/json");
  expect(contents.map((each) => ("text" in each ? each.text : "").slice(0, 16))).toEqual([
    "<screen-content ",
    expect.stringMatching(/^\[/),
    "</screen-content",
  ]);
  const nodes = JSON.parse(content && "text" in content ? content.text : "[]") as { name: string }[];
  // The answer showed five elements; the resource has them all.
  expect(nodes.length).toBeGreaterThan(20);
  expect(nodes.map(({ name }) => name)).toContain("Press me");
});
