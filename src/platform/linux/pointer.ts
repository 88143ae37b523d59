import { poll, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { contains, screenPoint, type ScreenPoint } from "../../base/geometry.ts";
import type { Button, CallOptions, Pointer } from "../backend.ts";
import type { XDisplay } from "./display.ts";
import { buttonNumbers, getPhysicalButton } from "./input/buttons.ts";
import type { Guardian } from "../guardian.ts";
import type { Connection } from "./x11/connection.ts";
import { fakeInput, fakeInputSender, type FakeInput } from "./x11/extensions.ts";
import { getGeometry, queryPointer } from "./x11/requests.ts";

const wheelUp = 4;
const wheelDown = 5;
const wheelLeft = 6;
const wheelRight = 7;
/** How long a move may take, and how often it is tried: a person's hand on the mouse can interfere. */
const arriveMs = 500;
const attempts = 3;
/** Notches sent before checking whether the call was cancelled. */
const notchesAtOnce = 20;

export class XPointer implements Pointer, AsyncDisposable {
  readonly #display: XDisplay;
  readonly #held = new Map<Button, number>();

  readonly #guardian: Guardian | undefined;

  constructor(display: XDisplay, guardian?: Guardian) {
    this.#display = display;
    this.#guardian = guardian;
    // After a lost connection nobody holds these buttons any more, so they must be up.
    display.onConnect((c) => this.#release(c));
  }

  async position({ signal }: CallOptions = {}): Promise<ScreenPoint> {
    const { x, y } = await queryPointer(await this.#display.connect({ signal }), { signal });
    return screenPoint(x, y);
  }

  async move(to: ScreenPoint, { signal }: CallOptions = {}): Promise<void> {
    const c = await this.#display.connect({ signal });
    const send = await fakeInputSender(c);
    const [x, y] = [Math.floor(to.x), Math.floor(to.y)];
    const isThere = (at: { readonly x: number; readonly y: number }) => at.x === x && at.y === y;
    for (let attempt = 0; attempt < attempts; attempt++) {
      throwIfCancelled(signal);
      send({ kind: "motion", x, y });
      const [at, root] = await Promise.all([queryPointer(c), getGeometry(c, c.root)]);
      if (isThere(at)) return;
      if (!contains({ ...root, x: 0, y: 0 }, { x, y })) {
        throw new ToolError("out_of_bounds", `Point ${x},${y} is outside the screen (${root.width}×${root.height}).`);
      }
      // After a press the window manager may freeze the pointer until it has decided about the focus; the server
      // performs the move afterwards.
      const arrived = await poll(async () => (isThere(await queryPointer(c)) ? true : undefined), {
        timeoutMs: arriveMs,
        everyMs: 1,
        signal,
      });
      if (arrived) return;
    }
    const at = await queryPointer(c);
    throw new ToolError("timeout", `The pointer stopped at ${at.x},${at.y} on the way to ${x},${y}.`, {
      hint: "Another program or a person is holding or moving it; try again.",
    });
  }

  async down(button: Button, { signal }: CallOptions = {}): Promise<void> {
    const c = await this.#display.connect({ signal });
    const number = await getPhysicalButton(c, buttonNumbers[button]);
    throwIfCancelled(signal);
    this.#held.set(button, number);
    this.#guardian?.begin(`button ${button}`);
    await fakeInput(c, [{ kind: "button", button: number, isDown: true }]);
  }

  async tap(button: Button, { signal }: CallOptions = {}): Promise<void> {
    const c = await this.#display.connect({ signal });
    const number = await getPhysicalButton(c, buttonNumbers[button]);
    throwIfCancelled(signal);
    await fakeInput(c, [
      { kind: "button", button: number, isDown: true },
      { kind: "button", button: number, isDown: false },
    ]);
  }

  /** Takes no signal: what is down must be released even if the call was cancelled. */
  async up(button: Button): Promise<void> {
    const c = await this.#display.connect();
    const number = this.#held.get(button) ?? (await getPhysicalButton(c, buttonNumbers[button]));
    this.#held.delete(button);
    await fakeInput(c, [{ kind: "button", button: number, isDown: false }]);
    this.#guardian?.end(`button ${button}`);
  }

  async wheel(notches: { readonly x: number; readonly y: number }, { signal }: CallOptions = {}): Promise<void> {
    const c = await this.#display.connect({ signal });
    const turns = [
      { button: notches.y > 0 ? wheelDown : wheelUp, count: Math.round(Math.abs(notches.y)) },
      { button: notches.x > 0 ? wheelRight : wheelLeft, count: Math.round(Math.abs(notches.x)) },
    ];
    for (const { button, count } of turns) {
      for (let left = count; left > 0; left -= notchesAtOnce) {
        throwIfCancelled(signal);
        const notch: FakeInput[] = [
          { kind: "button", button, isDown: true },
          { kind: "button", button, isDown: false },
        ];
        await fakeInput(c, Array.from({ length: Math.min(left, notchesAtOnce) }, () => notch).flat());
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const c = this.#display.current;
    if (!c) return;
    try {
      await this.#release(c);
    } catch (error) {
      // If the display is gone, nothing is held any more.
      if (!c.isClosed) throw error;
    }
  }

  async #release(c: Connection): Promise<void> {
    const buttons = [...this.#held.values()];
    this.#held.clear();
    if (buttons.length === 0) return;
    await fakeInput(
      c,
      buttons.map((button) => ({ kind: "button", button, isDown: false })),
    );
  }
}
