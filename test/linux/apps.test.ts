import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { LinuxApps } from "../../src/platform/linux/apps.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import { findProcess, isRunning, signalProcess } from "../../src/platform/linux/apps/processes.ts";
import { XWindows } from "../../src/platform/linux/windows.ts";
import { compileSources } from "../support/compiled.ts";
import { startFixture } from "../support/fixture.ts";
import { kill, startDesktop, type TestDesktop } from "../support/xvfb.ts";

let desktop: TestDesktop;
let display: XDisplay;
let windows: XWindows;
let apps: LinuxApps;
const started: ChildProcess[] = [];

beforeAll(async () => {
  desktop = await startDesktop();
  display = new XDisplay(desktop.env);
  windows = new XWindows(display);
  apps = new LinuxApps({ env: desktop.env, windows });
});

afterAll(async () => {
  for (const child of started) await kill(child);
  await display[Symbol.asyncDispose]();
  await desktop[Symbol.asyncDispose]();
});

const windowOf = (pid: number) =>
  poll(async () => (await windows.list()).find((window) => window.pid === pid), { timeoutMs: 10_000, everyMs: 50 });

/** One of our processes, without any window. */
async function startSleeper(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  await once(child, "spawn");
  started.push(child);
  return child as ChildProcess & { readonly pid: number };
}

