import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { placeVariable } from "../../src/base/runtime.ts";
import { resumeAll, stopAll } from "../../src/base/stop.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { fakeInput } from "../../src/platform/linux/x11/extensions.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { queryKeymap, queryPointer } from "../../src/platform/linux/x11/requests.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox } from "../support/cli.ts";
import { startFixture } from "../support/fixture.ts";
import { mainFile, startHandsight } from "../support/handsight.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

const runs = Number(process.env["HANDSIGHT_TEST_STOPS"] ?? 6);
// Each starts an app.
const timeout = 60_000 + runs * 4_000;

let desktop: Awaited<ReturnType<typeof openVirtualDesktop>>;
let c: Connection;
let env: NodeJS.ProcessEnv;
let folders: readonly string[];
const base = mkdtempSync(join(tmpdir(), "handsight-stop-"));

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1_000, height: 700, monitors: 1, scale: 1 });
  c = await openConnection(desktop.env["DISPLAY"], { env: desktop.env });
  for (const name of ["run", "tmp"]) mkdirSync(join(base, name), { mode: 0o700 });
  env = {
    ...desktop.env,
    XDG_RUNTIME_DIR: join(base, "run"),
    TMPDIR: join(base, "tmp"),
    [placeVariable]: join(base, "place"),
  };
  folders = [join(base, "run", "handsight"), join(base, "tmp", `handsight-${process.getuid?.()}`), join(base, "place")];
});
afterEach(() => void resumeAll(folders));
afterAll(async () => {
  c.close();
  await desktop[Symbol.asyncDispose]();
  removeFolderNow(base);
});

const isButtonDown = async (): Promise<boolean> => ((await queryPointer(c)).mask & 0x1f00) !== 0;
const isKeyDown = async (): Promise<boolean> => (await queryKeymap(c)).some((byte) => byte !== 0);
const until = async (ask: () => Promise<boolean>, timeoutMs = 10_000): Promise<number> => {
  const started = performance.now();
  const done = await poll(async () => ((await ask()) ? true : undefined), { timeoutMs, everyMs: 1 });
  if (!done) throw new Error("it did not happen in time");
  return performance.now() - started;
};
const longDrag = { start_x: 300, start_y: 300, end_x: 600, end_y: 500, steps: 200, step_ms: 100, settle_ms: 0 };

