import { expect } from "vitest";
import { sameRect, screenPoint, type Rect } from "../../../src/base/geometry.ts";
import type { Capture, CaptureArea, CaptureOptions, Screen } from "../../../src/platform/backend.ts";
import { colours, need, type ScaledStage, type Stage } from "../stage.ts";
import {
  at,
  atScale,
  codeOf,
  colourAt,
  expectCancelled,
  ownWindow,
  pixelAt,
  until,
  type Behaviours,
} from "./shared.ts";

const screenOf = ({ backend }: Pick<Stage, "backend">): Screen => need(backend.screen, "screen");

async function withCapture<T>(
  stage: Pick<Stage, "backend">,
  area: CaptureArea,
  look: (capture: Capture) => T,
  options: CaptureOptions = {},
): Promise<T> {
  using capture = await screenOf(stage).capture(area, options);
  return look(capture);
}

/** The colours on both sides of the line that halves the pad, and in its corners. */
function padColours(capture: Capture, pad: Rect): readonly number[] {
  const middle = pad.width / 2;
  return [
    [0, 0],
    [middle - 1, 0],
    [middle, 0],
    [pad.width - 1, pad.height - 1],
  ].map(([x = 0, y = 0]) => colourAt(capture, { x: pad.x + x, y: pad.y + y }));
}

const { left, right } = colours;

async function expectPad(stage: Stage, area: CaptureArea): Promise<void> {
  const pad = await stage.app.pad();
  expect(await withCapture(stage, area, (capture) => padColours(capture, pad))).toEqual([left, left, right, right]);
}

/**
 * At another scale every pixel counts: the picture has as many pixels as the screen, and the line is sharp to one
 * pixel.
 */
async function expectSharp({ backend, app, pixelsPerUnit }: ScaledStage): Promise<void> {
  const pad = await app.pad();
  const size = { width: Math.round(pad.width * pixelsPerUnit), height: Math.round(pad.height * pixelsPerUnit) };
  const seen = await withCapture({ backend }, { kind: "region", rect: pad }, (capture) => {
    const { width, height } = capture.pixels;
    const row = Array.from({ length: width }, (_, x) => pixelAt(capture, x, height >> 1));
    return { width, height, left: row.filter((each) => each === left).length, kinds: new Set(row).size };
  });
  expect(seen).toEqual({ ...size, left: size.width / 2, kinds: 2 });
}

