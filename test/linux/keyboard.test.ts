import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import { XKeyboard } from "../../src/platform/linux/keyboard.ts";
import { getDownKeys } from "../../src/platform/linux/input/reset-modifiers.ts";
import { XWindows } from "../../src/platform/linux/windows.ts";
import { getState, lockState, modifierBits } from "../../src/platform/linux/input/xkb.ts";
import { compileSources } from "../support/compiled.ts";
import { startFixture } from "../support/fixture.ts";
import { kill, startDesktop, type TestDesktop } from "../support/xvfb.ts";

const sample = 'Héllo wörld — 你好 🎉 ß ñ "quotes" \\back';
const manyCharacters = Array.from({ length: 120 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7)).join("");
const editors = ["gtk3_editor", "gtk4_editor", "qt5_editor", "qt6_editor"];

let desktop: TestDesktop;

beforeAll(async () => {
  desktop = await startDesktop();
});

afterAll(async () => {
  await desktop[Symbol.asyncDispose]();
});

beforeEach(() => {
  setLayout("us");
});

function setLayout(...args: string[]): void {
  execFileSync("setxkbmap", args, { env: desktop.env });
}

/** The whole keymap as text: groups, types, symbols and modifiers of every key. */
function dumpKeymap(): string {
  return execFileSync("xkbcomp", [desktop.display, "-"], {
    env: desktop.env,
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();
}

async function openEditor(name = "gtk3_editor") {
  const editor = await startFixture(name, { env: desktop.env });
  await editor.waitFor((event) => event.event === "focus");
  return editor;
}

async function openKeyboard() {
  const display = new XDisplay(desktop.env);
  const keyboard = new XKeyboard(display);
  return {
    display,
    keyboard,
    connection: await display.connect(),
    async press(...keys: string[]) {
      for (const key of keys) await keyboard.down(key);
      for (const key of keys.toReversed()) await keyboard.up(key);
    },
    async [Symbol.asyncDispose]() {
      await keyboard[Symbol.asyncDispose]();
      await display[Symbol.asyncDispose]();
    },
  };
}

describe.each(editors)("typing into %s", (name) => {
  test("any Unicode text arrives unchanged", async () => {
    await using editor = await openEditor(name);
    await using hands = await openKeyboard();
    await hands.keyboard.text(sample);
    expect(await editor.waitForText(sample)).toBe(sample);
  });

  test("more distinct characters than there are spare keycodes arrive in order", async () => {
    await using editor = await openEditor(name);
    await using hands = await openKeyboard();
    await hands.keyboard.text(manyCharacters);
    expect(await editor.waitForText(manyCharacters)).toBe(manyCharacters);
  });

  test("combining marks, joined emoji and characters beyond the first plane stay as they are", async () => {
    const text = "e\u0301 o\u0308 👩\u200d👩\u200d👧 🇩🇪 𝔘𝔫𝔦 अनुच्छेद עברית";
    await using editor = await openEditor(name);
    await using hands = await openKeyboard();
    await hands.keyboard.text(text);
    expect(await editor.waitForText(text)).toBe(text);
  });

  test("Caps Lock changes nothing, and is on again afterwards", async () => {
    await using editor = await openEditor(name);
    await using hands = await openKeyboard();
    await hands.press("capslock");
    expect((await getState(hands.connection)).lockedModifiers & modifierBits.lock).not.toBe(0);
    await hands.keyboard.text(sample);
    const after = await getState(hands.connection);
    await hands.press("capslock");
    expect(await editor.waitForText(sample)).toBe(sample);
    expect(after.lockedModifiers & modifierBits.lock).not.toBe(0);
  });

  test.each(["de", "fr", "us,ru"])("the layout %s changes nothing", async (layout) => {
    await using editor = await openEditor(name);
    await using hands = await openKeyboard();
    setLayout(layout);
    // The last group: Cyrillic letters for "us,ru".
    await lockState(hands.connection, { affected: 0, locked: 0, group: layout.split(",").length - 1 });
    await hands.keyboard.text(`${sample} azqwyz AZQWYZ {[@]} #|~ 0123456789`);
    const expected = `${sample} azqwyz AZQWYZ {[@]} #|~ 0123456789`;
    expect(await editor.waitForText(expected)).toBe(expected);
    expect((await getState(hands.connection)).lockedGroup).toBe(layout.split(",").length - 1);
  });
});

test("line ends and tabs are the keys of that name, and a CRLF is one line end", async () => {
  await using editor = await openEditor();
  await using hands = await openKeyboard();
  await hands.keyboard.text("one\r\ntwo\rthree\nfour\tfive");
  expect(await editor.waitForText("one\ntwo\nthree\nfour\tfive")).toBe("one\ntwo\nthree\nfour\tfive");
});

test("a text with a character that no key types is refused entirely", async () => {
  await using editor = await openEditor();
  await using hands = await openKeyboard();
  await expect(hands.keyboard.text("before\u0007after\u001b\ud800")).rejects.toMatchObject({
    code: "invalid_argument",
    message: "No key types U+0007, U+001B, U+D800; nothing was typed.",
  });
  await hands.keyboard.text("next");
  expect(await editor.waitForText("next")).toBe("next");
});

test("a held Shift changes nothing, and is still held afterwards", async () => {
  await using editor = await openEditor();
  await using hands = await openKeyboard();
  await hands.keyboard.down("shift");
  await hands.keyboard.text(sample);
  expect((await getState(hands.connection)).baseModifiers & modifierBits.shift).not.toBe(0);
  await hands.keyboard.up("shift");
  expect(await editor.waitForText(sample)).toBe(sample);
});

test("a layout that changes between two texts, taking the borrowed keycodes with it, changes nothing [S4-50]", async () => {
  await using editor = await openEditor();
  await using hands = await openKeyboard();
  await hands.keyboard.text(sample);
  setLayout("de");
  await hands.keyboard.text(sample);
  setLayout("fr", "-option", "compose:ralt");
  await hands.keyboard.text(sample);
  const expected = sample.repeat(3);
  expect(await editor.waitForText(expected)).toBe(expected);
});

test("chords, capitals, borrowed characters and numpad digits are pressed and released", async () => {
  await using editor = await openEditor();
  await using hands = await openKeyboard();
  for (const keys of [["a"], ["B"], ["shift", "c"], ["é"], ["numpad7"], ["!"], ["你"], ["space"], ["enter"]]) {
    await hands.press(...keys);
  }
  expect(await editor.waitForText("aBCé7!你 \n")).toBe("aBCé7!你 \n");
  await hands.press("ctrl", "a");
  await hands.press("backspace");
  expect(await editor.waitForText("")).toBe("");
  expect(await getDownKeys(hands.connection)).toEqual(new Set());
});

test("an unknown key is refused", async () => {
  await using hands = await openKeyboard();
  await expect(hands.keyboard.down("\u0007")).rejects.toMatchObject({ code: "invalid_argument" });
  await expect(hands.keyboard.down("nosuchkey")).rejects.toMatchObject({ code: "invalid_argument" });
});

test("there is a pause after each character, which can be cancelled", async () => {
  await using editor = await openEditor();
  await using hands = await openKeyboard();
  const cancel = new AbortController();
  const typing = hands.keyboard.text("éa", { delayMs: 60_000, signal: cancel.signal });
  expect(await editor.waitForText("é")).toBe("é");
  cancel.abort();
  await expect(typing).rejects.toMatchObject({ code: "cancelled" });
  const start = performance.now();
  await hands.keyboard.text("|slow", { delayMs: 200 });
  expect(performance.now() - start).toBeGreaterThan(990);
  expect(await editor.waitForText("é|slow")).toBe("é|slow");
});

test("a cancelled text stops soon, leaves no key down, and the next text works", async () => {
  await using editor = await openEditor();
  await using hands = await openKeyboard();
  const cancel = new AbortController();
  const long = sample.repeat(300);
  const typing = hands.keyboard.text(long, { signal: cancel.signal });
  await editor.waitFor((event) => (event.text ?? "").length > 300);
  cancel.abort();
  await expect(typing).rejects.toMatchObject({ code: "cancelled" });
  expect(await getDownKeys(hands.connection)).toEqual(new Set());
  await hands.keyboard.text("|end");
  const last = await editor.waitFor((event) => (event.text ?? "").endsWith("|end"));
  const typed = (last.text ?? "").slice(0, -"|end".length);
  expect(long.startsWith(typed)).toBe(true);
  expect(typed.length).toBeLessThan(long.length);
});

test("ten thousand characters arrive", async () => {
  const text = `${sample}\n`.repeat(250);
  await using editor = await openEditor("qt6_editor");
  await using hands = await openKeyboard();
  await hands.keyboard.text(text);
  expect(await editor.waitForText(text, 30_000)).toBe(text);
});

test.each(["us", "de", "us,ru,gr"])("the keymap %s is as before when the keyboard is closed", async (layout) => {
  setLayout(layout);
  const before = dumpKeymap();
  {
    await using editor = await openEditor();
    await using hands = await openKeyboard();
    await hands.keyboard.text(manyCharacters);
    expect(await editor.waitForText(manyCharacters)).toBe(manyCharacters);
    expect(dumpKeymap()).not.toBe(before);
  }
  expect(dumpKeymap()).toBe(before);
});

test("keys still held are released when the keyboard is closed", async () => {
  await using watcher = await openKeyboard();
  {
    await using hands = await openKeyboard();
    await hands.keyboard.down("ctrl");
    await hands.keyboard.down("K");
    expect((await getDownKeys(watcher.connection)).size).toBe(3);
  }
  expect(await getDownKeys(watcher.connection)).toEqual(new Set());
});

test("two keyboards on one display do not take each other's keycodes", async () => {
  const before = dumpKeymap();
  {
    await using editor = await openEditor();
    await using one = await openKeyboard();
    await using two = await openKeyboard();
    await one.keyboard.text("你好世界");
    await two.keyboard.text("éèêëñ");
    await one.keyboard.text("春夏秋冬东南西北");
    await two.keyboard.text("āēīōū");
    await one.keyboard.text("世界你好");
    const expected = "你好世界éèêëñ春夏秋冬东南西北āēīōū世界你好";
    expect(await editor.waitForText(expected)).toBe(expected);
  }
  expect(dumpKeymap()).toBe(before);
});

test("after a typing process was killed, the next connection puts the keymap back", async () => {
  const before = dumpKeymap();
  await using editor = await openEditor();
  await using sources = await compileSources();
  const script = `
    const { XDisplay } = await import(${JSON.stringify(sources.url("platform/linux/display"))});
    const { XKeyboard } = await import(${JSON.stringify(sources.url("platform/linux/keyboard"))});
    const keyboard = new XKeyboard(new XDisplay(process.env));
    for (;;) await keyboard.text("你好 é");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { env: desktop.env, stdio: "inherit" });
  const ended = once(child, "exit");
  await editor.waitFor((event) => (event.text ?? "").length > 20);
  child.kill("SIGKILL");
  await ended;
  expect(dumpKeymap()).not.toBe(before);
  await using hands = await openKeyboard();
  expect(hands.connection.isClosed).toBe(false);
  const restored = await poll(async () => (dumpKeymap() === before ? true : undefined), {
    timeoutMs: 2000,
    everyMs: 50,
  });
  expect(restored).toBe(true);
});

test("after the X server was killed and is back, keys can be pressed and text typed again", async () => {
  const first = await startDesktop();
  const display = new XDisplay(first.env);
  const keyboard = new XKeyboard(display);
  await keyboard.down("ctrl");
  await keyboard.text("é");
  await first[Symbol.asyncDispose]();
  await expect(keyboard.text("lost")).rejects.toMatchObject({ code: "not_connected" });
  await using second = await startDesktop({ number: Number(first.display.slice(1)) });
  expect(second.display).toBe(first.display);
  await using editor = await startFixture("gtk3_editor", { env: second.env });
  await editor.waitFor((event) => event.event === "focus");
  await keyboard.text(sample);
  expect(await editor.waitForText(sample)).toBe(sample);
  await keyboard.down("ctrl");
  expect((await getState(await display.connect())).baseModifiers).toBe(modifierBits.control);
  await keyboard[Symbol.asyncDispose]();
  expect(await getDownKeys(await display.connect())).toEqual(new Set());
  await display[Symbol.asyncDispose]();
});

// xterm represents the apps that do not support ping.
test("xterm, which does not support ping, gets every character, too", async () => {
  const file = join(String(desktop.env["HOME"]), "xterm-input");
  const text = `${sample}${manyCharacters.slice(0, 40)}`;
  const env = { ...desktop.env, LC_ALL: "C.UTF-8" };
  const xterm = spawn("xterm", ["-u8", "-title", "Terminal", "-e", "sh", "-c", `: > '${file}'; cat > '${file}'`], {
    env,
  });
  try {
    await using hands = await openKeyboard();
    const windows = new XWindows(hands.display);
    const isReady = async () => {
      const active = (await windows.list()).find((window) => window.isForeground);
      return active?.title === "Terminal" && existsSync(file) ? true : undefined;
    };
    expect(await poll(isReady, { timeoutMs: 10_000, everyMs: 50 })).toBe(true);
    await hands.keyboard.text(`${text}\n`);
    const arrived = await poll(async () => (readFileSync(file, "utf8").endsWith("\n") ? true : undefined), {
      timeoutMs: 10_000,
      everyMs: 50,
    });
    expect([arrived, readFileSync(file, "utf8")]).toEqual([true, `${text}\n`]);
  } finally {
    await kill(xterm);
  }
});
