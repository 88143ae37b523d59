import { spawn, spawnSync } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { findDeadFolders } from "../../src/platform/virtual/folder.ts";
import { findInDesktop, markerName, readProcess } from "../../src/platform/virtual/processes.ts";
import type { Process } from "../../src/platform/virtual/processes.ts";
import { leftOver, noteTraces } from "./traces.ts";
import type { Traces } from "./traces.ts";

const script = fileURLToPath(new URL("./open-desktop.mjs", import.meta.url));
const compiled = new URL("../../dist/platform/virtual/desktop.js", import.meta.url).href;
const size = { width: 640, height: 480, monitors: 1, scale: 1 };
const nobody = 65_534;
const patience = { timeoutMs: 30_000, everyMs: 50 };

interface Owner {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterator<string>;
  /** In the environment of the owner, its supervisor and everything inside the desktop. */
  readonly marker: string;
}

let owners = 0;

/** A separate process that opens a desktop with programs in it. */
function startOwner(
  as: { readonly uid?: number; readonly gid?: number; readonly env?: NodeJS.ProcessEnv } = {},
): Owner {
  const marker = `test-${process.pid}-${++owners}`;
  const child = spawn(process.execPath, [script, compiled], {
    ...as,
    env: { ...process.env, ...as.env, [markerName]: marker },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), marker };
}

/** Waits until its desktop is up and records its traces. */
async function awaitDesktop({ lines }: Owner): Promise<Traces> {
  await lines.next();
  const { value } = await lines.next();
  return noteTraces(JSON.parse(String(value)) as { id: string; env: NodeJS.ProcessEnv });
}

async function awaitNothingLeft(traces: Traces): Promise<readonly string[]> {
  const clean = await poll(async () => (leftOver(traces).length === 0 ? true : undefined), patience);
  return clean ? [] : leftOver(traces);
}

async function awaitNoProcess(marker: string): Promise<readonly Process[]> {
  await poll(async () => (findInDesktop(marker).length === 0 ? true : undefined), patience);
  return findInDesktop(marker);
}

/** The process that owns the desktop, according to the name of its folder. */
function supervisorOf({ id }: { readonly id: string }): number {
  return Number.parseInt(id.split("-")[3] ?? "", 36);
}

const isSocket = (trace: string): boolean => trace.startsWith("socket");

async function awaitEnd(pid: number): Promise<void> {
  await poll(async () => (readProcess(pid) ? undefined : true), patience);
}

test("20 virtual desktops leave nothing behind, half of them after kill -9 of the process that opened them", async () => {
  for (let round = 0; round < 5; round++) {
    const batch = [startOwner(), startOwner(), startOwner(), startOwner()];
    const traces = await Promise.all(batch.map(awaitDesktop));
    expect(traces.every((entry) => leftOver(entry).length > 2)).toBe(true);
    for (const [index, { child }] of batch.entries()) {
      if (index % 2 === 0) child.kill("SIGKILL");
      else child.stdin.end();
    }
    for (const entry of traces) expect(await awaitNothingLeft(entry)).toEqual([]);
    for (const { marker } of batch) expect(await awaitNoProcess(marker)).toEqual([]);
  }
}, 180_000);

test("a desktop whose opener is killed while it still starts leaves nothing behind", async () => {
  for (const stepsBefore of [0, 2, 4, 6, 8]) {
    const { child, lines, marker } = startOwner();
    await lines.next();
    // The supervisor counts as the first; each step is another program that was started.
    await poll(async () => (findInDesktop(marker).length > stepsBefore ? true : undefined), {
      ...patience,
      everyMs: 2,
    });
    child.kill("SIGKILL");
    expect(await awaitNoProcess(marker)).toEqual([]);
  }
  expect(findDeadFolders()).toEqual([]);
}, 120_000);

test("kill -9 of the supervisor is reported as lost and its opener cleans up", async () => {
  const desktop = await openVirtualDesktop(size);
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  spawn("sh", ["-c", "(setsid sleep 1000 &)"], { env: desktop.env, stdio: "ignore" });
  const traces = noteTraces(desktop);
  process.kill(supervisorOf(desktop), "SIGKILL");
  expect(await desktop.lost).toMatch(/ended \(SIGKILL\)/);
  await desktop[Symbol.asyncDispose]();
  expect(leftOver(traces)).toEqual([]);
});

test("what is left after kill -9 of opener and supervisor together is removed when the next desktop starts", async () => {
  const owner = startOwner();
  const traces = await awaitDesktop(owner);
  const supervisor = supervisorOf(traces);
  process.kill(supervisor, "SIGKILL");
  owner.child.kill("SIGKILL");
  await awaitEnd(supervisor);
  // The kernel signals the X server, which removes its socket; nothing is left to remove the rest.
  const isSocketGone = await poll(async () => (leftOver(traces).some(isSocket) ? undefined : true), patience);
  expect(isSocketGone).toBe(true);
  expect(leftOver(traces)).toContain(`folder ${traces.folder}`);

  const next = await openVirtualDesktop(size);
  onTestFinished(() => next[Symbol.asyncDispose]());
  expect(await awaitNothingLeft(traces)).toEqual([]);
  expect(leftOver(noteTraces(next)).length).toBeGreaterThan(2);
});

test("an opener that ends without disposing of its desktop is not kept alive by it", async () => {
  const source = `const { openVirtualDesktop } = await import(${JSON.stringify(compiled)});
    const { id, env } = await openVirtualDesktop(${JSON.stringify(size)});
    console.log(JSON.stringify({ id, env }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const traces = noteTraces(JSON.parse(line) as { id: string; env: NodeJS.ProcessEnv });
  await once(child, "exit");
  expect(await awaitNothingLeft(traces)).toEqual([]);
});

test.runIf(process.getuid?.() === 0 && canOthersRead())("works and cleans up as an ordinary user", async () => {
  const owner = startOwner({ uid: nobody, gid: nobody, env: { HOME: "/nonexistent" } });
  const traces = await awaitDesktop(owner);
  expect([...traces.pids].length).toBeGreaterThan(4);
  owner.child.kill("SIGKILL");
  expect(await awaitNothingLeft(traces)).toEqual([]);
});

/** Another user cannot run a checkout below a private home. */
function canOthersRead(): boolean {
  const read = `require("node:fs").accessSync(process.argv[1])`;
  return spawnSync(process.execPath, ["-e", read, script], { uid: nobody, gid: nobody }).status === 0;
}
