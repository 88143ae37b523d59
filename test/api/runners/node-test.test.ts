import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { checkout } from "../../support/checkout.ts";

test("the same tests pass under node:test", async () => {
  const file = join(checkout, "test/api/runners/apps.node.mjs");
  // The runner of Node keeps quiet when it thinks that it is run by itself.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", file], { env });
  expect(stdout).toMatch(/^# pass 3$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
