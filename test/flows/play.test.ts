import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSandbox, type CliResult, type Sandbox } from "../support/cli.ts";

let sandbox: Sandbox;
let flows: string;
beforeAll(() => {
  sandbox = openSandbox();
  flows = join(sandbox.folder, "tmp", "flows");
});
afterAll(() => sandbox[Symbol.dispose]());

const put = (name: string, text: string): string => {
  const path = join(flows, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};
const play = (...args: string[]): Promise<CliResult> => sandbox.run(["flow", "run", ...args]);

interface Told {
  readonly ok: boolean;
  readonly runs: readonly {
    readonly status: string;
    readonly failed?: { readonly step: string; readonly code: string; readonly line: number };
    readonly read: Readonly<Record<string, string>>;
    readonly steps: readonly {
      readonly id: string;
      readonly what: string;
      readonly status: string;
      readonly note?: string;
    }[];
  }[];
}
const told = ({ stdout }: CliResult): Told => JSON.parse(stdout) as Told;

describe("on a private desktop", () => {
  test("a flow writes a letter in a real editor, and the file says so", async () => {
    const file = join(flows, "letter.txt");
    const flow = put(
      "letter.flow.yaml",
      `flow: 1
name: Save a letter
desktop: virtual
vars: { who: Ada }
steps:
  - launch: mousepad
  - fill: { into: { role: textbox }, text: "Dear \${who}" }
  - press: ctrl+s
  - fill: { into: Name, text: ${file} }
  - click: Save
  - expect: { file: letter.txt, contains: "Dear Grace" }
`,
    );
    const report = join(flows, "out");
    const { code, stdout, stderr } = await play(flow, "--env", "who=Grace", "--report", report);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(readFileSync(file, "utf8")).toBe("Dear Grace");
    expect(stdout).toMatch(/✓ 5\. click "Save" {2}\d+ ms {2}confirmed/);
    expect(stdout).toContain("1 passed, 0 failed");
    const page = readFileSync(join(report, "report.html"), "utf8");
    expect(page.match(/data:image\/webp;base64,/g)?.length).toBeGreaterThanOrEqual(5);
    expect(readdirSync(report)).toContain("flows.json");
  });

  test("a failure names the step, its line and what is there, and `finally` still runs", async () => {
    const flow = put(
      "fails.flow.yaml",
      `flow: 1
desktop: virtual
steps:
  - launch: mousepad
  - fill: { into: { role: textbox }, text: Hello }
  - click: { role: button, name: Nowhere }
    timeout: 300ms
  - press: ctrl+q
finally:
  - press: ctrl+z
`,
    );
    const junit = join(flows, "out.xml");
    const { code, stdout } = await play(flow, "--junit", junit);
    expect(code).toBe(1);
    expect(stdout).toMatch(/fails\.flow\.yaml:6: step 3: not_found: button "Nowhere" did not appear within 300 ms/);
    expect(stdout).toMatch(/✓ finally\.1\. press ctrl\+z {2}\d+ ms {2}confirmed/);
    expect(stdout).not.toContain("ctrl+q");
    expect(readFileSync(junit, "utf8")).toMatch(/<failure type="not_found" message=".*fails\.flow\.yaml:6: step 3: /);
    const [report = ""] = /\/\S+report\.html/.exec(stdout) ?? [];
    expect(readFileSync(report, "utf8")).toContain("data:image/webp;base64,");
  });
});

describe("without anything to act on", () => {
  test("a flow with a mistake does nothing, and neither do the flows beside it", async () => {
    put("two/a.flow.yaml", `flow: 1\nsteps: [{ screenshot: ${join(flows, "shot.png")} }]\n`);
    put("two/b.flow.yaml", "flow: 1\nsteps:\n  - clik: Save\n");
    const { code, stderr } = await play(join(flows, "two"));
    expect(code).toBe(2);
    expect(stderr).toMatch(/b\.flow\.yaml:3:5: unknown field "clik", did you mean "click"\?/);
    expect(existsSync(join(flows, "shot.png"))).toBe(false);
  });

  test("a flow without a display ends with 4, a refused one with 3", async () => {
    const real = put("real.flow.yaml", "flow: 1\ndesktop: real\nsteps: [{ launch: mousepad }]\n");
    expect((await play(real, "--policy", "allow")).code).toBe(4);
    const narrow = put(
      "narrow.flow.yaml",
      "flow: 1\ndesktop: virtual\npolicy: observe-only\nsteps: [{ launch: mousepad }]\n",
    );
    const { code, stdout } = await play(narrow, "--policy", "allow");
    expect(code).toBe(3);
    expect(stdout).toContain("denied");
  });
});

describe("in a page", () => {
  let server: Server;
  let address: string;
  const page = `<!doctype html><title>Form</title><button id="add">Add</button><label>Name <input id="name"></label>
<p id="said">0 items</p><script>
let count = 0;
const at = (id) => document.getElementById(id);
at("add").onclick = () => setTimeout(() => { at("said").textContent = ++count + " items of " + at("name").value; }, 50);
</script>`;
  beforeAll(async () => {
    server = createServer((_, response) => response.setHeader("content-type", "text/html").end(page));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => server.close());

  test("rows, conditions, loops, retries, other flows and questions to a model", async () => {
    put("web/rows.csv", "name,times\nAda,2\nGrace,3\n");
    put("web/check.flow.yaml", 'flow: 1\nsteps: [{ expect: { text: "${times} items of ${name}" } }]\n');
    const flow = put(
      "web/all.flow.yaml",
      `flow: 1
desktop: virtual
tags: [web]
data: rows.csv
secrets: [PIN]
steps:
  - page: ${address}
    steps:
      - fill: { into: Name, text: "\${name}" }
      - repeat: { times: "\${times}" }
        name: add some
        steps: [ { click: Add } ]
      - run: check.flow.yaml
      - read: { selector: "Paragraph", as: said }
      - when: { equals: [ "\${said}", "2 items of Ada" ] }
        steps: [ { expect: { visible: 2 items of Ada } } ]
        else: [ { expect: { hidden: 2 items of Ada } } ]
      - click: Missing
        optional: true
        timeout: 100ms
      - click: Missing
        timeout: 50ms
        retry: 1
        optional: true
      - ask: tidy up
      - fill: { into: Name, text: "\${secret:PIN}" }
      - read: { label: Name, as: pin }
`,
    );
    const options = { env: { PIN: "s3cr3t-pin" } };
    const result = await sandbox.run(["flow", "run", flow, "--json", "--policy", "allow"], options);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: "" });
    const { ok, runs } = told(result);
    expect(ok).toBe(true);
    expect(runs.map(({ read }) => read["said"])).toEqual(["2 items of Ada", "3 items of Grace"]);
    expect(result.stdout).not.toContain("s3cr3t-pin");
    const statuses = runs.map(({ steps }) => Object.fromEntries(steps.map(({ id, status }) => [id, status])));
    expect(statuses[0]).toMatchObject({
      "1.2#2.1": "passed",
      "1.3.1": "passed",
      "1.5.1": "passed",
      "1.6": "warned",
      "1.8": "skipped",
    });
    expect(statuses[1]).toMatchObject({ "1.2#3.1": "passed", "1.5.else.1": "passed", "1.7": "warned" });
    const asked = runs[0]?.steps.find(({ id }) => id === "1.8");
    expect(asked?.note).toMatch(/no model is configured/);
  });

  test("tags, shards and parts of a flow choose what is played", async () => {
    const flow = put(
      "part.flow.yaml",
      `flow: 1
tags: [quick]
vars: { a: 1 }
steps:
  - wait: 1ms
  - name: middle
    wait: 2ms
  - wait: 3ms
`,
    );
    const done = async (...args: string[]): Promise<readonly string[]> =>
      told(await play(flow, "--json", ...args)).runs.flatMap(({ steps }) =>
        steps.filter(({ status }) => status === "passed").map(({ id }) => id),
      );
    expect(await done("--from", "middle")).toEqual(["2", "3"]);
    expect(await done("--from", "2", "--until", "middle")).toEqual(["2"]);
    expect(await done("--tags", "quick,slow", "--shard", "1/2")).toEqual(["1", "2", "3"]);
    expect((await play(flow, "--tags", "!quick")).code).toBe(2);
    expect((await play(flow, "--from", "nowhere")).code).toBe(2);
  });
});
