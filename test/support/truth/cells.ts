import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import type { Handsight } from "../handsight.ts";

const run = promisify(execFile);

/** What other programs see of the desktop; handsight has no part in it. */
export class Outside {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** What another program would paste; empty when there is nothing. */
  async clipboard(selection: "clipboard" | "primary" = "clipboard"): Promise<string> {
    return this.#ask("timeout", ["5", "xclip", "-o", "-selection", selection]).catch(() => "");
  }

  /** The pixels of a window, as one word. */
  async pixels(windowId: number): Promise<string> {
    const { stdout } = await run("xwd", ["-silent", "-id", String(windowId)], {
      env: this.#env,
      encoding: "buffer",
      maxBuffer: 50_000_000,
    });
    return createHash("sha1").update(stdout).digest("hex");
  }

  /** The titles of all windows. */
  async titles(): Promise<string> {
    const text = await this.#ask("xwininfo", ["-root", "-tree"]);
    const lines = text.split("\n").flatMap((line) => /"(.+)": \("/.exec(line)?.[1] ?? []);
    return lines.toSorted().join("\n");
  }

  async #ask(program: string, args: readonly string[]): Promise<string> {
    return (await run(program, args, { env: this.#env })).stdout;
  }
}

export interface Stage {
  readonly handsight: Pick<Handsight, "call">;
  readonly outside: Outside;
  readonly windowId: number;
}

/** One action, and where another program can see whether it did anything. */
export interface Cell {
  readonly name: string;
  readonly act: (stage: Stage) => Promise<Record<string, unknown>>;
  /** If it differs after the action, the action had an effect. */
  readonly look: (stage: Stage) => Promise<string>;
}

export interface Judged {
  readonly name: string;
  readonly truth: "confirmed" | "no_change";
  readonly told: string;
  readonly changes: unknown;
}

/** Each cell in turn: what the tool reported, and what is true. */
export async function judgeCells(stage: Stage, cells: readonly Cell[]): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const { name, act, look } of cells) {
    const before = await look(stage);
    const result = await act(stage).catch((error: unknown) => ({ effect: `error ${JSON.stringify(error)}` }));
    const truth = (await look(stage)) === before ? "no_change" : "confirmed";
    const { effect, changes, dispatched_via: via } = result as Record<string, unknown>;
    judged.push({ name, truth, told: String(effect), changes: { via, changes } });
  }
  return judged;
}

export const press = (key: string) => (stage: Stage) =>
  stage.handsight.call("press_key", { key, window_id: stage.windowId });

export const type = (text: string) => (stage: Stage) =>
  stage.handsight.call("type_text", { text, window_id: stage.windowId });

/** A click at a point of the window. */
export const clickAt =
  (x: number, y: number, clicks = 1) =>
  ({ handsight, windowId }: Stage) =>
    handsight.call("click", { window_id: windowId, window_x: x, window_y: y, clicks });

export const pixels = ({ outside, windowId }: Stage): Promise<string> => outside.pixels(windowId);
export const clipboard = ({ outside }: Stage): Promise<string> => outside.clipboard();
export const primary = ({ outside }: Stage): Promise<string> => outside.clipboard("primary");
export const titles = ({ outside }: Stage): Promise<string> => outside.titles();
