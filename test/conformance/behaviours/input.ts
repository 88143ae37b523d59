import { expect } from "vitest";
import type { Backend, GrabbedEvent, HeardEvent, Input } from "../../../src/platform/backend.ts";
import { need, type Stage } from "../stage.ts";
import { at, click, codeOf, expectCancelled, pressesOf, said, untilTrue, type Behaviours } from "./shared.ts";

const inputOf = ({ backend }: { readonly backend: Backend }): Input => need(backend.input, "input");
const pointerOf = ({ backend }: Stage) => need(backend.pointer, "pointer");

async function grab({ backend }: { readonly backend: Backend }, listener: (event: GrabbedEvent) => void) {
  return need(inputOf({ backend }).grabPointer?.(listener), "grab");
}

async function listen({ backend }: { readonly backend: Backend }, heard: HeardEvent[]) {
  return need(
    inputOf({ backend }).listen?.((event) => void heard.push(event)),
    "listening",
  );
}

const withoutTime = (event: HeardEvent): unknown =>
  Object.fromEntries(Object.entries(event).filter(([key]) => key !== "ms"));

/** A click at a point of the pad reaches the app. */
async function expectReached(stage: Stage): Promise<void> {
  const { x, y } = at(await stage.app.pad(), 13, 29);
  await click(pointerOf(stage), at(await stage.app.pad(), 13, 29));
  await said(stage.app, { event: "release", x, y });
}

export const input: Behaviours<"input"> = {
  async position(stage) {
    const point = at(await stage.app.pad(), 21, 14);
    await using _watch = await inputOf(stage).watchPointer(() => {});
    await pointerOf(stage).move(point);
    await untilTrue("the pointer is there", async () => {
      const { x, y } = await inputOf(stage).position();
      return x === point.x && y === point.y;
    });
  },
  async moved(stage) {
    const pad = await stage.app.pad();
    await pointerOf(stage).move(at(pad, 2, 2));
    let moves = 0;
    await using _watch = await inputOf(stage).watchPointer(() => void moves++);
    await pointerOf(stage).move(at(pad, 40, 40));
    await untilTrue("a movement is reported", () => moves > 0);
  },
  async ends(stage) {
    const pad = await stage.app.pad();
    let [moves, others] = [0, 0];
    const watch = await inputOf(stage).watchPointer(() => void moves++);
    await using _other = await inputOf(stage).watchPointer(() => void others++);
    await watch[Symbol.asyncDispose]();
    const before = moves;
    await pointerOf(stage).move(at(pad, 30, 8));
    await untilTrue("the other one hears it", () => others > 0);
    expect(moves).toBe(before);
  },
  async grabbed(stage) {
    const { x, y } = at(await stage.app.pad(), 33, 17);
    const seen: GrabbedEvent[] = [];
    {
      await using _grab = await grab(stage, (event) => void seen.push(event));
      await click(pointerOf(stage), at(await stage.app.pad(), 33, 17));
      await untilTrue("the click is taken", () => seen.some(({ kind }) => kind === "up"));
      expect(seen.filter(({ kind }) => kind !== "move")).toEqual([
        { kind: "down", at: { x, y }, button: "left" },
        { kind: "up", at: { x, y }, button: "left" },
      ]);
    }
    await expectReached(stage);
    expect(pressesOf(stage.app)).toHaveLength(2);
  },
  async returned(stage) {
    const held = await grab(stage, () => {});
    await held[Symbol.asyncDispose]();
    await expectReached(stage);
  },
  async closed(stage) {
    const second = await need(stage.reopen?.(), "second connection");
    try {
      await grab({ backend: second }, () => {});
    } finally {
      await second[Symbol.asyncDispose]();
    }
    await expectReached(stage);
  },
  async escape(stage) {
    const keyboard = need(stage.backend.keyboard, "keyboard");
    await stage.app.act("focus field");
    const seen: GrabbedEvent[] = [];
    await using _grab = await grab(stage, (event) => void seen.push(event));
    await keyboard.text("abc");
    await keyboard.down("escape");
    await keyboard.up("escape");
    await untilTrue("Escape is heard", () => seen.length > 0);
    expect(seen).toEqual([{ kind: "escape" }]);
    expect(await stage.app.text()).toBe("abc");
  },
  async busy(stage) {
    await using _grab = await grab(stage, () => {});
    const second = await need(stage.reopen?.(), "second connection");
    const other = second === stage.backend ? stage.backend : second;
    expect(await codeOf(grab({ backend: other }, () => {}))).toBe("timeout");
    if (other !== stage.backend) await other[Symbol.asyncDispose]();
  },
  async heardClick(stage) {
    const point = at(await stage.app.pad(), 27, 19);
    const heard: HeardEvent[] = [];
    await using _listening = await listen(stage, heard);
    const keyboard = need(stage.backend.keyboard, "keyboard");
    await keyboard.down("shift");
    await click(pointerOf(stage), point);
    await keyboard.up("shift");
    await untilTrue("the release is heard", () => heard.some(({ kind }) => kind === "up"));
    const { x, y } = point;
    expect(heard.map(withoutTime)).toEqual([
      { kind: "down", at: { x, y }, button: "left", held: ["shift"] },
      { kind: "up", at: { x, y }, button: "left", held: ["shift"] },
    ]);
    await said(stage.app, { event: "release", x, y });
  },
  async heardWheel(stage) {
    const { x, y } = at(await stage.app.pad(), 12, 12);
    const heard: HeardEvent[] = [];
    await using _listening = await listen(stage, heard);
    await pointerOf(stage).move(at(await stage.app.pad(), 12, 12));
    await pointerOf(stage).wheel({ x: 0, y: 1 });
    await untilTrue("the wheel is heard", () => heard.length > 0);
    expect(heard.map(withoutTime)).toEqual([{ kind: "wheel", at: { x, y }, notches: { x: 0, y: 1 } }]);
  },
  async heardKeys(stage) {
    const keyboard = need(stage.backend.keyboard, "keyboard");
    await stage.app.act("focus field");
    const heard: HeardEvent[] = [];
    await using _listening = await listen(stage, heard);
    await keyboard.text("Hi 2");
    for (const key of ["ctrl", "a"]) await keyboard.down(key);
    for (const key of ["a", "ctrl"]) await keyboard.up(key);
    await keyboard.down("end");
    await keyboard.up("end");
    await untilTrue("the last key is heard", () => heard.length === 6);
    expect(heard.map((each) => each.kind === "key" && (each.text ?? each.chord.join("+")))).toEqual([
      "H",
      "i",
      " ",
      "2",
      "ctrl+a",
      "end",
    ]);
    expect(await stage.app.text()).toBe("Hi 2");
  },
  async heardEnds(stage) {
    const [heard, others]: HeardEvent[][] = [[], []];
    const listening = await listen(stage, heard ?? []);
    await using _other = await listen(stage, others ?? []);
    await listening[Symbol.asyncDispose]();
    await expectReached(stage);
    await untilTrue("the other one hears it", () => (others?.length ?? 0) > 0);
    expect(heard).toEqual([]);
  },
  async cancelled(stage) {
    await expectCancelled(async (signal) =>
      need(
        inputOf(stage).listen?.(() => {}, { signal }),
        "listening",
      ),
    );
    await expectCancelled((signal) => inputOf(stage).watchPointer(() => {}, { signal }));
    await expectCancelled((signal) => inputOf(stage).position({ signal }));
  },
};
