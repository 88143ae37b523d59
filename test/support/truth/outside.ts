import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { poll } from "../../../src/base/async.ts";
import { checkout } from "../checkout.ts";

const run = promisify(execFile);
// The system's Python; another one on the path has no pyatspi.
const python = "/usr/bin/python3";
const otherClient = join(checkout, "test/support/truth/other_client.py");

/** In pixels. A tip that the pointer brings up is a window like a menu, but smaller. */
const largestTip = 12_000;

/** Where something is on the screen. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

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

  /** The pixels of a window or of a part of it, as one word. */
  async pixels(windowId: number, part?: Box): Promise<string> {
    const { stdout } = await run("xwd", ["-silent", "-id", String(windowId)], {
      env: this.#env,
      encoding: "buffer",
      maxBuffer: 50_000_000,
    });
    const hash = createHash("sha1");
    if (!part) return hash.update(stdout).digest("hex");
    // XWDFile.h: the header, twelve bytes for each colour, then the lines.
    const field = (index: number): number => stdout.readUInt32BE(index * 4);
    const [start, bytes, line] = [field(0) + field(19) * 12, field(11) / 8, field(12)];
    for (let y = part.y; y < part.y + part.height; y++) {
      const from = start + y * line + part.x * bytes;
      hash.update(stdout.subarray(from, from + part.width * bytes));
    }
    return hash.digest("hex");
  }

  /** The titles of all windows that the window manager knows. */
  async titles(): Promise<string> {
    const names = (await this.#windows()).map(({ name }) => name);
    return names.toSorted().join("\n");
  }

  /** The window with this part of a title, once it is there. */
  async window(title: string): Promise<number> {
    const find = async () => (await this.#windows()).find(({ name }) => name.includes(title))?.id;
    const found = await poll(find, { timeoutMs: 60_000, everyMs: 100 });
    if (found === undefined) throw new Error(`no window "${title}" appeared; there is: ${await this.titles()}`);
    return found;
  }

  async #windows(): Promise<readonly { readonly id: number; readonly name: string }[]> {
    const list = await this.#ask("xprop", ["-root", "_NET_CLIENT_LIST"]).catch(() => "");
    const ids = [...list.matchAll(/0x[0-9a-f]+/g)].map(([id]) => Number(id));
    return Promise.all(
      ids.map(async (id) => {
        const about = await this.#ask("xprop", ["-id", String(id), "_NET_WM_NAME", "WM_NAME"]).catch(() => "");
        return { id, name: /= "(.*)"/.exec(about)?.[1] ?? "" };
      }),
    );
  }

  async place(windowId: number): Promise<Box> {
    const text = await this.#ask("xwininfo", ["-id", String(windowId)]);
    const figure = (label: string): number => Number(new RegExp(`${label}:\\s+(-?\\d+)`).exec(text)?.[1]);
    return {
      x: figure("Absolute upper-left X"),
      y: figure("Absolute upper-left Y"),
      width: figure("Width"),
      height: figure("Height"),
    };
  }

  /** The place of a window with its frame, from whose corner handsight counts. */
  async frame(windowId: number): Promise<Box> {
    const { x, y, width, height } = await this.place(windowId);
    const text = await this.#ask("xprop", ["-id", String(windowId), "_NET_FRAME_EXTENTS"]).catch(() => "");
    const [left = 0, right = 0, top = 0, bottom = 0] = [...(text.split("=")[1] ?? "").matchAll(/\d+/g)].map(Number);
    return { x: x - left, y: y - top, width: width + left + right, height: height + top + bottom };
  }

  /** The windows of menus and popovers, the largest first: they are on the screen, and no window manager has them. */
  async popups(): Promise<readonly number[]> {
    const text = await this.#ask("xwininfo", ["-root", "-children"]);
    const ids = text.split("\n").flatMap((line) => /^\s+(0x[0-9a-f]+) /.exec(line)?.[1] ?? []);
    const found = await Promise.all(
      ids.map(async (id) => {
        const about = await this.#ask("xwininfo", ["-id", id]).catch(() => "");
        const isPopup = /Override Redirect State: yes/.test(about) && /IsViewable/.test(about);
        const figure = (label: string): number => Number(new RegExp(`${label}: (\\d+)`).exec(about)?.[1]);
        return { id: Number(id), area: isPopup ? figure("Width") * figure("Height") : 0 };
      }),
    );
    return found
      .filter(({ area }) => area > largestTip)
      .toSorted((one, other) => other.area - one.area)
      .map(({ id }) => id);
  }

  /** Roles, names, states, texts and values of what a program shows, as another accessibility client reads them. */
  async tree(pid: number): Promise<readonly string[]> {
    return JSON.parse(await this.#ask(python, [otherClient, "tree", String(pid)])) as string[];
  }

  /** The entries of its menu bars that are checked, in closed menus too, as that client reads them. */
  async checks(pid: number): Promise<readonly string[]> {
    return JSON.parse(await this.#ask(python, [otherClient, "checks", String(pid)])) as string[];
  }

  /** Where that client says an element of the window is. */
  async box(windowId: number, name: string, role = ""): Promise<Box> {
    const pid = await this.pidOf(windowId);
    const found = JSON.parse(await this.#ask(python, [otherClient, "box", String(pid ?? 0), name, role])) as
      | [number, number, number, number, "screen" | "window"]
      | null;
    if (!found) throw new Error(`another client finds no ${role} "${name}"`);
    const [x, y, width, height, space] = found;
    const origin = space === "screen" ? { x: 0, y: 0 } : await this.place(windowId);
    return { x: origin.x + x, y: origin.y + y, width, height };
  }

  /** Whether that client says that the cell in this row and column of a sheet shows. */
  async cellShows(pid: number, row: number, column: number): Promise<boolean> {
    const words = [otherClient, "cell", String(pid), String(row), String(column)];
    return JSON.parse(await this.#ask(python, words)) as boolean;
  }

  /** Which process shows the window, if the window says. */
  async pidOf(windowId: number): Promise<number | undefined> {
    const text = await this.#ask("xprop", ["-id", String(windowId), "_NET_WM_PID"]).catch(() => "");
    const pid = Number(/= (\d+)/.exec(text)?.[1]);
    return pid > 0 ? pid : undefined;
  }

  async #ask(program: string, args: readonly string[]): Promise<string> {
    return (await run(program, args, { env: this.#env, maxBuffer: 50_000_000 })).stdout;
  }
}
