import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";
import { dataOf, mainFile, startHandsight } from "../support/handsight.ts";

let desktop: VirtualDesktop;
let sandbox: Sandbox;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 2, scale: 1 });
  sandbox = openSandbox(desktop.env);
});
afterAll(async () => {
  sandbox[Symbol.dispose]();
  await desktop[Symbol.asyncDispose]();
});

/** A process registers for the emergency stop when it begins to act. */
async function untilActing(pid: number): Promise<void> {
  const note = join(sandbox.folder, "run", "handsight", `${pid}.json`);
  const found = await poll(async () => (existsSync(note) ? true : undefined), { timeoutMs: 20_000, everyMs: 20 });
  if (!found) throw new Error(`process ${pid} did not begin to act`);
}

const run = (...args: string[]) => sandbox.run([...args, "--policy", "allow"]);

describe("the command line and MCP are twins", () => {
  test.each([
    ["list_displays", {}, []],
    ["get_mouse_position", {}, []],
    ["list_windows", {}, []],
    ["list_windows", { filter: "none" }, ["none"]],
    ["call_tool", { name: "list_displays" }, ["list_displays"]],
  ])("%s %j gives the same bytes", async (tool, args, words) => {
    await using server = await startHandsight(sandbox.env);
    const result = await server.client.callTool({ name: tool, arguments: args });
    const { code, stdout } = await run(tool, ...words, "--json");
    expect(code).toBe(0);
    expect(stdout).toBe(`${JSON.stringify(result.structuredContent)}\n`);
    // Without --json it prints what a model reads. The number in the marks is new each time.
    const text = result.content.find((part) => part.type === "text")?.text ?? "";
    const lines = (await run(tool, ...words)).stdout;
    const unmarked = (marked: string) => marked.trimEnd().replaceAll(/[0-9a-f]{10}(?=>)/g, "…");
    expect(unmarked(lines)).toBe(unmarked(text));
  });

  test("a bad argument is refused with the same envelope", async () => {
    await using server = await startHandsight(sandbox.env);
    const result = await server.client.callTool({ name: "click", arguments: { x: "a", buton: "left" } });
    const { code, stdout } = await run("call", "click", '{"x": "a", "buton": "left"}', "--json");
    expect(code).toBe(2);
    expect(stdout).toBe(`${JSON.stringify(dataOf(result))}\n`);
  });
});

