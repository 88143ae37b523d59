import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSandbox, type Sandbox } from "../support/cli.ts";

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = openSandbox();
});
afterAll(() => sandbox[Symbol.dispose]());

const head = "flow: 1\ndesktop: virtual\n";
const good = "steps:\n  - launch: mousepad\n";
const verbs =
  "launch close open click type fill press select check uncheck hover drag scroll back swipe wait expect read screenshot run ask".split(
    " ",
  );
const wrongTypes = ["[]", "{}", "[1, 2]", "{ a: { b: c } }", "-1", "null", "~", "{ surface: 7 }"];

/** Every text here is malformed by construction. */
function malformed(): readonly string[] {
  const laughs = (name: string): string =>
    Array.from({ length: 12 }, (_, at) => `${name}${at + 1}: &${name}${at + 1} [${`*${name}${at},`.repeat(12)}]`).join(
      "\n",
    );
  return [
    // The wrong kind of value for every verb: 8 × 21.
    ...verbs.flatMap((verb) =>
      wrongTypes
        // To scroll without saying how is fine.
        .filter((value) => verb !== "scroll" || value !== "{}")
        .map((value) => `${head}steps:\n  - ${verb}: ${value}\n`),
    ),
    // Misspelt verbs, unknown keys at every level.
    ...verbs.map((verb) => `${head}steps:\n  - ${verb}x: A\n`),
    ...["nam", "step", "desk_top", "Steps", "on-fail", "var", "tag", "flows", "timeouts", "setle"].map(
      (key) => `${head}${key}: 1\n${good}`,
    ),
    ...["rol", "nmae", "idd", "nht", "whithin"].map((key) => `${head}steps:\n  - click: { ${key}: a }\n`),
    // Broken YAML.
    ...[
      "\tx: 1",
      "{",
      "[",
      "a: b: c",
      "? [",
      "- -\t-",
      "'",
      '"',
      "!!binary x: y",
      "%YAML 9",
      "&a *a",
      "*nobody",
      "a: *b",
      "\u0000",
      "@x",
      "`x`",
      "| x",
    ].map((start) => `${start}\n${head}${good}`),
    ...[
      "\t- click: A",
      "  - click: 'A",
      '  - click: "A',
      "  - click: {",
      "  - click: [",
      " - click: A\n- click: B",
    ].map((line) => `${head}steps:\n${line}\n`),
    // Not a flow at all.
    "",
    " ",
    "\n\n",
    "42",
    "true",
    "null",
    "text",
    "- a\n- b",
    "%",
    "---\n---\n",
    "\uFEFF",
    "flow",
    "flow:",
    "flow: 1",
    "flow: '1'\n" + good,
    "flow: 1.5\n" + good,
    "flow: [1]\n" + good,
    // What grows.
    `l0: &l0 [x]\n${laughs("l")}`,
    `${head}vars: { a: 1 }\nx0: &x0 [x]\n${laughs("x")}\n${good}`,
    "[".repeat(200_000),
    "{a: ".repeat(100_000),
    `${head}steps: ${"[".repeat(3_000)}${"]".repeat(3_000)}\n`,
    `${head}steps:\n${Array.from({ length: 40 }, (_, at) => `${"  ".repeat(at + 1)}- steps:`).join("\n")}\n${"  ".repeat(42)}- click: A\n`,
    `${head}name: ${"x".repeat(10_000_000)}\n${good}`,
    `${head}steps:\n${"  - click: A\n".repeat(600)}`,
    `a: &x\n  b: *x\n`,
    // Hostile names and paths.
    ...["__proto__", "constructor", "prototype", "a b", "1a", "a.b", "../x", "$", "x".repeat(60)].map(
      (name) => `${head}vars: { "${name}": 1 }\n${good}`,
    ),
    ...[
      "/etc/passwd",
      "../../../etc/passwd",
      "..",
      ".",
      "missing.flow.yaml",
      "${x}.yaml",
      "a\\0b",
      "/proc/self/environ",
    ].map((path) => `${head}steps:\n  - run: "${path}"\n`),
    ...["/etc/passwd", "../rows.csv", "rows.txt", "missing.csv", "/dev/zero"].map(
      (path) => `${head}data: ${path}\n${good}`,
    ),
    ...["${nobody}", "${", "${a", "${}", "${__proto__}", "${secret:PIN}", "${a.b}", "${constructor}"].map(
      (text) => `${head}steps:\n  - type: "${text}"\n`,
    ),
    // Nonsense that parses.
    `${head}steps:\n  - click: A\n    type: b\n`,
    `${head}steps:\n  - wait: 90s\n`,
    `${head}steps:\n  - wait: -1\n`,
    `${head}steps:\n  - press: ctrl+nokey\n`,
    `${head}steps:\n  - open: javascript:alert(1)\n`,
    `${head}steps:\n  - click: { name: A, selector: B }\n`,
    `${head}steps:\n  - click: { uid: "x" }\n`,
    `${head}steps:\n  - click: { point: "1;2" }\n`,
    `${head}steps:\n  - repeat: {}\n    steps: [{ click: A }]\n`,
    `${head}steps:\n  - repeat: { times: 0 }\n    steps: [{ click: A }]\n`,
    `${head}steps:\n  - else: [{ click: A }]\n`,
    `${head}steps:\n  - page: https://a\n`,
    `${head}steps:\n  - expect: { visible: A, hidden: B }\n`,
    `${head}steps:\n  - expect: { visible: A, within: soon }\n`,
    `${head}timeout: 3 days\n${good}`,
    `${head}policy: allow\n${good}`,
    `${head}desktop: both\n${good}`,
    `${head}tags: smoke\n${good}`,
    `${head}steps:\n  - click: A\n    timeout: -5\n`,
    "appId: a\n---\n- tapOn:\n    below: x\n",
    "appId: a\n---\n- evalScript: x\n",
  ];
}

