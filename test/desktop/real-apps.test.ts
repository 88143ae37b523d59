import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, onTestFinished, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { checkout } from "../support/checkout.ts";
import { startHandsight } from "../support/handsight.ts";
import {
  clickAt,
  clipboard,
  judgeCells,
  Outside,
  pixels,
  press,
  primary,
  titles,
  type,
  type Cell,
  type Stage,
} from "../support/truth/cells.ts";

/** A private desktop with one program nobody made for tests, and handsight on it. */
async function openProgram(title: string, program: string, ...args: readonly string[]): Promise<Stage> {
  const desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight(desktop.env);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const child = spawn(program, args, { env: desktop.env, stdio: "ignore" });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const { window } = await handsight.call("wait_for", { window_title: title, timeout_ms: 30_000 });
  await handsight.call("wait_for", { condition: "stable", quiet_ms: 300, timeout_ms: 5_000 }).catch(() => undefined);
  const { window_id: windowId } = window as { window_id: number };
  return { handsight, outside: new Outside(desktop.env), windowId };
}

const dialog = async ({ handsight }: Stage) => {
  const { window } = await handsight.call("wait_for", { window_title: "Tk Question" });
  const { window_id } = window as { window_id: number };
  return handsight.call("click", { window_id, window_x: 30, window_y: 50 });
};

const programs: readonly (readonly [title: string, command: readonly string[], cells: readonly Cell[]])[] = [
  [
    "Tk Tick",
    ["wish", join(checkout, "test/fixtures/tick.tcl")],
    [
      { name: "a tick", act: clickAt(22, 45), look: pixels },
      { name: "a tick again", act: clickAt(22, 45), look: pixels },
      { name: "a button that does nothing", act: clickAt(40, 137), look: titles },
      { name: "a dialog that opens", act: clickAt(40, 87), look: titles },
      { name: "a dialog that closes", act: dialog, look: titles },
    ],
  ],
  [
    "Calculator",
    ["xcalc"],
    [
      { name: "one digit of a display", act: press("7"), look: pixels },
      { name: "another", act: press("3"), look: pixels },
      { name: "a key it does not know", act: press("F9"), look: pixels },
    ],
  ],
  [
    "Term",
    ["xterm", "-T", "Term", "-e", "sh", "-c", "echo hello world; exec cat"],
    [
      { name: "a word selected by a double click", act: clickAt(20, 30, 2), look: primary },
      { name: "one letter typed", act: type("x"), look: pixels },
      { name: "a modifier alone", act: press("shift"), look: pixels },
    ],
  ],
  [
    "Mousepad",
    ["mousepad"],
    [
      { name: "typing", act: type("hello"), look: titles },
      { name: "copying nothing", act: press("ctrl+c"), look: clipboard },
      { name: "selecting everything", act: press("ctrl+a"), look: primary },
      { name: "copying", act: press("ctrl+c"), look: clipboard },
      { name: "a shortcut it does not know", act: press("ctrl+F9"), look: pixels },
    ],
  ],
];

describe("on programs that nobody made for tests, the reported effect is what other programs see", () => {
  test.each(programs)("%s", { timeout: 120_000 }, async (title, [program = "", ...args], cells) => {
    const stage = await openProgram(title, program, ...args);
    const judged = await judgeCells(stage, cells);
    const wrong = judged.filter(({ told, truth }) => told !== truth);
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong, null, 1));
  });
});
