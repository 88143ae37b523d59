import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { isRunning, identify } from "../../src/base/process.ts";
import { openSandbox, type CliResult, type Sandbox } from "../support/cli.ts";

let sandbox: Sandbox;
const env = { HANDSIGHT_SESSION: "", HANDSIGHT_POLICY: "allow" };
const run = (...args: string[]): Promise<CliResult> => sandbox.run(args, { env });
const json = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { stdout, stderr } = await run(...args, "--json");
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
};

interface Listed {
  readonly name: string;
  readonly pid: number;
  readonly commands: number;
  readonly running: number;
}
const listed = async (): Promise<readonly Listed[]> => (await json("session", "list"))["sessions"] as readonly Listed[];
const only = async (): Promise<Listed> => {
  const [first, ...more] = await listed();
  if (!first || more.length > 0) throw new Error(`${more.length + (first ? 1 : 0)} sessions run`);
  return first;
};
const untilRunning = async (count: number): Promise<void> => {
  const isSo = async () => ((await only()).running === count ? true : undefined);
  expect(await poll(isSo, { timeoutMs: 20_000, everyMs: 50 })).toBe(true);
};
/** A command that ends only when it is ended. */
function waitForever(): { readonly child: ChildProcess | undefined; readonly result: Promise<CliResult> } {
  let child: ChildProcess | undefined;
  const result = sandbox.run(["wait_for", "--window-title", "nothing", "--timeout-ms", "60000"], {
    env,
    started: (started) => {
      child = started;
    },
  });
  return { child, result };
}
const untilGone = (pid: number): Promise<true | undefined> =>
  poll(async () => (isRunning(identify(pid)) ? undefined : true), { timeoutMs: 20_000, everyMs: 20 });