describe("the emergency stop", () => {
  test("releases a drag and refuses input until resume", { timeout }, async () => {
    await using handsight = await startHandsight(env);
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      const drag = handsight.ask("drag", longDrag);
      await until(isButtonDown);
      stopAll(folders);
      times.push(await until(async () => !(await isButtonDown())));
      expect((await drag).data).toMatchObject({ error: { code: "cancelled" } });
      expect((await handsight.ask("click", { x: 1, y: 1 })).data).toMatchObject({
        error: { code: "denied", hint: expect.stringContaining("handsight resume") as string },
      });
      resumeAll(folders);
    }
    console.log(
      `stop of a drag: ${times
        .map(Math.round)
        .sort((a, b) => a - b)
        .join(" ")} ms`,
    );
  });

  test("ends typing of 10 000 characters with no key down, and refuses input", { timeout }, async () => {
    await using handsight = await startHandsight(env);
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      // A new app each time: what was sent before a stop may arrive after it.
      await using app = await startFixture("gtk3_editor", { env: desktop.env });
      await app.waitFor(({ event }) => event === "focus", 30_000);
      const typing = handsight.ask("type_text", { text: "Ab".repeat(5_000), settle_ms: 0 });
      await app.waitFor(({ event, text }) => event === "text" && (text?.length ?? 0) > 20, 30_000);
      stopAll(folders);
      const started = performance.now();
      expect((await typing).data).toMatchObject({ error: { code: "cancelled" } });
      times.push(performance.now() - started);
      expect(await isKeyDown()).toBe(false);
      expect((await handsight.ask("press_key", { key: "enter" })).data).toMatchObject({ error: { code: "denied" } });
      resumeAll(folders);
    }
    console.log(
      `stop of typing: ${times
        .map(Math.round)
        .sort((a, b) => a - b)
        .join(" ")} ms`,
    );
  });

  test("handsight stop does it from a terminal, for every process of this user", async () => {
    using sandbox = openSandbox(env);
    const own = { ...sandbox.env, ...env };
    await using first = await startHandsight(own);
    await using second = await startHandsight(own);
    await second.ask("move_mouse", { x: 5, y: 5 });
    const drag = first.ask("drag", longDrag);
    await until(isButtonDown);
    const { code, stdout } = await sandbox.run(["stop", "--json"], { env: own });
    expect(code).toBe(0);
    expect(new Set((JSON.parse(stdout) as { stopped: number[] }).stopped)).toEqual(new Set([first.pid, second.pid]));
    expect((await drag).data).toMatchObject({ error: { code: "cancelled" } });
    expect(await isButtonDown()).toBe(false);
    expect((await second.ask("click", { x: 1, y: 1 })).data).toMatchObject({ error: { code: "denied" } });
    await sandbox.run(["resume"], { env: own });
    expect((await second.ask("move_mouse", { x: 9, y: 9 })).isError).toBe(false);
  });

  test("its keys work while something else has the keyboard", async () => {
    await using handsight = await startHandsight(env);
    const drag = handsight.ask("drag", longDrag);
    await until(isButtonDown);
    // The keycodes of Ctrl, Alt, Shift and Escape on every PC keyboard layout.
    const chord = [37, 64, 50, 9];
    const press = (isDown: boolean) => chord.map((keycode) => ({ kind: "key", keycode, isDown }) as const);
    await until(async () => {
      await fakeInput(c, press(true));
      await fakeInput(c, press(false));
      return !(await isButtonDown());
    });
    expect((await drag).data).toMatchObject({ error: { code: "cancelled" } });
    expect((await handsight.ask("click", { x: 1, y: 1 })).data).toMatchObject({ error: { code: "denied" } });
  });
});

test.each([
  ["a drag", "drag", longDrag, isButtonDown],
  ["a held key", "press_key", { key: "ctrl+shift+a", hold_ms: 5_000, settle_ms: 0 }, isKeyDown],
] as const)("after kill -9 in the middle of %s nothing stays down", async (_what, tool, args, isDown) => {
  const handsight = await startHandsight(env);
  const call = handsight.ask(tool, args).catch(() => {});
  await until(isDown);
  process.kill(handsight.pid, "SIGKILL");
  await until(async () => !(await isDown()));
  await call;
  await handsight[Symbol.asyncDispose]();
  expect(await isButtonDown()).toBe(false);
  expect(await isKeyDown()).toBe(false);
});

test("the stop reaches every server of the user, whatever their TMPDIR and XDG_RUNTIME_DIR", { timeout }, async () => {
  const elsewhere = (name: string): NodeJS.ProcessEnv => {
    const place = join(base, name);
    mkdirSync(place, { mode: 0o700, recursive: true });
    return { ...env, TMPDIR: place, XDG_RUNTIME_DIR: place };
  };
  await using first = await startHandsight(elsewhere("one"));
  await using second = await startHandsight(elsewhere("two"));
  await second.call("move_mouse", { x: 5, y: 5 });
  const drag = first.ask("drag", longDrag);
  await until(isButtonDown);
  const run = promisify(execFile);
  await run(process.execPath, [mainFile, "stop"], { env: elsewhere("three") });
  expect((await drag).data).toMatchObject({ error: { code: "cancelled" } });
  for (const server of [first, second]) {
    expect((await server.ask("click", { x: 1, y: 1 })).data).toMatchObject({ error: { code: "denied" } });
  }
  await run(process.execPath, [mainFile, "resume"], { env: elsewhere("three") });
  expect((await second.ask("move_mouse", { x: 9, y: 9 })).isError).toBe(false);
});