export const screen: Behaviours<"screen"> = {
  async displays(stage) {
    const displays = await screenOf(stage).displays();
    const whole = { x: 0, y: 0, ...stage.screen };
    expect(await screenOf(stage).bounds()).toEqual(whole);
    expect(displays.map(({ bounds }) => bounds)).toContainEqual(whole);
    expect(displays.filter(({ isPrimary }) => isPrimary)).toHaveLength(1);
    expect(displays.every(({ scale }) => scale > 0)).toBe(true);
  },
  async screen(stage) {
    await expectPad(stage, { kind: "screen" });
    const whole = { x: 0, y: 0, ...stage.screen };
    expect(await withCapture(stage, { kind: "screen" }, ({ bounds }) => bounds)).toEqual(whole);
  },
  async display(stage) {
    const [first] = await screenOf(stage).displays();
    await expectPad(stage, { kind: "display", displayId: need(first, "display").id });
  },
  async window(stage) {
    const { id, bounds } = await ownWindow(stage);
    await expectPad(stage, { kind: "window", windowId: id });
    expect(await withCapture(stage, { kind: "window", windowId: id }, (capture) => capture.bounds)).toEqual(bounds);
  },
  async region(stage) {
    const pad = await stage.app.pad();
    const rect = { x: pad.x + pad.width / 2 - 2, y: pad.y + 3, width: 5, height: 4 };
    const seen = await withCapture(stage, { kind: "region", rect }, (capture) => ({
      bounds: capture.bounds,
      size: [capture.pixels.width, capture.pixels.height],
      row: [0, 1, 2, 3, 4].map((x) => colourAt(capture, { x: rect.x + x, y: rect.y })),
    }));
    expect(seen).toEqual({ bounds: rect, size: [5, 4], row: [left, left, right, right, right] });
  },
  async clipped(stage) {
    const { width, height } = stage.screen;
    const rect = { x: width - 10, y: height - 20, width: 50, height: 50 };
    const seen = await withCapture(stage, { kind: "region", rect }, ({ bounds, pixels }) => ({
      bounds,
      size: [pixels.width, pixels.height],
    }));
    expect(seen).toEqual({ bounds: { ...rect, width: 10, height: 20 }, size: [10, 20] });
  },
  async offScreen(stage) {
    for (const x of [-300, stage.screen.width + 100]) {
      const rect = { x, y: 10, width: 50, height: 50 };
      expect(await codeOf(screenOf(stage).capture({ kind: "region", rect }))).toBe("out_of_bounds");
    }
  },
  async covered(stage) {
    const { id } = await ownWindow(stage);
    await using _other = await need(stage.openOther?.(), "other window");
    const pad = await stage.app.pad();
    const isHidden = await withCapture(
      stage,
      { kind: "screen" },
      (capture) => !padColours(capture, pad).includes(left),
    );
    expect(isHidden, "the other window is over the pad").toBe(true);
    await expectPad(stage, { kind: "window", windowId: id });
  },
  async minimized(stage) {
    const windows = need(stage.backend.windows, "windows");
    const { id } = await ownWindow(stage);
    await windows.change(id, { to: "minimize" });
    expect((await windows.get(id))?.isMinimized).toBe(true);
    expect(await codeOf(screenOf(stage).capture({ kind: "window", windowId: id }))).toBe("not_supported");
  },
  async goneWindow(stage) {
    expect(await codeOf(screenOf(stage).capture({ kind: "window", windowId: 987_654 }))).toBe("window_gone");
  },
  async goneDisplay(stage) {
    expect(await codeOf(screenOf(stage).capture({ kind: "display", displayId: 987_654 }))).toBe("not_found");
  },
  async repaint(stage) {
    await expectPad(stage, { kind: "screen" });
    await stage.app.act("swap colours");
    const pad = await stage.app.pad();
    await until("the picture shows the swapped colours", async () => {
      const seen = await withCapture(stage, { kind: "screen" }, (capture) => padColours(capture, pad));
      return seen[0] === right && seen[3] === left ? true : undefined;
    });
  },
  async cursor(stage) {
    const pad = await stage.app.pad();
    const pointer = need(stage.backend.pointer, "pointer");
    await pointer.move(at(pad, 20, 20));
    const area = { kind: "region", rect: { x: pad.x + 10, y: pad.y + 10, width: 30, height: 30 } } as const;
    const kinds = ({ pixels }: Capture): number => {
      const seen = new Set<number>();
      for (let y = 0; y < pixels.height; y++)
        for (let x = 0; x < pixels.width; x++) seen.add(pixelAt({ pixels }, x, y));
      return seen.size;
    };
    expect(await withCapture(stage, area, kinds)).toBe(1);
    expect(await withCapture(stage, area, kinds, { includeCursor: true })).toBeGreaterThan(1);
  },
  async located(stage) {
    const { id, bounds } = await ownWindow(stage);
    const located = await withCapture(stage, { kind: "screen" }, (capture) => capture.located, { locate: [id] });
    expect(located).toHaveLength(1);
    expect(located?.every((rect) => sameRect(rect, bounds))).toBe(true);
  },
  async doubled(stage) {
    await expectSharp(await atScale(stage, 2));
  },
  async fractional(stage) {
    await expectSharp(await atScale(stage, 1.5));
  },
  async cancelled(stage) {
    await expectCancelled((signal) => screenOf(stage).capture({ kind: "screen" }, { signal }));
    const rect = { ...screenPoint(0, 0), width: 5, height: 5 };
    await expectCancelled((signal) => screenOf(stage).capture({ kind: "region", rect }, { signal }));
  },
};
