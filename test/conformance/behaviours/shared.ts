import { expect } from "vitest";
import { poll } from "../../../src/base/async.ts";
import { ToolError } from "../../../src/base/errors.ts";
import { screenPoint, type Rect, type ScreenPoint } from "../../../src/base/geometry.ts";
import type { UiNode } from "../../../src/base/node.ts";
import type { Ability } from "../expectations.ts";
import type { Backend, Button, Capture, Pointer, WindowInfo } from "../../../src/platform/backend.ts";
import type { BehaviourName } from "../expectations.ts";
import { need, type AppEvent, type KnownApp, type ScaledStage, type Stage } from "../stage.ts";

/** Resolves if the behaviour holds. */
export type Behaviour = (stage: Stage) => Promise<void>;

/** One for each that is listed, so that none is forgotten. */
export type Behaviours<A extends Ability> = Readonly<Record<BehaviourName<A>, Behaviour>>;

/** Real apps react late; what has not happened by then will not. */
const patienceMs = 2000;

/** Waits until there is an answer; fails with this message when there is none. */
export async function until<T>(
  what: string | (() => string),
  ask: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const found = await poll(async () => ask(), { timeoutMs: patienceMs, everyMs: 10 });
  return found ?? expect.fail(`did not happen: ${typeof what === "string" ? what : what()}`);
}

export async function untilTrue(what: string, ask: () => boolean | Promise<boolean>): Promise<void> {
  await until(what, async () => ((await ask()) ? true : undefined));
}

/** The first matching event from the app, past or future. */
export function said(app: KnownApp, fits: Partial<AppEvent>): Promise<AppEvent> {
  const wanted = Object.entries(fits);
  const words = () => `the app says ${JSON.stringify(fits)}; it said ${JSON.stringify(app.events.slice(-4))}`;
  return until(words, () =>
    app.events.find((event) => wanted.every(([key, value]) => Reflect.get(event, key) === value)),
  );
}

/** The error code of a call; "done" if it does not fail. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

/** Every ability accepts a signal that is already aborted, and does nothing. */
export async function expectCancelled(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  expect(await codeOf(call(AbortSignal.abort()))).toBe("cancelled");
}

/** The call respects its timeout, well below the default, and reports that it was too short. */
export async function expectTimeout(call: (timeoutMs: number) => Promise<unknown>): Promise<void> {
  // What was read just before the app froze may still be returned.
  const outcome = async () => {
    const started = performance.now();
    const code = await codeOf(call(200));
    return [code, performance.now() - started < 1000];
  };
  await expect.poll(outcome, { timeout: 5_000, interval: 50 }).toEqual(["timeout", true]);
}

export const at = (rect: Rect, x: number, y: number): ScreenPoint =>
  screenPoint(Math.round(rect.x) + x, Math.round(rect.y) + y);

export async function click(pointer: Pointer, point: ScreenPoint, button: Button = "left"): Promise<void> {
  await pointer.move(point);
  await pointer.down(button);
  await pointer.up(button);
}

export const pressesOf = (app: KnownApp): readonly AppEvent[] =>
  app.events.filter(({ event }) => event === "press" || event === "release");

/** 0xRRGGBB of a screen point in the picture. */
export function colourAt({ pixels, bounds }: Capture, point: { readonly x: number; readonly y: number }): number {
  const x = Math.floor(((point.x - bounds.x) * pixels.width) / bounds.width);
  const y = Math.floor(((point.y - bounds.y) * pixels.height) / bounds.height);
  return pixelAt({ pixels }, x, y);
}

/** 0xRRGGBB of a pixel of the picture. */
export function pixelAt({ pixels }: Pick<Capture, "pixels">, x: number, y: number): number {
  const { data, stride, format } = pixels;
  const size = format === "rgb" ? 3 : 4;
  const [first = 0, green = 0, third = 0] = data.subarray(y * stride + x * size, y * stride + x * size + 3);
  const [red, blue] = format === "rgb" ? [first, third] : [third, first];
  return (red << 16) | (green << 8) | blue;
}

export async function windowNamed({ windows }: Backend, title: string): Promise<WindowInfo | undefined> {
  return (await need(windows, "windows").list({ isFresh: true })).find((window) => window.title === title);
}

/** The stage at another scale, reset. */
export async function atScale(stage: Stage, scale: number): Promise<ScaledStage> {
  const scaled = await need(stage.atScale?.(scale), "other scale");
  await scaled.app.reset();
  return scaled;
}

/** The known app's window. */
export function ownWindow({ backend, app }: Stage, title: string = app.title): Promise<WindowInfo> {
  let listed: readonly string[] = [];
  const words = () => `a window "${title}" is listed among ${JSON.stringify(listed)}`;
  return until(words, async () => {
    const windows = await need(backend.windows, "windows").list({ isFresh: true });
    listed = windows.map((window) => window.title);
    return windows.find((window) => window.title === title);
  });
}

/** The control with this name; of a field and its label, the field. */
export function elementNamed({ backend, app }: Stage, name: string): Promise<UiNode> {
  const elements = need(backend.elements, "elements");
  return until(`an element "${name}" is listed`, async () => {
    const { nodes } = await elements.tree(app.scope, { maxNodes: 5000 });
    const named = nodes.filter((node) => node.name === name);
    return named.find(({ role }) => role !== "text" && role !== "label") ?? named[0];
  });
}
