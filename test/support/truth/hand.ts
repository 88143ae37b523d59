import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Deed, Spot } from "./deeds.ts";
import type { Outside } from "./outside.ts";

const run = promisify(execFile);

interface Point {
  readonly x: number;
  readonly y: number;
}

/** xdotool in the place of a person: it presses real keys and buttons and knows nothing of handsight. */
export class Hand {
  readonly #env: NodeJS.ProcessEnv;
  readonly #outside: Outside;

  constructor(env: NodeJS.ProcessEnv, outside: Outside) {
    this.#env = env;
    this.#outside = outside;
  }

  async perform(deed: Deed, windowId: number): Promise<void> {
    if (deed.do === "press") return this.#xdotool("key", keyOf(deed.key));
    if (deed.do === "type") return this.#type(deed.text);
    const { x, y } = deed.do === "quit" ? await this.#closeButton(windowId) : await this.#point(deed.spot, windowId);
    if (deed.do === "quit") return this.#xdotool("mousemove", "--sync", String(x), String(y), "click", "1");
    const button = { left: "1", middle: "2", right: "3" }[deed.button ?? "left"];
    const presses = ["click", "--repeat", String(deed.clicks ?? 1), "--delay", "80", button];
    await this.#xdotool("mousemove", "--sync", String(x), String(y), ...presses);
  }

  /** xdotool would send a line feed, which is no key of a keyboard, for the end of a line. */
  async #type(text: string): Promise<void> {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0) await this.#xdotool("key", "Return");
      if (line !== "") await this.#xdotool("type", "--delay", "40", line);
    }
  }

  async #point(spot: Spot, windowId: number): Promise<Point> {
    if ("name" in spot) {
      const box = await this.#outside.box(windowId, spot.name, spot.role);
      return { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
    }
    const [popup] = spot.inPopup ? await this.#outside.popups() : [];
    if (spot.inPopup && popup === undefined) throw new Error("no menu is open");
    const window = popup ?? windowId;
    const frame = await this.#outside.frame(window);
    return { x: frame.x + spot.x, y: frame.y + spot.y };
  }

  /** The cross in the corner of a window; some programs draw their own. */
  async #closeButton(windowId: number): Promise<Point> {
    const [frame, window] = await Promise.all([this.#outside.frame(windowId), this.#outside.place(windowId)]);
    const bar = window.y - frame.y;
    if (bar < 10) return this.#point({ name: "Close" }, windowId);
    const middle = Math.round(bar / 2);
    return { x: frame.x + frame.width - middle, y: frame.y + middle };
  }

  async #xdotool(...args: readonly string[]): Promise<void> {
    await run("xdotool", args, { env: this.#env });
  }
}

/** xdotool's names of keys begin with a capital, its modifiers do not. */
const keyOf = (chord: string): string =>
  chord
    .split("+")
    .map((key) => names[key] ?? key)
    .join("+");
const names: Readonly<Record<string, string>> = {
  enter: "Return",
  escape: "Escape",
  tab: "Tab",
  home: "Home",
  end: "End",
  delete: "Delete",
  down: "Down",
  up: "Up",
};