/** The processes a session has started, of all generations. */
const startedBy = (pid: number): readonly number[] => {
  const children = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    children.flatMap(([child = 0, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
};
const sessionFiles = (): readonly string[] => {
  const folder = join(sandbox.folder, "place", "sessions");
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith(".log")) : [];
};

describe("commands of one session", () => {
  beforeAll(async () => {
    sandbox = openSandbox();
    expect(await run("open", "--desktop", "virtual", "--size", "900x700")).toMatchObject({ code: 0, stderr: "" });
    expect(await json("launch_app", "mousepad")).toMatchObject({ ok: true });
  });
  afterAll(async () => {
    await run("session", "stop", "--all");
    sandbox[Symbol.dispose]();
  });

  test("pass uids on: snapshot, click, type and read are four commands", async () => {
    const { stdout } = await run("take_ax_snapshot");
    const box = /textbox (a\d+g\d+)/.exec(stdout)?.[1] ?? "";
    const menu = /menu "Edit" (a\d+g\d+)/.exec(stdout)?.[1] ?? "";
    expect((await run("click", "--uid", menu)).stdout).toContain('menuitem "Select All"');
    await run("press_key", "Escape");
    expect(await json("type_text", "--uid", box, "Grüße 🎉")).toMatchObject({ effect: "confirmed" });
    expect(await json("read_text", "--uid", box)).toMatchObject({ text: "Grüße 🎉" });
  });

  test("pass marked regions and pictures on", async () => {
    const { legend } = (await json("mark_regions")) as { legend: string };
    const help = /^(\d+) menu "Help"/m.exec(legend)?.[1] ?? "";
    expect(await json("click_region", help)).toMatchObject({ effect: "confirmed" });
    await run("press_key", "Escape");
    const seen = (await json("take_screenshot", "screen")) as { screenshot_id: string };
    const found = (await json("find_text", "Document")) as { matches: readonly { x: number; y: number }[] };
    const [at] = found.matches;
    // The whole screen, small enough to be unscaled: its pixels are the screen's.
    const pixel = ["--screenshot-x", String(Math.round(at?.x ?? 0)), "--screenshot-y", String(Math.round(at?.y ?? 0))];
    const clicked = await json("click", "--screenshot-id", seen.screenshot_id, ...pixel);
    expect(clicked).toMatchObject({ effect: "confirmed" });
    await run("press_key", "Escape");
  });

  test("get a picture at once, and its text if they ask for it", async () => {
    // The reader has not been started yet, which takes longer than any picture.
    await run("open", "--desktop", "virtual", "--size", "900x700", "--session", "fresh");
    await run("launch_app", "mousepad", "--session", "fresh");
    await run("wait_for", "--condition", "stable", "--session", "fresh");
    const shot = ["take_screenshot", "screen", "--session", "fresh"];
    const { stdout } = await run(...shot);
    expect(stdout).toMatch(/text was not read.*ocr with screenshot_id/);
    expect(stdout).not.toContain("root account");
    const asked = await run(...shot, "--include-ocr");
    expect(asked.stdout).toContain("File");
    await run("session", "stop", "fresh");
    await run("open", "--session", "virtual");
  });

  test("run side by side, and each gets its own answer", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? json("get_mouse_position") : json("list_windows", `nothing ${index}`),
      ),
    );
    expect(answers.filter((answer) => "x" in answer)).toHaveLength(10);
    expect(answers.filter(({ windows }) => Array.isArray(windows) && windows.length === 0)).toHaveLength(10);
  });

  test("decide for themselves what needs no question: a yes to all ends with its command", async () => {
    const strict = { env: { ...env, HANDSIGHT_POLICY: "ask" } };
    expect((await run("move_mouse", "10", "10")).code).toBe(0);
    // On a private desktop acting needs no question, but running a command does.
    const denied = await sandbox.run(["launch_app", "xterm", "--args", "-e", "--args", "true"], strict);
    expect(denied).toMatchObject({ code: 3 });
    const looking = await sandbox.run(["move_mouse", "20", "20", "--policy", "observe-only"], { env });
    expect(looking).toMatchObject({ code: 3 });
    expect((await run("move_mouse", "30", "30")).code).toBe(0);
  });

  test("name a setting that the session does not have, and are refused", async () => {
    const { code, stderr } = await run("get_mouse_position", "--size", "800x600");
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("another size") as string });
    expect(stderr).toContain("--session NAME");
  });

  test("take relative paths from the folder they are given in", async () => {
    const folder = join(sandbox.folder, "tmp", "pictures");
    mkdirSync(folder);
    const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
    execFileSync(process.execPath, [main, "take_screenshot", "--out", "a.png", "--ocr", "off"], {
      cwd: folder,
      env: { ...sandbox.env, ...env },
    });
    expect(existsSync(join(folder, "a.png"))).toBe(true);
  });

  test("read steps from stdin and from a file of their folder", async () => {
    const steps = JSON.stringify([{ wait: 50 }]);
    const piped = await sandbox.run(["run_steps", "-", "--json"], { env, stdin: steps });
    expect(JSON.parse(piped.stdout)).toMatchObject({ ok: true });
    const folder = join(sandbox.folder, "tmp");
    writeFileSync(join(folder, "steps.json"), steps);
    const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
    const ran = execFileSync(process.execPath, [main, "run_steps", "@steps.json", "--json"], {
      cwd: folder,
      env: { ...sandbox.env, ...env },
      encoding: "utf8",
    });
    expect(JSON.parse(ran)).toMatchObject({ ok: true });
  });

  test("read their arguments from stdin", async () => {
    const { stdout } = await sandbox.run(["call", "move_mouse", "-", "--json"], { env, stdin: '{"x": 44, "y": 55}' });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
    expect(await json("get_mouse_position")).toMatchObject({ x: 44, y: 55 });
  });

  test("end with 130 when they are interrupted, and the session stays", async () => {
    const { pid } = await only();
    const waiting = waitForever();
    await untilRunning(1);
    waiting.child?.kill("SIGINT");
    const { code, stderr } = await waiting.result;
    expect({ code, stderr }).toMatchObject({ code: 130, stderr: expect.stringContaining("Ctrl-C") as string });
    expect((await only()).pid).toBe(pid);
  });

  test("of a client that was killed are cancelled", async () => {
    const waiting = waitForever();
    await untilRunning(1);
    waiting.child?.kill("SIGKILL");
    await untilRunning(0);
  });

  test("are stopped by the emergency stop, and go on after it", async () => {
    await run("move_mouse", "5", "5");
    expect((await run("stop")).stdout).toContain("Stopped pid");
    expect(await run("move_mouse", "6", "6")).toMatchObject({ code: 3 });
    await run("resume");
    expect(await run("move_mouse", "7", "7")).toMatchObject({ code: 0 });
  });
});

