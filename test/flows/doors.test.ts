import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { open } from "../../src/index.ts";
import { startHandsight } from "../support/handsight.ts";

const folder = mkdtempSync(join(tmpdir(), "handsight-doors-"));
afterAll(() => rmSync(folder, { recursive: true }));
const put = (name: string, text: string): string => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const greet = put(
  "greet.flow.yaml",
  `flow: 1
vars: { who: Ada }
steps:
  - launch: mousepad
  - fill: { into: { role: textbox }, text: "Dear \${who}" }
  - read: { role: textbox, as: letter }
  - expect: { value: Dear Grace, of: { role: textbox } }
    timeout: 200ms
`,
);

test("an MCP client checks and plays a flow, and reads its report", async () => {
  const handsight = await startHandsight(process.env, ["--desktop", "virtual", "--size", "800x600"]);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const bad = put("bad.flow.yaml", "flow: 1\nsteps:\n  - clik: Save\n");
  expect(await handsight.call("check_flow", { file: bad })).toMatchObject({
    ok: false,
    problems: [{ line: 3, column: 5, message: 'unknown field "clik", did you mean "click"?' }],
  });
  await expect(handsight.call("run_flow", { file: bad })).rejects.toMatchObject({ code: "invalid_argument" });
  const failed = (await handsight.ask("run_flow", { file: greet })).data;
  expect(failed).toMatchObject({
    ok: false,
    runs: [{ status: "failed", failed: { step: "4", line: 7 }, read: { letter: "Dear Ada" } }],
    report: "handsight://reports/flow-1",
  });
  const passed = await handsight.call("run_flow", { file: greet, vars: { who: "Grace" }, from: "2" });
  expect(passed).toMatchObject({ ok: true, runs: [{ status: "passed", read: { letter: "Dear Grace" } }] });
  const { contents } = await handsight.client.readResource({ uri: "handsight://reports/flow-1" });
  expect(JSON.stringify(contents)).toContain("Step 4 (line 7)");
});

test("a program plays a flow, and a failure is an error with the line", async () => {
  const hs = await open({ desktop: "virtual", policy: "allow" });
  onTestFinished(() => hs.close());
  const quick = put(
    "quick.flow.yaml",
    "flow: 1\nvars: { a: 1 }\nsteps:\n  - wait: 1ms\n    when: { equals: ['${a}', 2] }\n",
  );
  expect(await hs.runFlow(quick, { vars: { a: 2 } })).toMatchObject({
    ok: true,
    runs: [{ steps: [{ status: "passed" }] }],
  });
  expect(await hs.runFlow(quick)).toMatchObject({ runs: [{ steps: [{ status: "skipped" }] }] });
  const wrong = put("wrong.flow.yaml", "flow: 1\nsteps:\n  - expect: { visible: Nothing }\n    timeout: 50ms\n");
  await expect(hs.runFlow(wrong)).rejects.toMatchObject({
    code: "not_confirmed",
    message: expect.stringMatching(/wrong\.flow\.yaml:3: step 1: /),
  });
  const real = put("real.flow.yaml", "flow: 1\ndesktop: real\nsteps: [{ wait: 1ms }]\n");
  await expect(hs.runFlow(real)).rejects.toMatchObject({ code: "not_supported" });
});
