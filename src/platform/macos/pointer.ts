import { poll, sleep, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { contains, screenPoint, type ScreenPoint } from "../../base/geometry.ts";
import type { Button, CallOptions, Pointer } from "../backend.ts";
import { constants } from "./bindings/constants.ts";
import { listDisplays } from "./displays.ts";
import type { Mac } from "./mac.ts";
import { needPermission, needUnlocked } from "./permissions.ts";

interface Events {
  readonly number: number;
  readonly down: number;
  readonly up: number;
  readonly dragged: number;
}

const left: Events = {
  number: constants.kCGMouseButtonLeft,
  down: constants.kCGEventLeftMouseDown,
  up: constants.kCGEventLeftMouseUp,
  dragged: constants.kCGEventLeftMouseDragged,
};
const right: Events = {
  number: constants.kCGMouseButtonRight,
  down: constants.kCGEventRightMouseDown,
  up: constants.kCGEventRightMouseUp,
  dragged: constants.kCGEventRightMouseDragged,
};
const other = (number: number): Events => ({
  number,
  down: constants.kCGEventOtherMouseDown,
  up: constants.kCGEventOtherMouseUp,
  dragged: constants.kCGEventOtherMouseDragged,
});
const buttons: Readonly<Record<Button, Events>> = {
  left,
  right,
  middle: other(constants.kCGMouseButtonCenter),
  back: other(3),
  forward: other(4),
};

/** AppKit ignores a press that is over sooner (reported, unverified). */
const shortestPressMs = 28;
/** The system's default for a second click to count as a double click. */
const doubleClickMs = 500;
const doubleClickPoints = 4;
const arriveMs = 500;
/** What one notch of a wheel scrolls. */
export const pixelsPerNotch = 40;

export class MacPointer implements Pointer, AsyncDisposable {
  readonly #mac: Mac;
  readonly #held = new Map<Button, number>();
  #last = { button: "left" as Button, at: screenPoint(0, 0), time: Number.NEGATIVE_INFINITY, count: 0 };

  constructor(mac: Mac) {
    this.#mac = mac;
  }

  async position({ signal }: CallOptions = {}): Promise<ScreenPoint> {
    throwIfCancelled(signal);
    return this.#position();
  }

  #position(): ScreenPoint {
    const { native, burst } = this.#mac;
    const { x, y } = burst((own) => native.CGEventGetLocation(own(native.CGEventCreate(null))));
    return screenPoint(x, y);
  }

  async move(to: ScreenPoint, { signal }: CallOptions = {}): Promise<void> {
    this.#check(signal);
    if (!listDisplays(this.#mac).some(({ bounds }) => contains(bounds, to))) {
      throw new ToolError("out_of_bounds", `${to.x},${to.y} is on no display.`, { hint: "list_displays shows them." });
    }
    const [held] = this.#held.keys();
    const { number, dragged } = buttons[held ?? "left"];
    this.#post(held === undefined ? constants.kCGEventMouseMoved : dragged, to, { number, clicks: 0 });
    const hasArrived = async (): Promise<true | undefined> => {
      const { x, y } = this.#position();
      return Math.abs(x - to.x) < 1 && Math.abs(y - to.y) < 1 ? true : undefined;
    };
    if (await poll(hasArrived, { timeoutMs: arriveMs, everyMs: 2, signal })) return;
    const { x, y } = this.#position();
    throw new ToolError("timeout", `The pointer stopped at ${x},${y} on the way to ${to.x},${to.y}.`, {
      hint: "Another program or a person is moving it; try again.",
    });
  }

  async down(button: Button, { signal }: CallOptions = {}): Promise<void> {
    this.#check(signal);
    const at = this.#position();
    const { number, down } = buttons[button];
    const clicks = this.#countClicks(button, at);
    this.#held.set(button, performance.now());
    this.#post(down, at, { number, clicks });
  }

  async tap(button: Button, options: CallOptions = {}): Promise<void> {
    await this.down(button, options);
    await this.up(button);
  }

  /** Takes no signal: what is down must be released even if the call was cancelled. */
  async up(button: Button): Promise<void> {
    const since = this.#held.get(button);
    if (since !== undefined) await sleep(Math.max(0, shortestPressMs - (performance.now() - since)));
    this.#release(button);
  }

  async wheel(notches: { readonly x: number; readonly y: number }, { signal }: CallOptions = {}): Promise<void> {
    this.#check(signal);
    const { native, burst } = this.#mac;
    // macOS counts up and left as positive.
    const [down, across] = [-Math.round(notches.y * pixelsPerNotch), -Math.round(notches.x * pixelsPerNotch)];
    burst((own) => {
      const event = own(
        native.CGEventCreateScrollWheelEvent2(null, constants.kCGScrollEventUnitPixel, 2, down, across, 0),
      );
      native.CGEventPost(constants.kCGHIDEventTap, event);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const button of this.#held.keys()) this.#release(button);
  }

  #check(signal: AbortSignal | undefined): void {
    throwIfCancelled(signal);
    needPermission(this.#mac, "Accessibility");
    needUnlocked(this.#mac);
  }

  #release(button: Button): void {
    this.#held.delete(button);
    const { number, up } = buttons[button];
    this.#post(up, this.#position(), { number, clicks: this.#last.count });
  }

  /** The second press at a place is told as a double click by us; macOS does not count synthetic ones. */
  #countClicks(button: Button, at: ScreenPoint): number {
    const { button: lastButton, at: lastAt, time, count } = this.#last;
    const isNear = Math.hypot(at.x - lastAt.x, at.y - lastAt.y) <= doubleClickPoints;
    const now = performance.now();
    const isAgain = button === lastButton && isNear && now - time < doubleClickMs;
    this.#last = { button, at, time: now, count: isAgain ? count + 1 : 1 };
    return this.#last.count;
  }

  #post(type: number, at: ScreenPoint, { number, clicks }: { readonly number: number; readonly clicks: number }): void {
    const { native, burst } = this.#mac;
    burst((own) => {
      const source = own(native.CGEventSourceCreate(constants.kCGEventSourceStateHIDSystemState));
      const event = own(native.CGEventCreateMouseEvent(source, type, { x: at.x, y: at.y }, number));
      if (event === null) throw new ToolError("ax_error", "macOS made no mouse event.");
      if (clicks > 0) native.CGEventSetIntegerValueField(event, constants.kCGMouseEventClickState, clicks);
      if (number > 2) native.CGEventSetIntegerValueField(event, constants.kCGMouseEventButtonNumber, number);
      native.CGEventPost(constants.kCGHIDEventTap, event);
    });
  }
}
