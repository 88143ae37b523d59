import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openSandbox, type Sandbox } from "../support/cli.ts";
import { mainFile } from "../support/handsight.ts";

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = openSandbox();
});
afterEach(() => sandbox[Symbol.dispose]());

/** The modules a command has loaded, ours and others': this decides how long it takes to start. */
async function loadedBy(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  const folder = join(sandbox.folder, "tmp", "coverage");
  mkdirSync(folder, { recursive: true });
  const { code } = await sandbox.run(args, { env: { ...env, NODE_V8_COVERAGE: folder } });
  expect(code).toBe(0);
  return readdirSync(folder)
    .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), "utf8")) as { result: { url: string }[] }).result)
    .flatMap(({ url }) => (url.startsWith("file:") ? [url.replace(/^.*\/(dist|node_modules)\//, "")] : []));
}

describe("nothing is loaded that is not needed", () => {
  test.each([
    ["the version", ["--version"]],
    ["the greeting", []],
    ["help", ["--help"]],
    ["help of a tool", ["click", "--help"]],
    ["help of a command", ["help", "mcp"]],
  ])("for %s", async (_what, args) => {
    const loaded = await loadedBy(args);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.length).toBeLessThan(10);
  });

  test("by a command whose session runs: a socket and a printer", async () => {
    const env = { HANDSIGHT_SESSION: "" };
    await sandbox.run(["open", "--desktop", "virtual", "--size", "300x200"], { env });
    try {
      const loaded = await loadedBy(["get_mouse_position"], env);
      expect(loaded).toContain("cli/session/client.js");
      expect(loaded.length).toBeLessThan(25);
      expect(loaded.filter((name) => /^(commander|zod|sharp|tools|surface)/.test(name))).toEqual([]);
    } finally {
      await sandbox.run(["session", "stop", "--all"], { env });
    }
  });
});

describe("help for people", () => {
  test.each([["--help"], ["click", "--help"], ["take_screenshot", "--help"], ["mcp", "--help"], ["agent", "--help"]])(
    "%s %s fits 80 columns",
    async (...args) => {
      const { stdout } = await sandbox.run(args);
      expect(stdout.split("\n").filter((line) => [...line].length > 80)).toEqual([]);
    },
  );

  test("is in colour on a terminal only, and not with NO_COLOR", async () => {
    const escape = "\u001B[";
    expect((await sandbox.run(["--help"])).stdout).not.toContain(escape);
    // Node takes a terminal in CI for one without colours.
    using person = openSandbox({ ...sandbox.env, CI: undefined });
    expect((await person.runInTerminal(["--help"], "")).stdout).toContain(`${escape}1mLook:`);
    using quiet = openSandbox({ ...person.env, NO_COLOR: "1" });
    expect((await quiet.runInTerminal(["--help"], "")).stdout).not.toContain(escape);
  });
});

describe("what the build has prepared is what the program says", () => {
  test.each([["--help"], ["click", "--help"], ["session", "--help"], ["take-screenshot", "--help"]])(
    "%s %s",
    async (...args) => {
      const prepared = await sandbox.run(args);
      // An option before it makes the program parse the command line.
      const parsed = await sandbox.run(["--policy", "ask", ...args]);
      expect(prepared.stdout).not.toBe("");
      expect(prepared.stdout).toBe(parsed.stdout);
    },
  );

  test.each(["default", "core"])("tools/list and the instructions, with --tools %s", async (set) => {
    // A file of rules must be checked before anything is served, so it makes the server load everything.
    const rules = join(sandbox.folder, "rules.json");
    writeFileSync(rules, "{}");
    const [late, whole] = await Promise.all([listed(["--tools", set]), listed(["--tools", set, "--rules", rules])]);
    expect(late.tools.length).toBeGreaterThan(5);
    expect(late).toEqual(whole);
  });

  async function listed(args: readonly string[]) {
    const client = new Client({ name: "start", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [mainFile, "mcp", ...args],
      env: Object.fromEntries(Object.entries(sandbox.env).flatMap(([name, value]) => (value ? [[name, value]] : []))),
      stderr: "ignore",
    });
    await client.connect(transport);
    try {
      return { tools: (await client.listTools()).tools, instructions: client.getInstructions() };
    } finally {
      await client.close();
    }
  }
});
