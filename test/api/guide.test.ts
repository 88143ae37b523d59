import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findSnippets } from "../../scripts/readme/snippets.mjs";
import { startAndroid, type AndroidLab } from "../simulators/android/lab.ts";
import { small } from "../simulators/android/session.ts";
import { servePages, type PageServer } from "../support/browser.ts";
import { checkout } from "../support/checkout.ts";
import { removeFolder } from "../support/remove-folder.ts";

/** Every program of these documents, as somebody would paste it into a project that has installed the package. */
const programs = ["README.md", "docs/guides/library.md"].flatMap((path) =>
  findSnippets(readFileSync(join(checkout, path), "utf8"))
    .filter(({ language }) => language === "ts")
    .map(({ text }) => text),
);
const folder = mkdtempSync(join(tmpdir(), "handsight-guide-"));
let server: PageServer;
let lab: AndroidLab;

beforeAll(async () => {
  server = await servePages({
    "signup.html": `<!doctype html><label>Email <input id=email></label><label><input type=checkbox> Agree</label>
      <button onclick="out.textContent = 'Welcome, ' + email.value">Sign up</button><output id=out></output>`,
    "people.html": `<!doctype html><ul><li>Ann <button>Delete</button><li>Bob <button>Delete</button></ul>
      <script>for (const each of document.querySelectorAll("button")) each.onclick = () => each.parentNode.remove()</script>`,
  });
  lab = await startAndroid(small);
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  symlinkSync(checkout, join(modules, "handsight"));
  symlinkSync(join(checkout, "node_modules/@types/node"), join(modules, "@types/node"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const compilerOptions = {
    strict: true,
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022", "ESNext.Disposable"],
    types: ["node"],
    outDir: "out",
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  programs.forEach((text, index) =>
    writeFileSync(join(folder, `program-${index}.ts`), text.replaceAll("http://localhost:8080", server.own)),
  );
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await removeFolder(folder);
});

test("every program of the README and the guide compiles against the built declarations, and runs", async () => {
  execFileSync(process.execPath, [join(checkout, "node_modules/typescript/bin/tsc"), "-p", folder], { stdio: "pipe" });
  const env = { ...lab.env, HANDSIGHT_JOURNAL: "off" };
  const run = async (_text: string, index: number): Promise<string> => {
    const file = `out/program-${index}.js`;
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, env, timeout: 100_000 });
    return stdout.trim();
  };
  // Each has a private desktop of its own.
  expect(await Promise.all(programs.map(run))).toEqual([
    "",
    "confirmed",
    "hello",
    "",
    "",
    expect.stringContaining("Ann"),
    expect.stringContaining("not_found"),
  ]);
}, 120_000);

test("the example project passes, in 40 lines", async () => {
  const project = join(folder, "example");
  cpSync(join(checkout, "examples/vitest"), project, { recursive: true });
  const modules = join(project, "node_modules");
  mkdirSync(modules);
  symlinkSync(checkout, join(modules, "handsight"));
  symlinkSync(join(checkout, "node_modules/vitest"), join(modules, "vitest"));
  const text = readFileSync(join(project, "apps.test.ts"), "utf8");
  expect(text.split("\n").length).toBeLessThanOrEqual(41);
  const script = join(checkout, "node_modules/vitest/vitest.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [script, "run"], { cwd: project, timeout: 100_000 });
  expect(stdout).toMatch(/2 passed/);
}, 120_000);
