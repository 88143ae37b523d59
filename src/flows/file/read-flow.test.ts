import fc from "fast-check";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadFlow } from "./load-flow.ts";
import { problemLine, readFlow } from "./read-flow.ts";
import { readRows } from "./rows.ts";
import { writeFlow } from "./write-flow.ts";

const problems = (text: string): readonly string[] => readFlow(text, "a.flow.yaml").problems.map(problemLine);

const letter = `flow: 1
name: Save a letter
desktop: virtual # or real
vars: { who: Ada }
steps:
  - launch: mousepad
  - fill: { into: { role: textbox }, text: "Dear \${who}" }
  - press: ctrl+s
  - click: { role: button, name: "Save: as", nth: 2 }
  - expect: { file: letter.txt, contains: Dear Ada }
  - page: https://example.org/
    steps: [ { click: Upload }, { expect: { visible: Done, within: 10s } } ]
  - when: { visible: Cookies }
    steps: [ { click: Accept } ]
    else: [ { wait: 2s } ]
  - repeat: { each: [ a, b ] }
    steps: [ { type: "\${item}" } ]
    finally: [ { press: escape } ]
`;

describe("a flow file", () => {
  test("is read, and every step knows its line", () => {
    const { text } = readFlow(letter, "a.flow.yaml");
    expect(text?.flow).toMatchObject({ flow: 1, vars: { who: "Ada" }, desktop: "virtual" });
    expect(text?.position(["steps", 3])).toEqual({ line: 9, column: 5 });
    expect(text?.position(["steps", 5, "steps", 1])).toMatchObject({ line: 12 });
  });

  test("is written with one line per step, and means the same when it is read again", () => {
    const { text } = readFlow(letter, "a.flow.yaml");
    if (!text) throw new Error("the flow was not read");
    const written = writeFlow(text.flow, ["Recorded\non Monday"]);
    expect(written).toContain('  - click: { role: button, name: "Save: as", nth: 2 }\n');
    expect(written).toMatch(/^# Recorded on Monday\nflow: 1\n/);
    expect(readFlow(written, "b").text?.flow).toEqual(text.flow);
  });

  test("keeps any text that is written into it", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 80, unit: "grapheme" }), (text) => {
        const typed = text.replaceAll("$", "§");
        const flow = { flow: 1 as const, steps: [{ fill: { into: "Name", text: typed } }] };
        expect(readFlow(writeFlow(flow), "a").text?.flow.steps[0]).toEqual(flow.steps[0]);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["a misspelt verb", "flow: 1\nsteps:\n  - clik: Save\n", '3:5: unknown field "clik", did you mean "click"?'],
    [
      "a misspelt field",
      "flow: 1\nsteps:\n  - click: { rol: x }\n",
      '3:14: click: unknown field "rol", did you mean "role"?',
    ],
    [
      "two verbs",
      "flow: 1\nsteps:\n  - click: A\n    type: b\n",
      "3:5: has several verbs: click, type; write one step for each",
    ],
    ["an unknown key", "flow: 1\nsteps: [{ press: ctrl+foo }]", '2:18: press: unknown key "foo".'],
    ["a missing field", "flow: 1\nsteps: [{ drag: { from: A } }]", "2:17: drag.to: is missing"],
    ["no steps", "flow: 1\n", "1:1: steps: is missing"],
    ["a wrong version", "flow: 2\nsteps: [{ click: A }]", "1:7: flow: must be 1, the version of this format"],
    ["a tab", "\tflow: 1", "1:1: tabs are not allowed as indentation"],
    [
      "a second document",
      "flow: 1\nsteps: [{ click: A }]\n---\nflow: 1\n",
      "4:1: there is a second document; write one flow per file",
    ],
    ["a name that is taken twice", "flow: 1\nname: x\nname: y\nsteps: [{ click: A }]", "3:1: map keys must be unique"],
    ["a pause that is too long", "flow: 1\nsteps: [{ wait: 90s }]", "2:17: wait: waits 60 s at most"],
    ["a place without steps", "flow: 1\nsteps: [{ page: 'https://a' }]", "2:9: page needs steps"],
    ["a hostile name", "flow: 1\nvars: { __proto__: 1 }\nsteps: [{ click: A }]", '2:9: "__proto__" is no name'],
    ["a tag", "flow: 1\nsteps: [{ click: !!js/function x }]", "2:18: unresolved tag: tag:yaml.org,2002:js/function"],
  ])("with %s is refused at its place", (_, text, expected) => {
    expect(problems(text)).toEqual([`a.flow.yaml:${expected}`]);
  });

  test("cannot exhaust memory or the stack", () => {
    const laughs = Array.from(
      { length: 9 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(",")}]`,
    );
    expect(problems(`l0: &l0 [a]\n${laughs.join("\n")}`)).toEqual([expect.stringMatching(/alias count/)]);
    expect(problems("[".repeat(100_000))).toEqual([expect.stringMatching(/:1:\d+: brackets are nested too deep/)]);
    expect(problems("a: &x [*x]")[0]).toMatch(/a\.flow\.yaml:1:\d+: /);
    expect(problems(`flow: 1\nname: ${"x".repeat(2_000_000)}`)).toEqual([
      expect.stringMatching(/:1:1: the file is too large/),
    ]);
  });

  test("keeps what a variable stands for until it is known", () => {
    expect(
      problems("flow: 1\nsteps: [{ wait: '${pause}' }, { click: { role: row, nth: '${n}' } }, { press: '${key}' }]"),
    ).toEqual([]);
  });
});

describe("a flow on disk", () => {
  const folder = mkdtempSync(join(tmpdir(), "handsight-flows-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const put = (name: string, text: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const check = (name: string, text: string): readonly string[] =>
    loadFlow(put(name, text)).problems.map((problem) => problemLine(problem).replaceAll(`${folder}/`, ""));

  test("is loaded with its data and the flows it runs", () => {
    put("all/rows.csv", 'name,age\n"Ada, Countess",36\n"Say ""hi""",1\n');
    put("all/login.flow.yaml", "flow: 1\nsteps: [{ type: '${name}' }]");
    const { flow } = loadFlow(put("all/a.flow.yaml", "flow: 1\ndata: rows.csv\nsteps: [{ run: login.flow.yaml }]"));
    expect(flow?.rows).toEqual([
      { name: "Ada, Countess", age: "36" },
      { name: 'Say "hi"', age: "1" },
    ]);
    expect([...(flow?.runs.keys() ?? [])]).toEqual(["login.flow.yaml"]);
  });

  test("with a variable that comes from nowhere is refused, with the one that was meant", () => {
    expect(check("v.flow.yaml", "flow: 1\nvars: { who: Ada }\nsteps:\n  - type: ${whi}\n")).toEqual([
      'v.flow.yaml:4:11: there is no variable "whi", did you mean "who"?',
    ]);
    expect(check("s.flow.yaml", "flow: 1\nsteps:\n  - type: ${secret:PIN}\n")).toEqual([
      's.flow.yaml:3:11: secret "PIN" is not in secrets; give it in vars or with --env',
    ]);
    expect(
      check("r.flow.yaml", "flow: 1\nsteps:\n  - read: { role: heading, as: title }\n  - type: ${title}\n"),
    ).toEqual([]);
    expect(check("o.flow.yaml", "flow: 1\nsteps:\n  - type: a ${b\n  - type: $${b\n")).toEqual([
      'o.flow.yaml:3:11: a "${" is not closed; write "$${" for the signs themselves',
    ]);
  });

  test("that runs itself in the end is refused", () => {
    put("c.flow.yaml", "flow: 1\nsteps: [{ run: d.flow.yaml }]");
    expect(check("d.flow.yaml", "flow: 1\nsteps: [{ run: c.flow.yaml }]")).toEqual([
      "c.flow.yaml:2:16: run: these flows run each other without end: d.flow.yaml → c.flow.yaml → d.flow.yaml",
    ]);
  });

  test.each(["../../etc/passwd", "/etc/passwd", "link.flow.yaml"])("that runs %s is refused", (name) => {
    if (!existsSync(join(folder, "link.flow.yaml"))) symlinkSync("/etc/passwd", join(folder, "link.flow.yaml"));
    expect(check("e.flow.yaml", `flow: 1\nsteps: [{ run: ${name} }]`)).toEqual([
      expect.stringMatching(/^e\.flow\.yaml:2:16: run ".*": (?:leads outside|is a link that leads outside)/),
    ]);
  });

  test.each([
    ["row 1 has 1 fields, the first line 2", "a,b\n1\n"],
    ["has no rows", "a,b\n"],
    ["row 2: a quote is not closed, or stands inside a field", 'a\n"x\n'],
  ])("says of its table: %s", (problem, text) => {
    expect(readRows(text, "csv")).toEqual({ problem });
  });

  test("takes an empty field at the very end of its table", () => {
    expect(readRows("a,b\n1,", "csv")).toEqual({ rows: [{ a: "1", b: "" }] });
  });

  test("quotes nothing of a table that is no JSON", () => {
    expect(readRows('{"pin": 1234', "json")).toEqual({ problem: "is not JSON" });
  });
});
