import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox } from "../support/cli.ts";
import { mainFile, startHandsight } from "../support/handsight.ts";
import { openTestWindow } from "../support/windows.ts";
import { startDesktop } from "../support/xvfb.ts";

/**
 * On other systems the operating system asks its user for permission; here these are rights on the X server: its
 * cookie to see anything, XTEST to send input, the accessibility bus to read elements. Each is removed in turn.
 */

const looking: readonly [string, object][] = [
  ["take_screenshot", { mode: "screen" }],
  ["take_window_screenshot", { window_id: 1 }],
  ["ui_capture", { mode: "fullscreen" }],
  ["list_windows", {}],
  ["find_image", { template_image_base64: "iVBORw0KGgo=" }],
];
const acting: readonly [string, object][] = [
  ["click", { x: 10, y: 10 }],
  ["type_text", { text: "hello" }],
  ["press_key", { key: "a" }],
  ["move_mouse", { x: 10, y: 10 }],
  ["drag", { start_x: 1, start_y: 1, end_x: 5, end_y: 5 }],
];

test("without the right to see the display every look is an error that names the setting; there is no blank picture [S0-54…S0-56]", async () => {
  await using desktop = await openVirtualDesktop({ width: 400, height: 300, monitors: 1, scale: 1 });
  await using handsight = await startHandsight({ ...desktop.env, XAUTHORITY: "/dev/null" }, ["--tools", "all"]);
  for (const [tool, args] of looking.slice(0, 4)) {
    const { isError, data, images } = await handsight.ask(tool, args);
    expect([tool, images]).toEqual([tool, []]);
    if (tool !== "ui_capture")
      expect([tool, isError, JSON.stringify(data)]).toEqual([tool, true, expect.stringMatching(/XAUTHORITY/)]);
    else expect(data).toMatchObject({ Success: false, Error: expect.stringMatching(/XAUTHORITY/) as string });
  }
});

test("without the right to send input every action is an error that names the setting [S0-54, S0-55, S0-57]", async () => {
  await using desktop = await startDesktop({ args: ["-extension", "XTEST"] });
  await using handsight = await startHandsight(desktop.env);
  for (const [tool, args] of acting) {
    const { isError, data } = await handsight.ask(tool, args);
    expect([tool, isError, data]).toMatchObject([
      tool,
      true,
      { error: { hint: expect.stringContaining("XTEST extension enabled") as string } },
    ]);
  }
  expect((await handsight.ask("take_screenshot", { mode: "screen" })).isError).toBe(false);
});

test("without an accessibility bus elements are an error that says how to get one, and pictures still come [S0-55]", async () => {
  await using desktop = await startDesktop();
  const env = { ...desktop.env, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent", AT_SPI_BUS_ADDRESS: "" };
  const c = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
  onTestFinished(() => c.close());
  await openTestWindow(c, { x: 20, y: 20, width: 200, height: 100, title: "Plain", pid: process.pid });
  await using handsight = await startHandsight(env);
  const { data } = await handsight.ask("take_ax_snapshot", { window_title: "Plain" });
  expect(data).toMatchObject({
    error: {
      code: "not_connected",
      message: expect.stringContaining("accessibility bus") as string,
      hint: expect.any(String) as string,
    },
  });
  expect((await handsight.ask("take_screenshot", { mode: "screen" })).isError).toBe(false);
});

test.each(["2025-11-25", "2026-07-28"] as const)(
  "somebody else's display cannot be seen, over MCP %s or in the terminal [S1-102]",
  async (era) => {
    await using desktop = await openVirtualDesktop({ width: 400, height: 300, monitors: 1, scale: 1 });
    using sandbox = openSandbox({ ...desktop.env, XAUTHORITY: "/dev/null" });
    const words = ["--policy", "allow"];
    const mode = era === "2026-07-28" ? { pin: era } : ("legacy" as const);
    const client = new Client({ name: "test-client", version: "1.0.0" }, { versionNegotiation: { mode } });
    const env = Object.fromEntries(
      Object.entries(sandbox.env).filter((each): each is [string, string] => each[1] !== undefined),
    );
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [mainFile, "mcp", "--tools", "all", ...words],
        env,
        stderr: "ignore",
      }),
    );
    try {
      const { content } = await client.callTool({ name: "ui_capture", arguments: { mode: "fullscreen" } });
      expect(content.filter(({ type }) => type === "image")).toEqual([]);
      expect(JSON.stringify(content)).toContain("XAUTHORITY");
    } finally {
      await client.close();
    }
    const { stdout, code } = await sandbox.run(["take_screenshot", "--mode", "screen", "--json", ...words]);
    expect(code).not.toBe(0);
    expect(stdout).toContain("XAUTHORITY");
  },
);
