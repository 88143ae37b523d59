import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox } from "../support/cli.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight } from "../support/handsight.ts";

test("handsight log prints every call in the documented form, and finds a changed line [S1-103…S1-106]", async () => {
  await using desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  await using app = await startFixture("gtk3_editor", { env: desktop.env, args: ["--title", "Notes"] });
  using sandbox = openSandbox(desktop.env);
  await using handsight = await startHandsight(desktop.env, ["--tools", "compat-ui"]);
  await app.waitFor(({ event }) => event === "focus");
  await handsight.call("ui_capture", { mode: "window", window_title: "Notes" });
  await handsight.call("ui_click", { x: 30, y: 40, button: "right", window_title: "Notes" });
  await handsight.call("ui_type", { text: "c4nary-9f31", window_title: "Notes" });
  const log = (...args: string[]) => sandbox.run(["log", "--runs-dir", handsight.runsDir, ...args]);
  const { stdout, code } = await log();
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
  const lines = stdout.trim().split("\n");
  expect(code).toBe(0);
  expect(lines[0]).toMatch(new RegExp(`^\\[UI\\] ${time} ui_capture mode=window title="Notes" size=\\d+x\\d+$`));
  expect(lines[1]).toMatch(new RegExp(`^\\[UI\\] ${time} ui_click x=30 y=40 button=right window="Notes"`));
  expect(lines[2]).toMatch(new RegExp(`^\\[UI\\] ${time} ui_type text="\\[REDACTED\\]" window="Notes"`));
  expect(stdout).not.toContain("c4nary");
  const [entry] = (await log("--json")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entry).toMatchObject({ tool: "ui_capture", ok: true, client: "test-client 1.0.0" });

  expect(await log("--verify")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("whole, 3 calls, head ") as string,
  });
  const [run] = readdirSync(handsight.runsDir).filter((name) => !name.startsWith("."));
  const file = join(handsight.runsDir, run ?? "", "events.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replace('"button":"right"', '"button":"left"'));
  expect(await log("--verify")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("BROKEN at line 2") as string,
  });
});

test("handsight log --follow prints calls as they are made", async () => {
  await using desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
  using sandbox = openSandbox(desktop.env);
  await using handsight = await startHandsight(desktop.env);
  await handsight.call("list_displays");
  let seen = "";
  const following = sandbox.run(["log", "--follow", "--runs-dir", handsight.runsDir], {
    started: (child) => {
      child.stdout?.on("data", (chunk: string) => {
        seen += chunk;
        if (seen.includes(" get_mouse_position ")) child.kill("SIGINT");
      });
    },
  });
  await expect.poll(() => seen, { timeout: 20_000 }).toContain(" list_displays ");
  await handsight.call("get_mouse_position");
  expect((await following).stdout).toContain(" get_mouse_position ");
});