test("300 malformed files and a good one: exit 2, a line for each of them, and nothing is done", async () => {
  const texts = malformed();
  expect(texts.length).toBeGreaterThanOrEqual(300);
  const folder = join(sandbox.folder, "tmp", "garbage");
  mkdirSync(folder);
  const nameOf = (index: number): string => `g${String(index).padStart(3, "0")}.flow.yaml`;
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, nameOf(index)), text);
  // Cycles of two and three, and one with itself.
  const cycles = { one: "one", two: "three", three: "two" };
  for (const [name, next] of Object.entries(cycles))
    writeFileSync(join(folder, `c-${name}.flow.yaml`), `${head}steps: [{ run: c-${next}.flow.yaml }]\n`);
  writeFileSync(join(folder, "latin1.flow.yaml"), Buffer.from([0x66, 0x6c, 0x6f, 0x77, 0x3a, 0x20, 0xe9, 0xff]));
  const proof = join(folder, "proof.png");
  writeFileSync(join(folder, "good.flow.yaml"), `${head}steps: [{ screenshot: ${proof} }]\n`);
  const { code, stdout, stderr } = await sandbox.run(["flow", "run", folder]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  const bad = [...texts.keys()]
    .map(nameOf)
    .concat("latin1.flow.yaml", ...Object.keys(cycles).map((name) => `c-${name}.flow.yaml`));
  const silent = bad.filter((name) => !new RegExp(`${name.replaceAll(".", "\\.")}:\\d+:\\d+: \\S`).test(stderr));
  expect(silent.map((name) => [name, texts[Number(/\d+/.exec(name)?.[0])]?.slice(0, 200)])).toEqual([]);
  expect(stderr).not.toMatch(/good\.flow\.yaml|internal|at file:\/\/|TypeError|RangeError/);
  expect(existsSync(proof)).toBe(false);
});
