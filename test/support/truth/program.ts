import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "../../../src/base/async.ts";
import { openVirtualDesktop } from "../../../src/platform/virtual/desktop.ts";
import type { Handsight } from "../handsight.ts";
import { removeFolder } from "../remove-folder.ts";
import { handle, judgeCells, type Cell, type Judged, type Scene } from "./cells.ts";
import { Hand } from "./hand.ts";
import { Outside } from "./outside.ts";

/** A program that nobody made for handsight. */
export interface Program {
  readonly name: string;
  /** Part of the title of its window. */
  readonly title: string;
  /** Writes the files it needs and says how it is started. */
  readonly command: (folder: string) => readonly string[] | Promise<readonly string[]>;
  readonly cells: readonly Cell[];
}

type Connected = Pick<Handsight, "call"> & AsyncDisposable;
/** Starts the product on a desktop. */
export type Connect = (env: NodeJS.ProcessEnv) => Promise<Connected>;

/** What handsight reports of each action, and what is true. */
export async function judgeProgram(program: Program, connect: Connect): Promise<readonly Judged[]> {
  return onDesktop(program, async ({ env, folder, outside, command: [app, ...args] }) => {
    await using handsight = await connect(env);
    const { pid } = await handsight.call("launch_app", { app_name: app, args, timeout_ms: 60_000 });
    const scene = await sceneOf(program, outside, folder, pid as number);
    return await judgeCells(scene, handsight, program.cells);
  });
}

/** What other programs see when a hand does the same to a fresh copy. */
export async function handleProgram(program: Program): Promise<readonly string[]> {
  return onDesktop(program, async ({ env, folder, outside, command: [app = "", ...args] }) => {
    const child = spawn(app, args, { env, stdio: "ignore" });
    const ended = Promise.race([once(child, "exit"), once(child, "error")]);
    try {
      const scene = await sceneOf(program, outside, folder, child.pid ?? 0);
      return await handle(scene, new Hand(env, outside), program.cells);
    } finally {
      child.kill("SIGKILL");
      await ended.catch(() => undefined);
    }
  });
}

interface Desk {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly outside: Outside;
  readonly command: readonly string[];
}

async function onDesktop<T>(program: Program, use: (desk: Desk) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-truth-"));
  try {
    await using desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
    const home = join(folder, "home");
    await mkdir(home);
    const env = { ...desktop.env, HOME: home };
    return await use({ env, folder, outside: new Outside(env), command: await program.command(folder) });
  } finally {
    await removeFolder(folder);
  }
}

async function sceneOf({ title }: Program, outside: Outside, folder: string, startedAs: number): Promise<Scene> {
  const windowId = await outside.window(title);
  let last = "";
  const isDrawn = async (): Promise<true | undefined> => {
    const now = await outside.pixels(windowId).catch(() => "");
    const isStill = now !== "" && now === last;
    last = now;
    return isStill ? true : undefined;
  };
  await poll(isDrawn, { timeoutMs: 8_000, everyMs: 700 });
  return { outside, windowId, pid: await outside.pidOf(windowId), folder, startedAs };
}
