import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runVia } from "../../src/agent/via.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { mainFile } from "../support/handsight.ts";
import { startScriptedModel, type Reply, type Request } from "../simulators/models/scripted-model.ts";

const client = fileURLToPath(new URL("../clients/node_modules/.bin/claude", import.meta.url));

/** Why the real client cannot run here; undefined when it can. */
async function obstacle(): Promise<string | undefined> {
  if (!existsSync(client)) return "Claude Code is not installed in test/clients";
  return promisify(execFile)(client, ["--version"], { timeout: 30_000 }).then(
    () => undefined,
    (error: Error) => `Claude Code does not run on this machine: ${error.message.split("\n")[0]}`,
  );
}

const reason = await obstacle();
let folder: string;
let desktop: VirtualDesktop;
let editor: Fixture;

beforeAll(async () => {
  if (reason !== undefined) return;
  folder = await mkdtemp(join(tmpdir(), "handsight-client-"));
  desktop = await openVirtualDesktop({ width: 1024, height: 768, monitors: 1, scale: 1 });
  editor = await startFixture("gtk3_editor", { env: desktop.env, args: ["--title", "Notes"] });
  await editor.waitFor(({ event }) => event === "focus");
});

afterAll(async () => {
  await editor?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly Block[];
}

/** What handsight's tools have answered so far, as shown to the model. */
function resultsIn({ messages }: Request): readonly (readonly Block[])[] {
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []))
    .filter(({ type }) => type === "tool_result")
    .map(({ content = "" }) => (typeof content === "string" ? [{ type: "text", text: content }] : content))
    .filter((blocks) => !blocks.some(({ type }) => type === "tool_reference"));
}

const textOf = (blocks: readonly Block[] = []): string => blocks.map(({ text = "" }) => text).join("\n");
const wanted = ["take_ax_snapshot", "type_text", "take_screenshot"].map((name) => `mcp__handsight__${name}`);

/** Looks at the elements, types into the text field it finds there, looks at the picture, and reports. */
function script(request: Request): Reply {
  const offered = (request.tools ?? []).map(({ name }) => name);
  if (offered.length === 0) return { text: "Notes" };
  // Newer versions hide the tools of servers until somebody searches for them.
  if (!offered.includes(wanted[0] ?? "")) return { tool: "ToolSearch", input: { query: `select:${wanted.join(",")}` } };
  const results = resultsIn(request);
  switch (results.length) {
    case 0:
      return { tool: "mcp__handsight__take_ax_snapshot", input: { window_title: "Notes" } };
    case 1: {
      // As a model reads it: one line per element.
      const line = textOf(results[0])
        .split("\n")
        .find((each) => /^ *textbox .*\ba\d+g\d+\b/.test(each));
      const uid = /\ba\d+g\d+\b/.exec(line ?? "")?.[0];
      return uid === undefined
        ? { text: `There is no text field in ${textOf(results[0])}` }
        : { tool: "mcp__handsight__type_text", input: { uid, text: "written by a real client" } };
    }
    case 2:
      return { tool: "mcp__handsight__take_screenshot", input: { window_title: "Notes" } };
    default: {
      const isShown = results[2]?.some(({ type }) => type === "image");
      const outcome = /^<screen-data [0-9a-f]{10}> (\w+): textbox /.exec(textOf(results[1]))?.[1];
      return { text: `effect ${outcome}, picture ${String(isShown)}` };
    }
  }
}

test.skipIf(reason !== undefined)(
  `Claude Code works on a desktop with handsight's tools, led by a scripted model${reason === undefined ? "" : ` (skipped: ${reason})`}`,
  async () => {
    await using model = await startScriptedModel(script);
    let output = "";
    const exitCode = await runVia({
      client: "claude",
      program: client,
      goal: "write a note",
      server: {
        command: process.execPath,
        args: [mainFile, "mcp", "--policy", "allow", "--ocr", "off", "--journal", "off"],
      },
      env: {
        ...desktop.env,
        HOME: folder,
        CLAUDE_CONFIG_DIR: join(folder, "config"),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: "sk-ant-no-key-at-all",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
      },
      signal: AbortSignal.timeout(100_000),
      onOutput: (text) => {
        output += text;
      },
    });
    expect({ exitCode, output }).toEqual({
      exitCode: 0,
      output: expect.stringContaining("effect confirmed, picture true"),
    });
    expect(await editor.waitForText("written by a real client")).toBe("written by a real client");
    const goals = model.requests
      .map(({ messages }) => JSON.stringify(messages))
      .filter((text) => text.includes("write a note"));
    expect(goals.length).toBeGreaterThanOrEqual(4);
  },
  120_000,
);
