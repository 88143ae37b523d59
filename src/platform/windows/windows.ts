import { sleep, throwIfCancelled } from "../../base/async.ts";
import { sameRect, type ScreenPoint } from "../../base/geometry.ts";
import type { CallOptions, WindowChange, WindowInfo, Windows } from "../backend.ts";
import { windowAt } from "./input/cursor.ts";
import { drain } from "./input/drain.ts";
import { win32 } from "./win32.ts";
import { frameOf } from "./windows/bounds.ts";
import { changeWindow } from "./windows/change.ts";
import { describeWindow, listWindows } from "./windows/list.ts";

const rootWindow = 2;
const longestFlightMs = 800;
const looksAtRest = 3;
const betweenLooksMs = 15;

/** A window says that it is maximised before it has its size, and is animated on its way. */
async function standStill(id: number, { signal }: CallOptions): Promise<void> {
  const end = performance.now() + longestFlightMs;
  let last = frameOf(id);
  for (let still = 0; still < looksAtRest && performance.now() < end;) {
    await sleep(betweenLooksMs, signal);
    const now = frameOf(id);
    still = last && now && sameRect(last, now) ? still + 1 : 0;
    last = now;
  }
}

export class Win32Windows implements Windows {
  #seen = "";
  #version = 0;

  async list({ signal }: CallOptions = {}): Promise<readonly WindowInfo[]> {
    throwIfCancelled(signal);
    return listWindows();
  }

  async get(id: number, { signal }: CallOptions = {}): Promise<WindowInfo | undefined> {
    throwIfCancelled(signal);
    return describeWindow(id);
  }

  async active({ signal }: CallOptions = {}): Promise<number | undefined> {
    throwIfCancelled(signal);
    const front = win32().foreground();
    return front === 0 ? undefined : front;
  }

  async change(id: number, change: WindowChange, options: CallOptions = {}): Promise<void> {
    await changeWindow(id, change, options);
    if (change.to === "maximize" || change.to === "restore") await standStill(id, options);
  }

  /** What lets clicks through is not found at a point, and what is found is a control of the window. */
  async takes(id: number, point: ScreenPoint, { signal }: CallOptions = {}): Promise<boolean> {
    throwIfCancelled(signal);
    const api = win32();
    const hit = windowAt(point);
    return hit !== 0 && api.ancestor(hit, rootWindow) === id;
  }

  async drained(id: number, { signal }: CallOptions = {}): Promise<boolean> {
    throwIfCancelled(signal);
    return drain(id);
  }

  async changes({ signal }: CallOptions = {}): Promise<number> {
    throwIfCancelled(signal);
    const seen = JSON.stringify(
      listWindows().map(({ id, title, bounds, isVisible }) => [id, title, bounds, isVisible]),
    );
    if (seen !== this.#seen) this.#version++;
    this.#seen = seen;
    return this.#version;
  }
}
