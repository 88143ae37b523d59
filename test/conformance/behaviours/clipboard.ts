import { expect } from "vitest";
import type { Clipboard } from "../../../src/platform/backend.ts";
import { need, type OutsideClipboard, type Stage } from "../stage.ts";
import { expectCancelled, type Behaviours } from "./shared.ts";

const clipboardOf = ({ backend }: Stage): Clipboard => need(backend.clipboard, "clipboard");

const outside = (stage: Stage): OutsideClipboard => need(stage.clipboard, "clipboard of other apps");

const foreign = "é 漢字 🎉 e\u0301 שלום\nand\ta tab";

export const clipboard: Behaviours<"clipboard"> = {
  async write(stage) {
    await clipboardOf(stage).write("from here");
    expect(await outside(stage).read()).toBe("from here");
    expect(await clipboardOf(stage).read()).toBe("from here");
  },
  async read(stage) {
    await clipboardOf(stage).write("old");
    await outside(stage).write("from there");
    expect(await clipboardOf(stage).read()).toBe("from there");
  },
  async unicode(stage) {
    await clipboardOf(stage).write(foreign);
    expect(await outside(stage).read()).toBe(foreign);
    await outside(stage).write(`${foreign}!`);
    expect(await clipboardOf(stage).read()).toBe(`${foreign}!`);
  },
  async empty(stage) {
    await clipboardOf(stage).write("something");
    await clipboardOf(stage).write("");
    expect(await clipboardOf(stage).read()).toBe("");
    expect(await outside(stage).read()).toBe("");
  },
  async long(stage) {
    const text = "0123456789abcdef".repeat(65_536);
    await clipboardOf(stage).write(text);
    expect((await outside(stage).read()) === text).toBe(true);
    await outside(stage).write(`${text}!`);
    expect((await clipboardOf(stage).read()) === `${text}!`).toBe(true);
  },
  async picture(stage) {
    await clipboardOf(stage).write("text");
    await outside(stage).writePicture();
    expect(await clipboardOf(stage).read()).toBeUndefined();
  },
  async cancelled(stage) {
    await clipboardOf(stage).write("kept");
    await expectCancelled((signal) => clipboardOf(stage).write("not this", { signal }));
    await expectCancelled((signal) => clipboardOf(stage).read({ signal }));
    expect(await clipboardOf(stage).read()).toBe("kept");
  },
};
