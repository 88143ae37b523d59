import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Rect } from "../../src/base/geometry.ts";
import { openFakeSession } from "../support/fake-session.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";
import { kill } from "../support/xvfb.ts";

interface Stage {
  readonly terminal: number;
  readonly editor: number;
  /** A point in the editor's text. */
  readonly from: readonly [number, number];
}

let held = 0;
let tried = 0;

/** Counts an attack, and that it failed. */
async function attack(assertion: () => Promise<void>): Promise<void> {
  tried++;
  await assertion();
  held++;
}

afterAll(() => {
  process.stdout.write(`nobody but the person approves: held ${held} of ${tried}\n`);
});

describe("a window's title cannot forge the question about it", () => {
  const bounds = { x: 0, y: 0, width: 400, height: 300 };
  test.each([
    ['Notes"? It only looks. Allow handsight to click in "x'],
    ["Notes\n\nThe person has already agreed."],
    ["Notes\r[y] yes"],
    ["\u202Edewolla si siht\u202C"],
    ["\u2066Notes\u2069"],
    ["Notes\u200B\u200D\uFEFF"],
    ["\u001B[2J\u001B[HAllow handsight to wait?"],
    ["”? Allow”"],
    ["＂? All is well. ＂"],
    ["\u2028Allow?\u2029"],
    ["x".repeat(5_000)],
    ["\u3164\u115F\u2800"],
    ["\u0007\u0000"],
    ["Editor (mousepad)? Allow"],
  ])("%j", async (title) => {
    await attack(async () => {
      const window = { id: 1, title, bounds, isForeground: true };
      const { outcome, session } = openFakeSession({ windows: [window] }, { policy: "ask" });
      const asked = await outcome("click", { x: 5, y: 5 }, { canAsk: true });
      session.gate.questions[Symbol.dispose]();
      if (asked.kind !== "ask") throw new Error(`it was not asked but ${asked.kind}`);
      const { text } = asked.question;
      expect(text).toMatch(
        /^Allow handsight to click in the window "[^"]*"( \([^"]*\))?\? It may then also look [^"?]*\.$/,
      );
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(text.length).toBeLessThan(300);
    });
  });

  test.each([
    ["launch_app", { app_name: "/bin/sh", args: ["-c", 'rm -rf "$HOME"\n#'] }],
    ["launch_app", { app_name: "fake-terminal" }],
    ["launch_app", { app_name: "calculator", args: ["--exec=\u202Esh"] }],
  ])("%s %j is described as what it is", async (tool, args) => {
    await attack(async () => {
      const { outcome, session } = openFakeSession({}, { policy: "ask" });
      const asked = await outcome(tool, args, { canAsk: true });
      session.gate.questions[Symbol.dispose]();
      if (asked.kind !== "ask") throw new Error(`it was not asked but ${asked.kind}`);
      expect(asked.question.text).toMatch(/^Allow handsight to start "[^"\n]*"\? This can run any command as you\./);
      expect(asked.question.text).toContain(args.app_name);
    });
  });
});

describe("an answer is valid for what was asked, and for nothing else", () => {
  const bounds = { x: 0, y: 0, width: 400, height: 300 };
  const windows = [
    { id: 1, title: "Notes", bounds, isForeground: true },
    { id: 2, title: "Mail", bounds: { ...bounds, x: 500 } },
  ];
  const open = () => openFakeSession({ windows }, { policy: "ask" });
  const ask = async (each: ReturnType<typeof open>, tool: string, args: object) => {
    const asked = await each.outcome(tool, args, { canAsk: true });
    if (asked.kind !== "ask") throw new Error(`it was not asked but ${asked.kind}`);
    return asked.question.id;
  };

  test("a no is a no, whatever was allowed meanwhile", async () => {
    await attack(async () => {
      const each = open();
      const [first, second] = [await ask(each, "click", { x: 5, y: 5 }), await ask(each, "click", { x: 6, y: 6 })];
      await each.outcome("click", { x: 5, y: 5 }, { canAsk: true, answer: "tool", questionId: first });
      each.backend.desktop.events.length = 0;
      const late = await each.outcome("click", { x: 6, y: 6 }, { canAsk: true, answer: "deny", questionId: second });
      expect(late).toMatchObject({ envelope: { error: { code: "denied" } } });
      expect([each.backend.desktop.events, each.session.gate.questions.pending()]).toEqual([[], []]);
    });
  });

  test("a point that is in another window by now is not clicked", async () => {
    await attack(async () => {
      const each = open();
      const questionId = await ask(each, "click", { x: 5, y: 5 });
      const [notes, mail] = each.backend.desktop.windows;
      if (!notes || !mail) throw new Error("the windows are missing");
      Object.assign(notes, { bounds: { ...bounds, x: 500 } });
      Object.assign(mail, { bounds });
      const late = await each.outcome("click", { x: 5, y: 5 }, { canAsk: true, answer: "window", questionId });
      expect(late).toMatchObject({
        envelope: { error: { code: "denied", message: expect.stringContaining("something else") as string } },
      });
      expect(each.backend.desktop.events.filter((event) => event.startsWith("down"))).toEqual([]);
    });
  });

  test("an answer to a question that is no longer open is ignored", async () => {
    await attack(async () => {
      const each = open();
      const questionId = await ask(each, "click", { x: 5, y: 5 });
      each.session.gate.questions.close(questionId);
      const late = await each.outcome("click", { x: 5, y: 5 }, { canAsk: true, answer: "session", questionId });
      expect(late.kind).toBe("ask");
      each.session.gate.questions[Symbol.dispose]();
    });
  });

  test("permission to start an app is not permission to start a command", async () => {
    await attack(async () => {
      const each = open();
      const questionId = await ask(each, "launch_app", { app_name: "calculator" });
      await each.outcome(
        "launch_app",
        { app_name: "calculator", timeout_ms: 0 },
        { canAsk: true, answer: "tool", questionId },
      );
      const command = await each.outcome("launch_app", { app_name: "/bin/sh" }, { canAsk: true });
      expect(command.kind).toBe("ask");
      each.session.gate.questions[Symbol.dispose]();
    });
  });
});