describe("a tool", () => {
  test("acts, as words, as key=value, and as JSON from stdin", async () => {
    const position = async () => JSON.parse((await run("get_mouse_position", "--json")).stdout) as unknown;
    expect((await run("move-mouse", "11", "12")).code).toBe(0);
    expect(await position()).toEqual({ x: 11, y: 12 });
    expect((await run("call", "move_mouse", "x=21", "y=22")).code).toBe(0);
    expect(await position()).toEqual({ x: 21, y: 22 });
    const args = ["call", "move_mouse", "-", "--policy", "allow"];
    expect((await sandbox.run(args, { stdin: '{"x": 31, "y": 32}' })).code).toBe(0);
    expect(await position()).toEqual({ x: 31, y: 32 });
  });

  test("that reports a failure as data, as another contract defines it, has still failed", async () => {
    const missing = await run("ui_focus_window", "--window-title", "no such window", "--json");
    expect([missing.code, JSON.parse(missing.stdout)]).toMatchObject([1, { Success: false }]);
    const listed = await run("ui_list_windows", "--json");
    expect([listed.code, JSON.parse(listed.stdout)]).toMatchObject([0, { Success: true }]);
  });

  test("prints one line for each item of a list", async () => {
    const { stdout } = await run("list_displays");
    expect(stdout.split("\n").filter((row) => /^display \d "virtual-\d", \d+,0 800x600/.test(row))).toHaveLength(2);
  });

  test.each([
    ["a.png", "image/png"],
    ["b.JPG", "image/jpeg"],
    ["c.webp", "image/webp"],
  ])("saves as %s what that name promises", async (name, type) => {
    const file = join(sandbox.folder, name);
    expect((await run("take_screenshot", "screen", "--out", file)).code).toBe(0);
    const bytes = readFileSync(file);
    const types: Record<string, string> = { "89504e": "image/png", ffd8ff: "image/jpeg", "524946": "image/webp" };
    expect(types[bytes.subarray(0, 3).toString("hex")]).toBe(type);
  });

  test("prints text that was read as lines", async () => {
    const { stdout } = await run("take_screenshot", "screen", "--ocr", "on");
    expect(stdout).toMatch(/^<screen-data [0-9a-f]{10}> picture f\w+, 0,0 1600x600/);
    expect(stdout).not.toContain("\\n");
  });

  test("saves its picture where --out says, or to a new file", async () => {
    const file = join(sandbox.folder, "shot.png");
    const named = await run("take_screenshot", "screen", "--format", "png", "--out", file);
    expect(named.stdout).toContain(`saved: ${file}`);
    expect(readFileSync(file).subarray(1, 4).toString()).toBe("PNG");
    const saved = /saved: (.*\.jpg)/.exec((await run("take_screenshot", "screen")).stdout)?.[1] ?? "";
    expect(readFileSync(saved).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    expect(statSync(saved).mode & 0o777).toBe(0o600);
  });

  test("whose picture cannot be saved has still printed its result", async () => {
    const { code, stdout, stderr } = await run(
      "take_screenshot",
      "screen",
      "--json",
      "--out",
      join(sandbox.folder, "no", "x.jpg"),
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toHaveProperty("screenshot_id");
    expect(stderr).toContain("could not be saved");
  });

  test("leaves a record of the call, typed text redacted", async () => {
    await run("type_text", "hunter2");
    const runs = join(sandbox.folder, "state", "handsight", "runs");
    const records = readdirSync(runs)
      .filter((name) => existsSync(join(runs, name, "events.jsonl")))
      .map((name) => readFileSync(join(runs, name, "events.jsonl"), "utf8"));
    expect(records.filter((record) => record.includes('"type_text"'))).toEqual([expect.stringContaining("[REDACTED]")]);
    expect(records.join("")).not.toContain("hunter2");
  });

  test("is cancelled by Ctrl-C with 130", async () => {
    const args = [
      "drag",
      "10",
      "10",
      "500",
      "500",
      "--steps",
      "200",
      "--step-ms",
      "200",
      "--policy",
      "allow",
      "--json",
    ];
    const { code, stdout } = await sandbox.run(args, {
      started: (child) => void untilActing(child.pid ?? 0).then(() => child.kill("SIGINT")),
    });
    expect(code).toBe(130);
    expect(stdout).toContain('"code":"cancelled"');
  });
});

describe("a private desktop", () => {
  test("is made for one call with --desktop virtual", async () => {
    const { stdout } = await run(
      "list_displays",
      "--desktop",
      "virtual",
      "--size",
      "640x480",
      "--monitors",
      "3",
      "--json",
    );
    const { displays } = JSON.parse(stdout) as { displays: { bounds: unknown }[] };
    expect(displays.map(({ bounds }) => bounds)).toEqual(
      [0, 640, 1280].map((x) => ({ x, y: 0, width: 640, height: 480 })),
    );
  });

  test("runs a command and passes on its exit code, its words untouched", async () => {
    const script = 'echo "$DISPLAY|$1"; exit 7';
    const { code, stdout } = await sandbox.run([
      "desktop",
      "--size",
      "640x480",
      "--",
      "sh",
      "-c",
      script,
      "sh",
      "--dry_run",
    ]);
    expect(code).toBe(7);
    expect(stdout).toMatch(/^:\d+\|--dry_run\n$/);
    expect(stdout).not.toContain(`${desktop.display}|`);
  });

  test("has handsight working inside", async () => {
    const inner = [process.execPath, mainFile, "get_mouse_position", "--policy", "allow", "--json"];
    const { code, stdout } = await sandbox.run(["desktop", "--size", "640x480", "--", ...inner]);
    expect({ code, keys: Object.keys(JSON.parse(stdout) as object) }).toEqual({ code: 0, keys: ["x", "y"] });
  });
});

test("the emergency stop interrupts a running server, which refuses to act until resumed", async () => {
  await using server = await startHandsight(sandbox.env);
  const steps = { start_x: 10, start_y: 10, end_x: 500, end_y: 500, steps: 200, step_ms: 200 };
  const dragging = server.client.callTool({ name: "drag", arguments: steps });
  await untilActing(server.pid);
  const { stopped } = JSON.parse((await sandbox.run(["stop", "--json"])).stdout) as { stopped: number[] };
  expect(stopped).toEqual([server.pid]);
  const answer = await dragging;
  expect(answer.isError).toBe(true);
  expect(JSON.stringify(answer.content)).toMatch(/emergency stop|handsight stop/);
  const refused = await server.client.callTool({ name: "click", arguments: { x: 1, y: 1 } });
  expect(JSON.stringify(refused.content)).toContain("handsight stop");
  await expect(server.call("get_mouse_position")).resolves.toHaveProperty("x");
  await sandbox.run(["resume"]);
  await expect(server.call("move_mouse", { x: 5, y: 5 })).resolves.toMatchObject({ ok: true });
});

test("mcp over HTTP prints its address and its token once, and ends on a signal", async () => {
  const child = spawn(process.execPath, [mainFile, "mcp", "--http", "0", "--policy", "allow"], {
    env: sandbox.env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    if (line.startsWith("Authorization: ")) break;
  }
  const url = /http:\S+/.exec(lines.join("\n"))?.[0] ?? "";
  expect((await fetch(url, { method: "POST" })).status).toBe(401);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});
