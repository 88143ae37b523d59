import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { poll } from "../../../src/base/async.ts";
import type { Handsight } from "../handsight.ts";
import type { Deed } from "./deeds.ts";
import type { Hand } from "./hand.ts";
import type { Box, Outside } from "./outside.ts";

/** A program on a desktop, and other programs that watch it. */
export interface Scene {
  readonly outside: Outside;
  readonly windowId: number;
  /** The process that shows its window; undefined when the window does not say. */
  readonly pid: number | undefined;
  /** The process that was started; a launcher may have left the window to another. */
  readonly startedAs: number;
  /** Where the program keeps its files; its own copy in every scene. */
  readonly folder: string;
}

export type Look = (scene: Scene) => Promise<string>;

/** One action, and where another program can see what it did. */
export interface Cell {
  readonly name: string;
  readonly deed: Deed;
  /** If it differs after the action, the action had an effect. */
  readonly look: Look;
  /** What a person does instead, where a hand needs other steps. */
  readonly byHand?: readonly Deed[];
  /** The reason for which nobody could know the effect without knowing the program. */
  readonly unknowable?: string;
}

type Truth = "confirmed" | "no_change" | "unverifiable" | typeof stillRuns;

export interface Judged {
  readonly name: string;
  readonly truth: Truth;
  readonly told: string;
  readonly details: unknown;
  /** What the other programs saw at last. */
  readonly seen: string;
}

/** Each cell in turn: what the tool reported, and what is true. */
export async function judgeCells(
  scene: Scene,
  handsight: Pick<Handsight, "call">,
  cells: readonly Cell[],
): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const { name, deed, look, unknowable } of cells) {
    // The cell before this one has waited until everything was still.
    const before = await look(scene);
    const result = await perform(handsight, deed, scene).catch((error: unknown) => ({ effect: told(error) }));
    const seen = await settled(scene, look);
    const truth = truthOf(deed, before, seen, unknowable);
    const { effect, changes, dispatched_via: via, reason, warning } = result as Record<string, unknown>;
    judged.push({ name, truth, told: String(effect), details: { via, changes, reason, warning }, seen });
  }
  return judged;
}

/** A program that asks about unsaved work has not been quit, and quit_app says so. */
const stillRuns = "still running";

function truthOf(deed: Deed, before: string, seen: string, unknowable: string | undefined): Truth {
  if (unknowable !== undefined) return "unverifiable";
  if (deed.do === "quit" && seen.startsWith("runs")) return stillRuns;
  return seen === before ? "no_change" : "confirmed";
}

function told(error: unknown): string {
  const text = error instanceof Error ? error.message : JSON.stringify(error);
  return text.includes(stillRuns) ? stillRuns : `error ${text}`;
}

/** The same by hand: what other programs see after each action. */
export async function handle(scene: Scene, hand: Hand, cells: readonly Cell[]): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const { deed, look, byHand = [deed] } of cells) {
    const before = await look(scene);
    for (const each of byHand) {
      const other = each.do === "click" ? each.inWindow : undefined;
      await hand.perform(each, other === undefined ? scene.windowId : await scene.outside.window(other));
    }
    seen.push(await settled(scene, look, before));
  }
  return seen;
}

const quietMs = 250;
const patienceMs = 1_200;

/** What is to be seen once it has stopped changing. A hand does not wait for its effect, so this does. */
async function settled(scene: Scene, look: Look, before?: string): Promise<string> {
  const since = performance.now();
  let last = await look(scene);
  await poll(
    async () => {
      const now = await look(scene);
      const isStill = now === last;
      last = now;
      const mayComeLate = now === before && performance.now() - since < patienceMs;
      return isStill && !mayComeLate ? true : undefined;
    },
    { timeoutMs: 10_000, everyMs: quietMs },
  );
  return last;
}

async function perform(
  { call }: Pick<Handsight, "call">,
  deed: Deed,
  { outside, windowId, startedAs: pid }: Scene,
): Promise<Record<string, unknown>> {
  const window = { window_id: windowId };
  if (deed.do === "press") return call("press_key", { key: deed.key, ...window });
  if (deed.do === "type") return call("type_text", { text: deed.text, ...window });
  if (deed.do === "quit") return call("quit_app", { pid });
  const { target, clicks = 1, button = "left", inWindow } = deed;
  const where = inWindow === undefined ? window : { window_id: await outside.window(inWindow) };
  return call("click", { ...where, ...target, clicks, button });
}

export const pixels: Look = ({ outside, windowId }) => outside.pixels(windowId);
export const pixelsOf =
  (part: Box): Look =>
  ({ outside, windowId }) =>
    outside.pixels(windowId, part);
export const clipboard: Look = ({ outside }) => outside.clipboard();
export const primary: Look = ({ outside }) => outside.clipboard("primary");
export const titles: Look = ({ outside }) => outside.titles();

/** Where the window is, how large, and how many menus and popovers are open. */
export const shape: Look = async ({ outside, windowId }) =>
  JSON.stringify([await outside.place(windowId), (await outside.popups()).length]);

/** What another accessibility client reads of the program. */
export const tree: Look = async ({ outside, pid, folder }) =>
  pid === undefined
    ? ""
    : (await outside.tree(pid))
        .join("\n")
        .replaceAll(folder, "~")
        .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "(time)");

/** Which entries of its menus are checked. */
export const checks: Look = async ({ outside, pid }) =>
  pid === undefined ? "" : (await outside.checks(pid)).join("\n");

/** Only the elements with this role. */
export const part =
  (role: string): Look =>
  async (scene) =>
    (await tree(scene))
      .split("\n")
      .filter((line) => line.includes(`"${role}"`))
      .join("\n");

/** Whether the cell in this row and column of a sheet, counted from 0, is in view. */
export const cellShows =
  (row: number, column: number): Look =>
  async ({ outside, pid }) =>
    `shows: ${pid === undefined ? "unknown" : await outside.cellShows(pid, row, column)}`;

/** What a file of the program contains. */
export const file =
  (name: string): Look =>
  ({ folder }) =>
    readFile(join(folder, name), "utf8").catch(() => "no file");

/** The titles of the windows and what can be pasted. */
export const desk: Look = async (scene) => [await titles(scene), await clipboard(scene)].join("\n---\n");

/** Whether the program that was started still runs, and the windows there are. */
export const runs: Look = async (scene) => {
  const pid = scene.pid ?? scene.startedAs;
  // A process that has ended and that nobody has asked about is a zombie.
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "State: Z");
  return `${/State:\s+Z/.test(status) ? "has ended" : "runs"}\n${await titles(scene)}`;
};

export const all =
  (...looks: readonly Look[]): Look =>
  async (scene) =>
    (await Promise.all(looks.map((look) => look(scene)))).join("\n===\n");
