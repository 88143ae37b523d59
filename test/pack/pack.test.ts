import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findDeadLinks } from "../support/text-rules.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "handsight-pack-"));
const project = join(folder, "project");
const modules = join(project, "node_modules");
const packed = join(modules, "handsight");
const program = join(modules, ".bin", "handsight");

beforeAll(() => {
  const clone = join(folder, "clone");
  const left = ["node_modules", "dist", ".build", ".git", "demo-result"];
  cpSync(root, clone, { recursive: true, filter: (path) => !left.includes(basename(path)) });
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: clone,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  mkdirSync(packed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, archive), "-C", packed, "--strip-components=1"]);
  linkDependencies();
  mkdirSync(dirname(program));
  symlinkSync("../handsight/dist/main.js", program);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What npm would install beside it, without asking a registry: everything except development dependencies. */
function linkDependencies(): void {
  const lock = JSON.parse(readFileSync(join(root, "node_modules", ".package-lock.json"), "utf8")) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    const name = path.replace(/^node_modules\//, "");
    if (dev || devOptional || name.includes("/node_modules/")) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, path), join(modules, name));
  }
}

// Links would be resolved to the checkout, whose development modules must not help out.
const options = {
  cwd: project,
  env: { ...process.env, NODE_OPTIONS: "--preserve-symlinks" },
  encoding: "utf8",
} as const;
const run = (...args: string[]) => spawnSync(process.execPath, [join(packed, "dist/main.js"), ...args], options);

test("the package contains the built program, and nothing that points outside it", () => {
  expect(existsSync(join(packed, "dist/main.js"))).toBe(true);
  const files = readdirSync(packed, { recursive: true, encoding: "utf8" });
  expect(files.filter((name) => /\.map$|^(?!examples\b).*\.test\.|^src\b|^test\b|node_modules/.test(name))).toEqual([]);
  const javascript = files.filter((name) => name.endsWith(".js"));
  expect(javascript.filter((name) => readFileSync(join(packed, name), "utf8").includes("sourceMappingURL"))).toEqual(
    [],
  );
  const manifest = JSON.parse(readFileSync(join(packed, "package.json"), "utf8")) as Record<string, unknown>;
  expect(manifest).toMatchObject({
    repository: { url: expect.stringContaining("github.com/handsight/handsight") as string },
    homepage: expect.stringContaining("github.com/handsight/handsight") as string,
    bugs: expect.stringContaining("github.com/handsight/handsight") as string,
    author: expect.any(String) as string,
  });
});

test("every link in its documents leads somewhere inside it", () => {
  const pages = readdirSync(packed, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ path, text: readFileSync(join(packed, path), "utf8") }));
  expect(pages.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["README.md", "docs/guides/agents.md", "docs/tools.md"]),
  );
  expect(findDeadLinks(pages, (path) => existsSync(join(packed, path)))).toEqual([]);
});

test("installed into an empty folder it says its version and what works", () => {
  const { version } = JSON.parse(readFileSync(join(packed, "package.json"), "utf8")) as { version: string };
  expect(execFileSync("npx", ["handsight", "--version"], { cwd: project, encoding: "utf8" })).toBe(`${version}\n`);
  const { stdout, status } = run("doctor");
  expect({ status, stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/ok +private desktop/) as string,
  });
});

test("installed into an empty folder it serves a real client", async () => {
  const client = new Client({ name: "test-client", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [join(packed, "dist/main.js"), "mcp"], cwd: project }),
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["click", "take_ax_snapshot"]));
  const { structuredContent } = await client.callTool({ name: "capabilities", arguments: {} });
  expect(structuredContent).toMatchObject({ findings: expect.any(Array) as unknown[] });
  await client.close();
});
