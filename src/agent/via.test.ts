import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runVia, viaCommand, type ViaClient, type ViaOptions } from "./via.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "handsight-via-test-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const options = (client: ViaClient, more: Partial<ViaOptions> = {}): ViaOptions => ({
  client,
  goal: 'say "hi"',
  server: { command: "/bin/node", args: ["main.js", "mcp", "--policy", "ask"] },
  env: { PATH: process.env["PATH"], DISPLAY: ":7", HANDSIGHT_MODEL_KEY: "sk-secret-key", SECRET: "x" },
  signal: new AbortController().signal,
  ...more,
});

test("claude is given the server in a file, and may use nothing else without asking", () => {
  const { command, args, files } = viaCommand(options("claude", { model: "opus" }), "/run/x");
  expect(command).toBe("claude");
  expect(args).toEqual([
    "--print",
    expect.stringContaining('Goal: say "hi"'),
    "--mcp-config",
    "/run/x/mcp.json",
    "--strict-mcp-config",
    "--allowedTools",
    "mcp__handsight",
    "--model",
    "opus",
  ]);
  expect(JSON.parse(files["mcp.json"] ?? "")).toEqual({
    mcpServers: {
      handsight: {
        type: "stdio",
        command: "/bin/node",
        args: ["main.js", "mcp", "--policy", "ask"],
        env: { DISPLAY: ":7" },
      },
    },
  });
});

test("codex is given the server as settings in TOML", () => {
  const { args, files } = viaCommand(options("codex"), "/run/x");
  expect(files).toEqual({});
  expect(args.slice(0, 2)).toEqual(["exec", "--skip-git-repo-check"]);
  expect(args).toContain('mcp_servers.handsight.command="/bin/node"');
  expect(args).toContain('mcp_servers.handsight.args=["main.js","mcp","--policy","ask"]');
  expect(args).toContain('mcp_servers.handsight.env={"DISPLAY"=":7"}');
  expect(args.at(-1)).toContain("Goal:");
});

test("gemini is given the server in a settings file it reads first", () => {
  const { args, env, files } = viaCommand(options("gemini"), "/run/x");
  expect(args).toContain("--allowed-mcp-server-names");
  expect(env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"]).toBe("/run/x/settings.json");
  expect(JSON.parse(files["settings.json"] ?? "")).toMatchObject({
    mcpServers: { handsight: { command: "/bin/node", trust: true } },
  });
});

test.each<ViaClient>(["claude", "codex", "gemini"])("nothing that %s is given contains a key", (client) => {
  const { args, files } = viaCommand(options(client), "/run/x");
  expect(JSON.stringify([args, files])).not.toMatch(/sk-secret-key|SECRET/);
});

/** A program that stands in for the client. */
async function program(script: string): Promise<string> {
  const path = join(folder, "client.sh");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test("the exit code is passed on, and the files are gone afterwards", async () => {
  const seen = join(folder, "seen");
  const code = await runVia(
    options("claude", { program: await program(`cp "$4" "${seen}"; echo "$4" > "${seen}.path"; exit 3`) }),
  );
  expect(code).toBe(3);
  expect(await readFile(seen, "utf8")).toContain("mcpServers");
  expect(existsSync((await readFile(`${seen}.path`, "utf8")).trim())).toBe(false);
});

test("a client that is not installed is named with its package", async () => {
  await expect(runVia(options("codex", { program: join(folder, "nowhere") }))).rejects.toMatchObject({
    code: "not_found",
    details: { hint: expect.stringContaining("@openai/codex") },
  });
});

test("abort ends the client", async () => {
  const stop = new AbortController();
  const script = "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done";
  const running = runVia(
    options("gemini", {
      program: await program(script),
      signal: stop.signal,
      onOutput: () => stop.abort(),
    }),
  );
  await expect(running).rejects.toMatchObject({ code: "cancelled" });
});
