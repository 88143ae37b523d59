import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findBreaches, type Source } from "../support/architecture.ts";

const src = join(import.meta.dirname, "../../src");

const sources: Source[] = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(src, path), "utf8") }));

test("imports point down only, and nothing reaches past a layer's entrance", () => {
  // An import in every second file is far below what the tree has and far above reading nothing.
  expect(findBreaches(sources, sources.length / 2)).toEqual([]);
});

test("a check that read almost no imports is a failure, not a success", () => {
  expect(findBreaches([{ path: "base/a.ts", text: "export const a = 1;" }], 1)).toEqual([
    "read only 0 imports, expected at least 1",
  ]);
});

const breach = (path: string, text: string): string[] => findBreaches([{ path, text }], 0);

describe("a planted breach is caught:", () => {
  test.each([
    ["a static import", "base/a.ts", `import { b } from "../tools/call.ts";`, "may import nothing"],
    ["a type-only import", "surface/a.ts", `import type { B } from "../tools/tool.ts";`, "surface may import"],
    ["a re-export", "vision/a.ts", `export { b } from "../surface/view.ts";`, "vision may import"],
    ["a re-export of everything", "vision/a.ts", `export * from "../surface/view.ts";`, "vision may import"],
    ["a dynamic import", "tools/a.ts", `const b = await import("../mcp/server.ts");`, "tools may import"],
    [
      "a type written as import()",
      "policy/a.ts",
      `export type B = import("../tools/tool.ts").Tool;`,
      "policy may import",
    ],
    ["an import for its effect", "journal/a.ts", `import "../config/options.ts";`, "journal may import"],
    [
      "an import() that cannot be followed",
      "tools/a.ts",
      `const b = (name: string) => import(name);`,
      "cannot be checked",
    ],
    ["a front end importing another", "mcp/a.ts", `import { b } from "../agent/loop.ts";`, "mcp may import"],
    ["a front end opening a session", "inspector/a.ts", `import { open } from "../app.ts";`, "inspector may import"],
    [
      "a front end importing a tool family",
      "cli/a.ts",
      `import { click } from "../tools/desktop/pointer.ts";`,
      "through tools/call.ts",
    ],
    ["a layer nobody declared", "misc/a.ts", `import { b } from "../base/log.ts";`, "in no layer"],
    ["a file outside src", "base/a.ts", `import { b } from "../../test/support/fixture.ts";`, "outside src"],
    [
      "the surface reaching for a backend",
      "surface/a.ts",
      `import { b } from "../platform/linux/screen.ts";`,
      "surface may import",
    ],
    [
      "the app reaching for a backend",
      "app.ts",
      `import { b } from "./platform/linux/screen.ts";`,
      "platform/open.ts only",
    ],
    [
      "one backend importing another",
      "platform/fake/a.ts",
      `import { b } from "../linux/screen.ts";`,
      "platform/open.ts only",
    ],
    [
      "the virtual desktop importing more than x11",
      "platform/virtual/a.ts",
      `import { b } from "../linux/screen.ts";`,
      "platform/open.ts only",
    ],
    ["koffi above the platforms", "vision/a.ts", `import koffi from "koffi";`, "only below platform/native/"],
    ["koffi through require", "vision/a.ts", `const koffi = require("koffi");`, "only below platform/native/"],
    [
      "the MCP library outside mcp",
      "tools/a.ts",
      `import { Server } from "@modelcontextprotocol/server";`,
      "only below mcp/",
    ],
    [
      "process.platform",
      "platform/linux/a.ts",
      `export const isMac = process.platform === "darwin";`,
      "asks for the platform",
    ],
    [
      "process.platform through globalThis",
      "base/a.ts",
      `export const p = globalThis.process.platform;`,
      "asks for the platform",
    ],
    ["process.platform taken apart", "base/a.ts", `const { platform } = process;`, "asks for the platform"],
    ["platform from node:process", "base/a.ts", `import { platform } from "node:process";`, "asks for the platform"],
    [
      "os.platform()",
      "base/a.ts",
      `import os from "node:os"; export const p = os.platform();`,
      "asks for the platform",
    ],
    ["a display by its variable", "app.ts", `const display = env["DISPLAY"];`, "knows DISPLAY"],
    ["a display taken apart", "tools/a.ts", `const { DISPLAY: display } = env;`, "knows DISPLAY"],
    ["a display among others", "agent/a.ts", `const passed = /^(DISPLAY|LANG)/;`, "knows DISPLAY"],
    ["a file of /proc", "journal/a.ts", "const stat = read(`/proc/${pid}/stat`);", "knows /proc"],
    ["a window manager by name", "cli/a.ts", `needPrograms(env, "openbox");`, "knows openbox"],
    ["a backend that judges", "platform/cdp/a.ts", `export const effect = "no_change";`, "judges an effect"],
    ["a tool that takes a backend", "tools/a.ts", `surface.backend.windows?.list();`, "for its backend"],
    ["a tool that takes the hands", "tools/a.ts", `await surface.hands.click(at);`, "for its hands"],
    ["a tool that takes the pointer", "tools/a.ts", `await surface.need("pointer").move(at);`, "takes the pointer"],
    ["a tool that touches a device", "tools/a.ts", `await surface.need("touch").tap(at);`, "takes the touch"],
    ["a file that does not parse", "base/a.ts", `import { from "x";`, "cannot be read"],
  ])("%s", (_kind, path, text, why) => {
    expect(breach(path, text)).toEqual([expect.stringContaining(why)]);
  });
});

test.each([
  ["platform/open.ts", `if (process.platform === "linux") await import("./linux/backend.ts");`],
  ["platform/virtual/a.ts", `import { connect } from "../linux/x11/connection.ts";`],
  ["platform/native/a.ts", `import koffi from "koffi";`],
  ["platform/linux/a.ts", `import { loadKoffi } from "../native/ffi.ts"; import { b } from "./x11/wire.ts";`],
  [
    "mcp/a.ts",
    `import { callTool } from "../tools/call.ts"; import type { Server } from "@modelcontextprotocol/server";`,
  ],
  ["cli/a.ts", `import { openApp } from "../app.ts"; import { runIn } from "../platform/virtual/run.ts";`],
  ["tools/a.ts", `import type { Ability } from "../platform/backend.ts"; import { b } from "./pointer.ts";`],
  ["platform/linux/a.ts", `export const display = process.env["DISPLAY"]; // openbox`],
  ["base/a.ts", `// Files of /proc say that they are empty.`],
  ["app.ts", `import { open } from "./platform/open.ts"; import { allTools } from "./tools/registry.ts";`],
])("what %s may do is not a breach", (path, text) => {
  expect(breach(path, text)).toEqual([]);
});
