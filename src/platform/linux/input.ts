import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { screenPoint, type ScreenPoint } from "../../base/geometry.ts";
import type { CallOptions, GrabbedEvent, HeardEvent, Input } from "../backend.ts";
import type { XDisplay } from "./display.ts";
import { buttonNames } from "./input/buttons.ts";
import { grabEscape } from "./input/escape.ts";
import { heardKinds, listenTo } from "./input/listen.ts";
import type { Connection } from "./x11/connection.ts";
import { eventMask, type XEvent } from "./x11/events.ts";
import { rawKinds, rawReader, selectRaw } from "./x11/extensions.ts";
import { createFontCursor, grabPointer, queryPointer, ungrabPointer } from "./x11/requests.ts";

const crosshair = 34;

/** Listens to the input of the display. */
export class XInput implements Input {
  readonly #display: XDisplay;
  /** What each listener needs; the server takes one selection for all of them. */
  readonly #selected = new WeakMap<Connection, Set<readonly number[]>>();

  constructor(display: XDisplay) {
    this.#display = display;
  }

  async position({ signal }: CallOptions = {}): Promise<ScreenPoint> {
    const { x, y } = await queryPointer(await this.#display.connect({ signal }), { signal });
    return screenPoint(x, y);
  }

  async watchPointer(listener: () => void, { signal }: CallOptions = {}): Promise<AsyncDisposable> {
    const c = await this.#display.connect({ signal });
    const read = await rawReader(c);
    const stopListening = c.on((event) => {
      if (read(event)?.kind === rawKinds.motion) listener();
    });
    // Whoever waits for a movement must learn that none will come: asking for the position then fails.
    const stopWaiting = c.onClose(() => listener());
    const stop = (): void => {
      stopListening();
      stopWaiting();
    };
    return this.#select(c, [rawKinds.motion], { stop, signal });
  }

  async listen(listener: (event: HeardEvent) => void, { signal }: CallOptions = {}): Promise<AsyncDisposable> {
    const c = await this.#display.connect({ signal });
    const stop = await listenTo(c, listener, { signal });
    // A copy: two that listen to the same kinds are two.
    return this.#select(c, [...heardKinds], { stop, signal });
  }

  /** Selects what this listener needs beside what others do. */
  async #select(
    c: Connection,
    kinds: readonly number[],
    { stop, signal }: { readonly stop: () => void | Promise<void>; readonly signal: AbortSignal | undefined },
  ): Promise<AsyncDisposable> {
    const selected = this.#selected.get(c) ?? new Set();
    this.#selected.set(c, selected);
    selected.add(kinds);
    const end = async (): Promise<void> => {
      await stop();
      selected.delete(kinds);
      if (!c.isClosed) await selectRaw(c, [...selected].flat());
    };
    try {
      await selectRaw(c, [...selected].flat(), { signal });
    } catch (error) {
      await end().catch(() => {});
      throw error;
    }
    return { [Symbol.asyncDispose]: end };
  }

  async grabPointer(listener: (event: GrabbedEvent) => void, { signal }: CallOptions = {}): Promise<AsyncDisposable> {
    const c = await this.#display.connect({ signal });
    const cursor = await c.memo("crosshair", () => createFontCursor(c, crosshair)).catch(() => 0);
    const mask = eventMask.buttonPress | eventMask.buttonRelease | eventMask.pointerMotion;
    throwIfCancelled(signal);
    const escape = await grabEscape(c, () => listener({ kind: "escape" }));
    const stopListening = c.on((event) => {
      const grabbed = toGrabbed(event);
      if (grabbed) listener(grabbed);
    });
    const stopWaiting = c.onClose(() => listener({ kind: "lost" }));
    const stop = async (): Promise<void> => {
      stopListening();
      stopWaiting();
      if (c.isClosed) return;
      ungrabPointer(c);
      escape[Symbol.dispose]();
      await c.sync();
    };
    try {
      if (await grabPointer(c, { eventMask: mask, cursor }, { signal })) return { [Symbol.asyncDispose]: stop };
      throw new ToolError("timeout", "Another program has the pointer, such as one with an open menu.", {
        hint: "Close the menu or end the drag, and try again.",
      });
    } catch (error) {
      await stop().catch(() => {});
      throw error;
    }
  }
}

function toGrabbed(event: XEvent): GrabbedEvent | undefined {
  switch (event.type) {
    case "MotionNotify":
      return { kind: "move", at: screenPoint(event.rootX, event.rootY) };
    case "ButtonPress":
    case "ButtonRelease":
      return {
        kind: event.type === "ButtonPress" ? "down" : "up",
        at: screenPoint(event.rootX, event.rootY),
        button: buttonNames.get(event.detail),
      };
    default:
      return undefined;
  }
}
