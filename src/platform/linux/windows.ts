import { sleep } from "../../base/async.ts";
import { sameRect, type ScreenPoint } from "../../base/geometry.ts";
import type { CallOptions, WindowChange, WindowInfo, Windows } from "../backend.ts";
import type { XDisplay } from "./display.ts";
import { pingWindow } from "./windows/ping.ts";
import { changeWindow } from "./windows/change.ts";
import { WindowListVersion } from "./windows/version.ts";
import { findTopLevel } from "./windows/bounds.ts";
import { findActive, listWindows, orUndefinedIfGone } from "./windows/list.ts";
import { look } from "./windows/request.ts";
import { translateCoordinates } from "./x11/requests.ts";

/** An app that has not answered by then is busy or hangs. */
const pingTimeoutMs = 1000;

// Window animations take a quarter of a second in openbox, and twice that in some compositors.
const longestFlightMs = 800;
const looksAtRest = 2;
const betweenLooksMs = 15;

export class XWindows implements Windows {
  readonly #display: XDisplay;

  constructor(display: XDisplay) {
    this.#display = display;
  }

  async list(options: CallOptions = {}): Promise<readonly WindowInfo[]> {
    const c = await this.#display.connect(options);
    const [windows, changes] = await Promise.all([listWindows(c, options), WindowListVersion.of(c)]);
    await changes.follow(windows, options);
    return windows.map(({ info }) => info);
  }

  async changes(options: CallOptions = {}): Promise<number> {
    return (await WindowListVersion.of(await this.#display.connect(options))).count;
  }

  async get(id: number, options: CallOptions = {}): Promise<WindowInfo | undefined> {
    const c = await this.#display.connect(options);
    const listed = (await listWindows(c, options)).find(({ info }) => info.id === id);
    return (listed ?? (await look(c, id, options)))?.info;
  }

  async active(options: CallOptions = {}): Promise<number | undefined> {
    return findActive(await this.#display.connect(options), options);
  }

  async change(id: number, change: WindowChange, options: CallOptions = {}): Promise<void> {
    await changeWindow(await this.#display.connect(options), id, change, options);
    if (change.to === "restore") await this.#standStill(id, options);
  }

  /**
   * Some window managers animate a window back into place; until it has arrived, its bounds are those of the
   * animation.
   */
  async #standStill(id: number, options: CallOptions): Promise<void> {
    const end = performance.now() + longestFlightMs;
    const c = await this.#display.connect(options);
    let last = (await look(c, id, options))?.info.bounds;
    for (let still = 0; still < looksAtRest && performance.now() < end;) {
      await sleep(betweenLooksMs, options.signal);
      const now = (await look(c, id, options))?.info.bounds;
      still = last && now && sameRect(last, now) ? still + 1 : 0;
      last = now;
    }
  }

  /** The server's answer regards shapes: what lets clicks through is not on top. */
  async takes(id: number, { x, y }: ScreenPoint, options: CallOptions = {}): Promise<boolean> {
    const c = await this.#display.connect(options);
    const [{ child }, topLevel] = await Promise.all([
      translateCoordinates(c, c.root, c.root, { x: Math.floor(x), y: Math.floor(y) }, options),
      orUndefinedIfGone(findTopLevel(c, id, options)),
    ]);
    return topLevel !== undefined && child === topLevel;
  }

  async drained(id: number, { signal }: CallOptions = {}): Promise<boolean> {
    const c = await this.#display.connect({ signal });
    return (await pingWindow(c, id, { timeoutMs: pingTimeoutMs, signal })) === "answered";
  }
}
