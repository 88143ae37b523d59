import { mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadPeer } from "./peers.ts";
import type { Task, Tasks } from "./task.ts";

/** The part of its interface that is measured. */
interface NutJs {
  readonly screen: {
    grab(): Promise<{ readonly width: number; readonly height: number; readonly data: Uint8Array }>;
    capture(name: string, type: string, folder: string): Promise<string>;
  };
  readonly mouse: {
    readonly config: { autoDelayMs: number };
    setPosition(at: unknown): Promise<unknown>;
    leftClick(): Promise<unknown>;
  };
  readonly keyboard: { readonly config: { autoDelayMs: number }; type(text: string): Promise<unknown> };
  readonly Point: new (x: number, y: number) => unknown;
  readonly FileType: { readonly PNG: string; readonly JPG: string };
}

export async function nutJs(): Promise<Tasks> {
  const { screen, mouse, keyboard, Point, FileType } = loadPeer("@nut-tree-fork/nut-js") as NutJs;
  mouse.config.autoDelayMs = 0;
  keyboard.config.autoDelayMs = 0;
  const folder = mkdtempSync(join(tmpdir(), "handsight-bench-nut-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

  const picture =
    (type: string): Task =>
    async ({ saveTo }) => {
      const path = await screen.capture("shot", type, folder);
      return () => {
        const { size } = statSync(path);
        if (saveTo !== undefined) renameSync(path, saveTo);
        return { bytes: size };
      };
    };

  return {
    async raw({ count = 1 }) {
      for (let shot = 1; shot < count; shot++) await screen.grab();
      const { width, height, data } = await screen.grab();
      return () => ({ width, height, bytes: data.byteLength });
    },
    jpeg: picture(FileType.JPG),
    png: picture(FileType.PNG),
    async click({ x = 0, y = 0, count = 1 }) {
      for (let step = 0; step < count; step++) {
        await mouse.setPosition(new Point(x + step, y));
        await mouse.leftClick();
      }
    },
    async type({ text = "" }) {
      await keyboard.type(text);
    },
  };
}