describe("launching", () => {
  test("an app is started by its command, is listed with its window, and ends when it is asked to", async () => {
    const { pid } = await apps.launch("mousepad", []);
    const window = await windowOf(pid);
    const app = (await apps.running()).find((one) => one.pid === pid);
    expect(app).toMatchObject({ pid, windowIds: [window?.id] });
    expect(app?.executable).toMatch(/\/mousepad$/u);
    expect(app?.name.toLowerCase()).toContain("mousepad");
    await apps.quit(pid);
    expect(await findProcess(pid)).toBeUndefined();
  });

  test.each(["org.xfce.mousepad", "ORG.XFCE.MOUSEPAD.desktop", "mousePAD"])(
    "an installed app is started by its id or name, whatever the case: %s",
    async (name) => {
      const { pid } = await apps.launch(name, []);
      expect((await windowOf(pid))?.pid).toBe(pid);
      await apps.quit(pid, { force: true });
    },
  );

  test("installed apps are listed with what starts them", async () => {
    const mousepad = (await apps.installed()).find((app) => app.id === "org.xfce.mousepad");
    expect(mousepad).toEqual({
      id: "org.xfce.mousepad",
      name: "Mousepad",
      executable: expect.stringMatching(/\/mousepad$/u),
    });
  });

  test("arguments arrive word for word", async () => {
    const file = join(String(desktop.env["HOME"]), "arguments");
    const script = join(String(desktop.env["HOME"]), "write arguments");
    await writeFile(script, `#!/bin/sh\nprintf '%s\\n' "$@" > '${file}.part' && mv '${file}.part' '${file}'\n`);
    await chmod(script, 0o755);
    await apps.launch(script, ["two words", "$HOME", '"quoted"']);
    expect(execFileSync("cat", [file]).toString()).toBe('two words\n$HOME\n"quoted"\n');
  });

  test("an unknown name is not found, and the nearest ones are named", async () => {
    await expect(apps.launch("mousepda", [])).rejects.toMatchObject({
      code: "not_found",
      details: { candidates: expect.arrayContaining(["mousepad"]) },
    });
    await expect(apps.launch("", [])).rejects.toMatchObject({ code: "not_found" });
    await expect(apps.launch("/no/such/program", [])).rejects.toMatchObject({ code: "not_found" });
  });

  test("a script whose interpreter is missing could not be started", async () => {
    const file = join(String(desktop.env["HOME"]), "broken");
    await writeFile(file, "#!/no/such/interpreter\n");
    await chmod(file, 0o755);
    await expect(apps.launch(file, [])).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("could not be started"),
    });
  });

  test("an app that fails at once says with which exit code", async () => {
    await expect(apps.launch("sh", ["-c", "exit 7"])).rejects.toMatchObject({
      code: "process_not_running",
      message: '"sh" ended at once with exit code 7.',
    });
  });

  test("an entry that says where files go gets its arguments there", async () => {
    const home = String(desktop.env["HOME"]);
    const file = join(home, "from-entry");
    await mkdir(join(home, ".local/share/applications"), { recursive: true });
    const exec = `sh -c "echo \\\\$0 \\\\$1 > ${file}" first %F second`;
    await writeFile(
      join(home, ".local/share/applications/say.desktop"),
      `[Desktop Entry]\nType=Application\nName=Say It\nExec=${exec}\n`,
    );
    await apps.launch("say it", ["middle"]);
    expect(execFileSync("cat", [file]).toString()).toBe("first middle\n");
  });

  test("an app outlives the process that started it, in its own session", async () => {
    await using sources = await compileSources();
    const script = `
      const { LinuxApps } = await import(${JSON.stringify(sources.url("platform/linux/apps"))});
      const apps = new LinuxApps({ env: process.env, windows: undefined });
      process.stdout.write(String((await apps.launch("sleep", ["1000"])).pid));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { env: desktop.env });
    const sleeper = await findProcess(Number(output.toString()));
    expect(sleeper).toBeDefined();
    const session = execFileSync("ps", ["-o", "sid=", "-p", String(sleeper?.pid)])
      .toString()
      .trim();
    expect(session).toBe(String(sleeper?.pid));
    if (sleeper) await signalProcess(sleeper, "SIGKILL");
  });
});

describe("quitting", () => {
  test("a process without windows gets SIGTERM", async () => {
    const sleeper = await startSleeper();
    const ended = once(sleeper, "exit");
    await apps.quit(sleeper.pid);
    expect(await ended).toEqual([null, "SIGTERM"]);
  });

  test("an app that refuses to close is left alone, and the error says what to do", async () => {
    await using stubborn = await startFixture("gtk3_stubborn", { env: desktop.env });
    await stubborn.waitFor((event) => event.event === "mapped");
    await windowOf(stubborn.pid);
    await expect(apps.quit(stubborn.pid, { timeoutMs: 600 })).rejects.toMatchObject({
      code: "timeout",
      details: { hint: expect.stringContaining("force: true") },
    });
    expect(stubborn.events.filter((event) => event.event === "refused").length).toBeGreaterThan(0);
    await apps.quit(stubborn.pid, { force: true });
    expect(await findProcess(stubborn.pid)).toBeUndefined();
  });

  test("an app that was quit has no window left, so that it can be started again", async () => {
    await using lingering = await startFixture("gtk3_lingering", { env: desktop.env });
    await windowOf(lingering.pid);
    await apps.quit(lingering.pid, { force: true });
    expect((await windows.list()).filter(({ pid }) => pid === lingering.pid)).toEqual([]);
  });

  test("waiting for an app to end can be cancelled", async () => {
    await using stubborn = await startFixture("gtk3_stubborn", { env: desktop.env });
    await stubborn.waitFor((event) => event.event === "mapped");
    const signal = AbortSignal.timeout(100);
    await expect(apps.quit(stubborn.pid, { signal })).rejects.toMatchObject({ code: "cancelled" });
  });

  test("a process that has ended is not running", async () => {
    const sleeper = await startSleeper();
    await kill(sleeper);
    await expect(apps.quit(sleeper.pid)).rejects.toMatchObject({ code: "process_not_running" });
  });

  test.each([0, 1, -1, 1.5, NaN, process.pid])("%s is refused", async (pid) => {
    await expect(apps.quit(pid, { force: true })).rejects.toMatchObject({ code: "invalid_argument" });
  });

  test("a process that got the id of one that ended is not touched", async () => {
    const sleeper = await startSleeper();
    const recycled = { pid: sleeper.pid, startTime: "1" };
    expect(await isRunning(recycled)).toBe(false);
    await signalProcess(recycled, "SIGKILL");
    expect(await findProcess(sleeper.pid)).toBeDefined();
    expect(sleeper.exitCode ?? sleeper.signalCode).toBeNull();
  });
});