describe("a session", () => {
  beforeEach(() => {
    sandbox = openSandbox();
  });
  afterEach(async () => {
    await run("session", "stop", "--all");
    expect(await listed()).toEqual([]);
    expect(sessionFiles()).toEqual([]);
    sandbox[Symbol.dispose]();
  });
  const open = (...args: string[]) => run("open", "--desktop", "virtual", "--size", "300x200", ...args);

  test("that was killed is replaced on the same kind of desktop, and nothing of it stays", async () => {
    await open();
    const { pid } = await only();
    const started = startedBy(pid);
    expect(started.length).toBeGreaterThan(0);
    process.kill(pid, "SIGKILL");
    for (const child of started) expect(await untilGone(child)).toBe(true);
    const next = await run("list_displays");
    expect(next).toMatchObject({ code: 0, stderr: expect.stringContaining("ended unexpectedly") as string });
    expect(next.stdout).toContain("300x200");
  });

  test("of another build is replaced, and says so", async () => {
    await open();
    const { pid } = await only();
    const file = fileURLToPath(new URL("../../dist/cli/session/place.js", import.meta.url));
    const soon = new Date(Date.now() + 1);
    utimesSync(file, soon, soon);
    const next = await run("list_displays");
    expect(next).toMatchObject({ code: 0, stderr: expect.stringContaining("another version") as string });
    expect(next.stdout).toContain("300x200");
    expect(await untilGone(pid)).toBe(true);
  });

  test("is replaced when the rules have changed", async () => {
    await open();
    const { pid } = await only();
    mkdirSync(join(sandbox.folder, "config", "handsight"), { recursive: true });
    const rules = join(sandbox.folder, "config", "handsight", "policy.json");
    writeFileSync(rules, JSON.stringify({ rules: [{ tool: "move_mouse", verdict: "deny" }] }));
    expect(await run("move_mouse", "1", "1")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("rules") as string,
    });
    expect(await untilGone(pid)).toBe(true);
    rmSync(rules);
  });

  test("that has ended is replaced on the same desktop and under the same rules, whatever the command says", async () => {
    const rules = join(sandbox.folder, "strict.json");
    writeFileSync(rules, JSON.stringify({ rules: [{ tool: "move_mouse", verdict: "deny" }] }));
    await open("--rules", rules, "--policy", "allow");
    const { pid } = await only();
    process.kill(pid, "SIGKILL");
    expect(await untilGone(pid)).toBe(true);
    // Neither a word of the command, nor another command to open, nor what `open` allowed changes where it works.
    const next = await sandbox.run(["find_text", "open", "--json"], {
      env: { ...env, HANDSIGHT_POLICY: "observe-only" },
    });
    expect(next.stderr).toContain("ended unexpectedly");
    expect((await run("list_displays")).stdout).toContain("300x200");
    expect(await run("move_mouse", "1", "1")).toMatchObject({ code: 3 });
    const looking = { env: { ...env, HANDSIGHT_POLICY: "observe-only" } };
    expect(await sandbox.run(["press_key", "a"], looking)).toMatchObject({ code: 3 });
  });

  test("that cannot be started again is an error, not a reason to work elsewhere", async () => {
    await open();
    const { pid } = await only();
    process.kill(pid, "SIGKILL");
    expect(await untilGone(pid)).toBe(true);
    const folder = join(sandbox.folder, "place", "sessions");
    // A folder in the place of the socket: nothing can listen there.
    rmSync(join(folder, "virtual.sock"));
    mkdirSync(join(folder, "virtual.sock", "x"), { recursive: true });
    expect(await run("list_displays")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("cannot be used") as string,
    });
    rmSync(join(folder, "virtual.sock"), { recursive: true });
  });

  test("that is stuck is reported, and can be ended", async () => {
    await open();
    const { pid, name } = await only();
    process.kill(pid, "SIGSTOP");
    const command = run("list_displays");
    expect((await run("session", "list")).stdout).toContain("does not answer");
    expect(await command).toMatchObject({ code: 1, stderr: expect.stringContaining(`session stop ${name}`) as string });
    expect((await run("session", "stop", name)).stdout).toContain("has ended");
    expect(await untilGone(pid)).toBe(true);
  });

  test("ends when nobody uses it, and its desktop with it", async () => {
    await open("--session-idle", "0.01");
    const { pid } = await only().catch(() => ({ pid: 0 }));
    if (pid > 0) expect(await untilGone(pid)).toBe(true);
    expect((await run("close")).stdout).toContain("has ended");
  });

  test("ends when its folder is removed, as at logout", async () => {
    await open();
    const { pid } = await only();
    rmSync(join(sandbox.folder, "place", "sessions"), { recursive: true });
    expect(await untilGone(pid)).toBe(true);
  });

  test("stands beside others, each with its own desktop", async () => {
    await Promise.all([open("--session", "one"), open("--session", "two")]);
    expect((await listed()).map(({ name }) => name).toSorted()).toEqual(["one", "two"]);
    await run("move_mouse", "11", "12", "--session", "one");
    expect(await json("get_mouse_position", "--session", "one")).toMatchObject({ x: 11, y: 12 });
    expect(await json("get_mouse_position", "--session", "two")).not.toMatchObject({ x: 11, y: 12 });
  });

  test("is started once, however many commands start it", async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => open()));
    expect(started.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect(await listed()).toHaveLength(1);
  });

  test("asks in the terminal of the command that needs an answer", async () => {
    await open();
    const { stdout, code } = await sandbox.runInTerminal(
      ["launch_app", "xterm", "--args", "-e", "--args", "true", "--policy", "ask", "--session", "virtual"],
      "n\n",
    );
    expect(stdout).toContain("[n] no: ");
    expect(stdout).toContain("refused by the person asked");
    expect(code).toBe(3);
  });

  test("is left out with --no-session", async () => {
    expect((await run("list_displays", "--desktop", "virtual", "--no-session")).code).toBe(0);
    expect(await listed()).toEqual([]);
  });
});

