import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isRunning, ownIdentity } from "./process.ts";

test("this process is running, whether or not its start is known", () => {
  const own = ownIdentity();
  expect(isRunning(own)).toBe(true);
  expect(isRunning({ pid: own.pid, started: undefined })).toBe(true);
});

test.runIf(ownIdentity().started !== undefined)(
  "a reused pid is distinguished from the process that had it before",
  () => {
    const own = ownIdentity();
    expect(isRunning({ pid: own.pid, started: `${own.started}0` })).toBe(false);
  },
);

test("a process that has ended is not running", async () => {
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await once(child, "exit");
  expect(isRunning({ pid: child.pid ?? 0, started: "1" })).toBe(false);
});

test.each([0, -1, 1.5, Number.NaN])("pid %s names no process", (pid) => {
  expect(isRunning({ pid, started: undefined })).toBe(false);
});