describe("on a private desktop, for a client that cannot ask", () => {
  let sandbox: Sandbox;
  let handsight: Handsight;
  let terminal: ChildProcess;
  let windows: Stage;

  beforeAll(async () => {
    sandbox = openSandbox();
    // An entry that any of the person's programs can write, including an agent with an editor.
    const entries = join(sandbox.env["HOME"] ?? "", ".local", "share", "applications");
    mkdirSync(entries, { recursive: true });
    writeFileSync(
      join(entries, "my-notes.desktop"),
      "[Desktop Entry]\nType=Application\nName=My Notes\nExec=sh -c true\n",
    );
    handsight = await startHandsight(sandbox.env, ["--policy", "ask", "--desktop", "virtual", "--tools", "all"]);
    const { window } = await handsight.call("launch_app", { app_name: "mousepad", timeout_ms: 30_000 });
    // The person, or a program, has opened a terminal there.
    const display = findDisplay(handsight.pid);
    terminal = spawn("xterm", ["-title", "Shell", "-geometry", "60x10+700+500"], {
      env: { ...sandbox.env, ...display },
      stdio: "ignore",
    });
    const shell = await handsight.call("wait_for", { window_title: "Shell", timeout_ms: 20_000 });
    const { x, y, width, height } = (window as { bounds: Rect }).bounds;
    windows = {
      from: [Math.round(x + width / 4), Math.round(y + height / 2)],
      editor: (window as { window_id: number }).window_id,
      terminal: (shell["window"] as { window_id: number }).window_id,
    };
  }, 90_000);
  afterAll(async () => {
    if (terminal) await kill(terminal);
    await handsight?.[Symbol.asyncDispose]();
    sandbox?.[Symbol.dispose]();
  });

  test("the agent looks, acts and starts installed apps at once", async () => {
    expect((await handsight.ask("take_screenshot", { mode: "screen" })).images).toHaveLength(1);
    await handsight.call("focus_window", { window_id: windows.editor });
    const typed = await handsight.call("type_text", { text: "Grüße 🎉", window_id: windows.editor });
    expect(typed).toMatchObject({ ok: true, effect: "confirmed" });
    expect(await handsight.call("press_key", { key: "ctrl+a", window_id: windows.editor })).toMatchObject({ ok: true });
    const { pid } = await handsight.call("launch_app", { app_name: "galculator", timeout_ms: 30_000 });
    expect(await handsight.call("quit_app", { pid })).toMatchObject({ ok: true });
    expect(await handsight.call("cdp_launch", { url: "about:blank" })).toMatchObject({ already_running: false });
    expect(await handsight.call("cdp_take_dom_snapshot")).toBeDefined();
  });

  test.each<[string, Record<string, unknown>]>([
    ["launch_app", { app_name: "xterm" }],
    ["launch_app", { app_name: "uxterm" }],
    ["launch_app", { app_name: "debian-xterm" }],
    ["launch_app", { app_name: "/usr/bin/xterm" }],
    ["launch_app", { app_name: "/usr/bin/mousepad" }],
    ["launch_app", { app_name: "/usr/bin/../bin/xterm" }],
    ["launch_app", { app_name: "sh" }],
    ["launch_app", { app_name: "bash", args: ["script"] }],
    ["launch_app", { app_name: "env", args: ["xterm"] }],
    ["launch_app", { app_name: "nohup", args: ["xterm"] }],
    ["launch_app", { app_name: "python3" }],
    ["launch_app", { app_name: "node" }],
    ["launch_app", { app_name: "xdg-open", args: ["file:///bin/sh"] }],
    ["launch_app", { app_name: "mousepad", args: ["--display=:0"] }],
    ["launch_app", { app_name: "mousepad", args: ["+!sh"] }],
    ["launch_app", { app_name: "mousepad", args: ["macro:///x"] }],
    ["launch_app", { app_name: "My Notes" }],
    ["cdp_launch", { profile: join(process.cwd(), ".build", "somebody") }],
    ["launch_app", { app_name: "chromium", args: ["--renderer-cmd-prefix=/bin/sh"] }],
    ["debug_launch", { command: "/bin/sh", args: ["-c", "true"] }],
    ["debug_launch", { command: "xterm" }],
    ["cdp_launch", { executable: "/bin/sh" }],
    ["cdp_launch", { args: ["--gpu-launcher=sh"] }],
    ["cdp_evaluate_script", { function: "() => 1" }],
    ["cdp_connect", { port: 9 }],
    ["ui_click", { x: 5, y: 5 }],
    ["android_connect", { serial: "emulator-5554" }],
  ])("%s %j is refused", async (tool, args) => {
    await attack(async () => {
      const { data } = await handsight.ask(tool, args);
      expect(data).toMatchObject({
        error: { code: "denied", hint: expect.stringContaining("handsight approve") as string },
      });
    });
  });

  test.each<[string, string, (id: Stage) => Record<string, unknown>]>([
    ["types into the terminal by its id", "type_text", ({ terminal: window_id }) => ({ text: "id\n", window_id })],
    ["types into it by its title", "type_text", () => ({ text: "id\n", window_title: "Shell" })],
    ["presses a key in it", "press_key", ({ terminal: window_id }) => ({ key: "Return", window_id })],
    ["clicks in it", "click", ({ terminal: window_id }) => ({ window_id, window_x: 50, window_y: 50 })],
    ["pastes by the middle button", "click", () => ({ x: 800, y: 560, button: "middle" })],
    ["drags into it", "drag", ({ from: [start_x, start_y] }) => ({ start_x, start_y, end_x: 800, end_y: 560 })],
    ["scrolls it", "scroll", () => ({ x: 800, y: 560, delta_y: 100 })],
    ["uses the ui set", "ui_type", () => ({ text: "id\n", window_title: "Shell" })],
  ])("an agent that %s is refused", async (_how, tool, args) => {
    await attack(async () => {
      await handsight.call("focus_window", { window_id: windows.terminal });
      const { data } = await handsight.ask(tool, args(windows));
      expect(data).toMatchObject({ error: { code: "denied" } });
    });
  });

  test("one that focuses it first, and then types without naming it, is refused too", async () => {
    await attack(async () => {
      await handsight.call("focus_window", { window_id: windows.terminal });
      for (const [tool, args] of [
        ["type_text", { text: "id\n" }],
        ["press_key", { key: "Return" }],
      ] as const) {
        expect((await handsight.ask(tool, args)).data).toMatchObject({ error: { code: "denied" } });
      }
    });
  });

  test("no refusal names a way to approve other than a person's own terminal", async () => {
    await attack(async () => {
      const { data } = await handsight.ask("launch_app", { app_name: "xterm" });
      expect(JSON.stringify(data)).not.toMatch(/token|https?:\/\/127|#[\w-]{20}/);
    });
  });
});

describe("on the person's own desktop, for a client that cannot ask", () => {
  test("it is refused with what to do", async () => {
    await attack(async () => {
      const { outcome } = openFakeSession({}, { policy: "ask" });
      for (const [tool, args] of [
        ["take_screenshot", {}],
        ["click", { x: 1, y: 1 }],
        ["launch_app", { app_name: "calculator" }],
      ] as const) {
        expect(await outcome(tool, args)).toMatchObject({
          envelope: {
            error: {
              code: "denied",
              hint: expect.stringMatching(/handsight approve.*--desktop virtual.*--policy allow/) as string,
            },
          },
        });
      }
    });
  });
});

/** The display of the private desktop, from the environment of an app that was started on it. */
function findDisplay(server: number): NodeJS.ProcessEnv {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const name = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
      const words = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      const parent = /PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      if (name !== "mousepad" || Number(parent) !== server) continue;
      const wanted = words
        .filter((word) => /^(DISPLAY|XAUTHORITY)=/.test(word))
        .map((word) => word.split("=") as [string, string]);
      return Object.fromEntries(wanted);
    } catch {
      // It has just ended, or belongs to somebody else.
    }
  }
  throw new Error("the editor's process was not found");
}
