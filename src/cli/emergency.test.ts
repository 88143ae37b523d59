import { spawn } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { sleep } from "../base/async.ts";
import type { Access } from "../policy/decide.ts";
import { defineTool, type AnyTool, type ToolContext } from "../tools/tool.ts";
import { EmergencyStop } from "./emergency.ts";
import { findProcesses, registerProcess } from "../base/runtime.ts";
import { resumeAll, stopAll } from "../base/stop.ts";

let base: string;
let folders: readonly string[];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "handsight-emergency-"));
  folders = [join(base, "session"), join(base, "shared")];
});
afterEach(() => {
  process.removeAllListeners("SIGUSR2");
  rmSync(base, { recursive: true });
});

const tool = (access: Access, run: (signal: AbortSignal) => Promise<void>): AnyTool =>
  defineTool({
    name: `${access}_tool`,
    title: access,
    summary: access,
    set: "meta",
    access,
    needs: [],
    input: z.strictObject({}),
    output: z.object({}),
    positional: [],
    run: async (_, { signal }) => {
      await run(signal);
      return { data: {} };
    },
  });

async function call(emergency: EmergencyStop, each: AnyTool): Promise<unknown> {
  const context = { signal: new AbortController().signal } as ToolContext;
  return emergency.guard([each])[0]?.run({} as never, context);
}

test("a call that has ended leaves no listener on the signals it was given", async () => {
  const emergency = new EmergencyStop(folders);
  const context = { signal: new AbortController().signal } as ToolContext;
  let during = 0;
  const [guarded] = emergency.guard([
    tool("act", async () => {
      during = getEventListeners(context.signal, "abort").length;
    }),
  ]);
  await guarded?.run({} as never, context);
  expect([during, getEventListeners(context.signal, "abort").length]).toEqual([1, 0]);
});

test("while stopped, everything but looking is refused; resuming allows it again", async () => {
  const emergency = new EmergencyStop(folders);
  const quick = async () => {};
  stopAll(folders);
  for (const access of ["act", "manage", "execute"] as const) {
    await expect(call(emergency, tool(access, quick))).rejects.toMatchObject({ code: "denied" });
  }
  await expect(call(emergency, tool("observe", quick))).resolves.toEqual({ data: {} });
  expect(resumeAll(folders)).toEqual({ was_stopped: true });
  await expect(call(emergency, tool("act", quick))).resolves.toEqual({ data: {} });
  expect(resumeAll(folders)).toEqual({ was_stopped: false });
});

test("a stop recorded in either place counts", async () => {
  stopAll(folders.slice(1));
  await expect(
    call(
      new EmergencyStop(folders),
      tool("act", async () => {}),
    ),
  ).rejects.toMatchObject({ code: "denied" });
});

test("the stop reaches the running call, which can still release what it holds", async () => {
  const emergency = new EmergencyStop(folders);
  let isHeld = false;
  const running = call(
    emergency,
    tool("act", async (signal) => {
      isHeld = true;
      try {
        await sleep(60_000, signal);
      } finally {
        isHeld = false;
      }
    }),
  );
  expect(isHeld).toBe(true);
  expect(stopAll(folders).stopped).toEqual([process.pid]);
  await expect(running).rejects.toMatchObject({ code: "cancelled", message: "The emergency stop ended the call." });
  expect(isHeld).toBe(false);
});

test("nothing is registered before the first tool that acts", async () => {
  const emergency = new EmergencyStop(folders);
  await call(
    emergency,
    tool("observe", async () => {}),
  );
  expect(readdirSync(base)).toEqual([]);
  await call(
    emergency,
    tool("act", async () => {}),
  );
  expect(findProcesses(folders).map(({ pid }) => pid)).toEqual([process.pid]);
});

test("the record of a process that ended is removed, and nothing is signalled", async () => {
  const undo = registerProcess(folders);
  undo();
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await once(child, "exit");
  for (const folder of folders) {
    writeFileSync(join(folder, `${child.pid}.json`), JSON.stringify({ pid: child.pid, started: "1" }));
    writeFileSync(join(folder, "7.json"), "torn");
  }
  expect(stopAll(folders)).toEqual({ stopped: [] });
  for (const folder of folders) expect(readdirSync(folder)).toEqual(["stopped"]);
});

test("a folder that others can write to is not trusted", () => {
  for (const folder of folders) {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify({ pid: process.pid }));
  }
  expect(findProcesses(folders)).toEqual([]);
  expect(() => stopAll(folders)).toThrow("could not be recorded");
});

test("what continues after its call ends with the stop and is refused while it is active, even if it only looks", async () => {
  const emergency = new EmergencyStop(folders);
  let stopping: AbortSignal | undefined;
  const lasting: AnyTool = {
    ...tool("observe", async () => {}),
    endedBy: "the_end",
    run: async (_: never, context: ToolContext) => {
      stopping = context.lasting?.stopping;
      return { data: {} };
    },
  };
  await call(emergency, lasting);
  expect(stopping?.aborted).toBe(false);
  emergency.stop();
  expect(stopping?.aborted).toBe(true);
  stopAll(folders);
  await expect(call(emergency, lasting)).rejects.toMatchObject({ code: "denied" });
  resumeAll(folders);
  await expect(call(emergency, lasting)).resolves.toEqual({ data: {} });
});
