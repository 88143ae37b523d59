import { expect } from "vitest";
import type { Key } from "../../../src/base/keys.ts";
import type { Keyboard } from "../../../src/platform/backend.ts";
import { need, type Stage } from "../stage.ts";
import { codeOf, said, until, untilTrue, type Behaviour, type Behaviours } from "./shared.ts";

const keyboardOf = ({ backend }: Pick<Stage, "backend">): Keyboard => need(backend.keyboard, "keyboard");

const types =
  (text: string): Behaviour =>
  async (stage) => {
    await stage.app.act("focus field");
    await keyboardOf(stage).text(text);
    let last = "";
    await until("the field has the text", async () => {
      last = await stage.app.text();
      return last.length >= text.length ? last : undefined;
    }).catch(() => {});
    expect(last).toBe(text);
  };

async function press(keyboard: Keyboard, ...chord: readonly Key[]): Promise<void> {
  for (const key of chord) await keyboard.down(key);
  for (const key of chord.toReversed()) await keyboard.up(key);
}

async function expectText({ app }: Stage, text: string): Promise<void> {
  let last = "";
  await untilTrue("the field has the text", async () => (last = await app.text()) === text).catch(() => {});
  expect(last).toBe(text);
}

const ascii = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)).join("");

export const keyboard: Behaviours<"keyboard"> = {
  ascii: types(ascii),
  accents: types("é ñ ü ß Ç ø"),
  cjk: types("漢字 かな 한글"),
  emoji: types("🎉 👩‍👩‍👧 ✌🏽"),
  combining: types("e\u0301 n\u0303 a\u0308\u0301"),
  rightToLeft: types("שלום سلام"),
  lines: types("one\ntwo\tthree\n\nfour"),
  long: types(Array.from({ length: 100 }, (_, index) => `${String(index).padStart(3, "0")} words`).join(";")),
  async taken(stage) {
    await stage.app.act("focus field");
    await keyboardOf(stage).text("all of it is there");
    expect(await stage.app.text()).toBe("all of it is there");
  },
  async editing(stage) {
    const target = keyboardOf(stage);
    await stage.app.act("focus field");
    await target.text("abcd");
    for (const key of ["left", "backspace", "home", "delete", "end", "backspace"]) await press(target, key);
    await expectText(stage, "b");
  },
  async chord(stage) {
    const target = keyboardOf(stage);
    await stage.app.act("focus field");
    await target.text("away with this");
    await press(target, "ctrl", "a");
    await target.text("new");
    await expectText(stage, "new");
  },
  async shift(stage) {
    const target = keyboardOf(stage);
    await stage.app.act("focus field");
    await target.text("abcd");
    await press(target, "shift", "left");
    await press(target, "shift", "left");
    await target.text("x");
    await expectText(stage, "abx");
  },
  async releasedModifiers(stage) {
    const target = keyboardOf(stage);
    await stage.app.act("focus field");
    await press(target, "ctrl", "shift", "right");
    await target.text("plain");
    await expectText(stage, "plain");
  },
  async upAndDown(stage) {
    const target = keyboardOf(stage);
    await stage.app.act("focus field");
    for (const key of ["escape", "right", "shift"]) {
      await target.down(key);
      await said(stage.app, { event: "key", key, isDown: true });
      await target.up(key);
      await said(stage.app, { event: "key", key, isDown: false });
    }
  },
  async released(stage) {
    await stage.app.act("focus field");
    const second = await need(stage.reopen?.(), "second connection");
    await need(second.keyboard, "keyboard").down("shift");
    await said(stage.app, { event: "key", key: "shift", isDown: true });
    await second[Symbol.asyncDispose]();
    await said(stage.app, { event: "key", key: "shift", isDown: false });
  },
  async cancelled(stage) {
    const target = keyboardOf(stage);
    await stage.app.act("focus field");
    const stop = new AbortController();
    const typing = codeOf(target.text("x".repeat(200), { delayMs: 20, signal: stop.signal }));
    await untilTrue("the first letters are there", async () => (await stage.app.text()).length > 2);
    stop.abort();
    expect(await typing).toBe("cancelled");
    await target.text("!");
    await untilTrue("what came later is there", async () => (await stage.app.text()).endsWith("!"));
    expect((await stage.app.text()).length).toBeLessThan(150);
  },
};