describe("nobody else gets in", () => {
  beforeEach(() => {
    sandbox = openSandbox();
  });
  afterEach(async () => {
    await run("session", "stop", "--all");
    sandbox[Symbol.dispose]();
  });

  test("only the user can reach the socket", async () => {
    await run("open", "--desktop", "virtual", "--size", "300x200");
    const folder = join(sandbox.folder, "place", "sessions");
    const modes = execFileSync("stat", ["-c", "%a %n", folder, join(folder, "virtual.sock")], { encoding: "utf8" });
    expect(modes.split("\n").map((line) => line.split(" ")[0])).toEqual(["700", "600", ""]);
  });

  test.each([
    ["that others may write to", (folder: string) => (mkdirSync(folder), chmodSync(folder, 0o777))],
    ["that is a link", (folder: string) => (mkdirSync(`${folder}-real`), symlinkSync(`${folder}-real`, folder))],
    ["that is a file", (folder: string) => writeFileSync(folder, "")],
  ])("a folder of sessions %s is not used", async (_what, make) => {
    make(join(sandbox.folder, "place", "sessions"));
    const { code, stderr } = await run("list_displays", "--desktop", "virtual");
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("runs without one") as string });
  });

  const isRoot = process.getuid?.() === 0;
  /** Somebody who is neither this user nor in a group of theirs. */
  const stranger = 65_534;

  test.runIf(isRoot)(
    "another user can neither connect nor put a socket there, and has sessions of their own",
    async () => {
      await run("open", "--desktop", "virtual", "--size", "300x200");
      const folder = join(sandbox.folder, "place", "sessions");
      chmodSync(sandbox.folder, 0o755);
      const connect = `require("node:net").connect(process.argv[1]).on("error", (e) => console.log(e.code)).on("connect", () => console.log("in"))`;
      const as = (...words: string[]): string =>
        spawnSync("setpriv", [`--reuid=${stranger}`, `--regid=${stranger}`, "--clear-groups", ...words], {
          encoding: "utf8",
          cwd: "/",
          env: { PATH: process.env["PATH"], HOME: "/nonexistent", _HANDSIGHT_PLACE: join(sandbox.folder, "place") },
        }).stdout;
      expect(as(process.execPath, "-e", connect, join(folder, "virtual.sock"))).toBe("EACCES\n");
      const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
      expect(as(process.execPath, main, "session", "list")).not.toContain("virtual");
      expect((await listed()).map(({ name }) => name)).toEqual(["virtual"]);
    },
  );

  test.runIf(isRoot)("a folder of sessions that belongs to another user is not used", async () => {
    const folder = join(sandbox.folder, "place", "sessions");
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, stranger, stranger);
    const { code, stderr } = await run("list_displays", "--desktop", "virtual");
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("runs without one") as string });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.runIf(isRoot)("a full folder is no reason to fail", async () => {
    const folder = join(sandbox.folder, "place");
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16k,mode=700", "tmpfs", folder]);
    try {
      spawnSync("dd", ["if=/dev/zero", `of=${join(folder, "full")}`, "bs=1k"], { stdio: "ignore" });
      const { code, stdout, stderr } = await run("list_displays", "--desktop", "virtual", "--size", "300x200");
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("runs without one") as string,
      });
      expect(stdout).toContain("300x200");
      expect(await listed()).toEqual([]);
      expect(sessionFiles()).toEqual([]);
    } finally {
      execFileSync("umount", ["-l", folder]);
    }
  });

  test("a connection that talks nonsense is closed, and the session goes on", async () => {
    await run("open", "--desktop", "virtual", "--size", "300x200");
    const path = join(sandbox.folder, "place", "sessions", "virtual.sock");
    for (const line of [
      "nonsense\n",
      "[]\n7\n",
      '{"command": {}}\n',
      '{"command": null}\n',
      '{"answer": 5}\n',
      "x".repeat(9_000_000),
    ]) {
      const talk = spawn(process.execPath, ["-e", talker, path], { stdio: ["pipe", "ignore", "ignore"] });
      talk.stdin.on("error", () => {});
      talk.stdin.end(line);
      await new Promise((resolve) => talk.once("exit", resolve));
    }
    expect(await run("list_displays")).toMatchObject({ code: 0, stderr: "" });
  });
});

const talker = `
const socket = require("node:net").connect(process.argv[1]);
process.stdin.pipe(socket);
socket.on("error", () => {}).on("close", () => process.exit());
socket.on("data", () => socket.destroy());
setTimeout(() => process.exit(), 700);
`;
