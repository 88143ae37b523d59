import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { findInDesktop, markerName } from "../../src/platform/virtual/processes.ts";
import { runInDesktop } from "../../src/platform/virtual/run.ts";

const compiled = new URL("../../dist/platform/virtual/run.js", import.meta.url).href;
const size = { width: 640, height: 480, monitors: 1, scale: 1 };

test("runs a command inside its own desktop and returns its exit code", async () => {
  const check = `test -S /tmp/.X11-unix/X\${DISPLAY#:} && test -S $XDG_RUNTIME_DIR/bus && exit 7`;
  expect(await runInDesktop(size, ["sh", "-c", check], { stdio: "ignore" })).toBe(7);
});

test("returns 128 and the signal's number when a signal ended the command", async () => {
  expect(await runInDesktop(size, ["sh", "-c", "kill -KILL $$"], { stdio: "ignore" })).toBe(137);
});

test("says which command could not be found", async () => {
  const running = runInDesktop(size, ["no-such-program-here"], { stdio: "ignore" });
  await expect(running).rejects.toMatchObject({
    code: "not_found",
    message: "no-such-program-here could not be started: there is no such program.",
  });
  await expect(runInDesktop(size, [])).rejects.toMatchObject({ code: "invalid_argument" });
});

test.each(["SIGINT", "SIGTERM"] as const)("passes %s on to the command and ends with its exit code", async (signal) => {
  const command = ["sh", "-c", `trap 'exit 3' INT TERM; echo $${markerName}; while :; do sleep 0.05; done`];
  const source = `const { runInDesktop } = await import(${JSON.stringify(compiled)});
    process.exit(await runInDesktop(${JSON.stringify(size)}, ${JSON.stringify(command)}));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = once(child, "exit");
  const [id] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  child.kill(signal);
  expect((await exit)[0]).toBe(3);
  expect(
    await poll(async () => (findInDesktop(id).length === 0 ? "empty" : undefined), { timeoutMs: 5000, everyMs: 30 }),
  ).toBe("empty");
});
