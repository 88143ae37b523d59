import { expect } from "vitest";
import { screenPoint, type Rect } from "../../../src/base/geometry.ts";
import type { CaptureArea, Overlay, OverlayShape } from "../../../src/platform/backend.ts";
import { colours, need, type Stage } from "../stage.ts";
import { click, colourAt, expectCancelled, ownWindow, said, until, untilTrue, type Behaviours } from "./shared.ts";

const overlayOf = ({ backend }: Stage): Overlay => need(backend.overlay, "overlay");

const pink = 0xf30bd1;
const green = 0x0bf35c;

/** A square in the left half of the pad. */
async function spot({ app }: Stage): Promise<Rect> {
  const { x, y } = await app.pad();
  return { x: Math.round(x) + 10, y: Math.round(y) + 10, width: 20, height: 20 };
}

const fill = (rect: Rect, colour = pink): OverlayShape => ({ kind: "fill", rect, colour });
const middle = ({ x, y, width, height }: Rect) => screenPoint(x + width / 2, y + height / 2);

const looksLike = (stage: Stage, rect: Rect, colour: number): Promise<void> =>
  untilTrue(
    `the screen shows ${colour.toString(16)}`,
    async () => (await need(stage.seen?.(middle(rect)), "way to see the screen")) === colour,
  );

/** Shows something, and takes it away again whatever happens. */
async function showing(stage: Stage, shapes: readonly OverlayShape[], work: () => Promise<void>): Promise<void> {
  const overlay = overlayOf(stage);
  await overlay.show("test", shapes);
  try {
    await work();
  } finally {
    await overlay.hide();
  }
}

export const overlay: Behaviours<"overlay"> = {
  async drawn(stage) {
    const rect = await spot(stage);
    const beside = { ...rect, x: rect.x + 30 };
    const rgba = new Uint8Array(20 * 20 * 4).map((_, index) => [0x0b, 0xf3, 0x5c, 0xff][index % 4] ?? 0);
    const picture: OverlayShape = { kind: "picture", rect: beside, rgba, size: { width: 20, height: 20 } };
    await showing(stage, [fill(rect), picture], async () => {
      await looksLike(stage, rect, pink);
      await looksLike(stage, beside, green);
    });
  },
  async moved(stage) {
    const rect = await spot(stage);
    const beside = { ...rect, x: rect.x + 30 };
    await showing(stage, [fill(rect)], async () => {
      await looksLike(stage, rect, pink);
      await overlayOf(stage).show("test", [fill(beside)]);
      await looksLike(stage, beside, pink);
      await looksLike(stage, rect, colours.left);
    });
  },
  async layers(stage) {
    const rect = await spot(stage);
    await showing(stage, [fill(rect)], async () => {
      await overlayOf(stage).show("upper", [fill(rect, green)]);
      await looksLike(stage, rect, green);
      await overlayOf(stage).hide("upper");
      await looksLike(stage, rect, pink);
    });
  },
  async gone(stage) {
    const rect = await spot(stage);
    await showing(stage, [fill(rect)], () => looksLike(stage, rect, pink));
    await looksLike(stage, rect, colours.left);
  },
  async top(stage) {
    const { x, y } = await stage.app.window();
    const rect = { x: Math.round(x) + 40, y: Math.round(y) + 60, width: 20, height: 20 };
    await showing(stage, [fill(rect)], async () => {
      await looksLike(stage, rect, pink);
      await using other = await need(stage.openOther?.(), "other app");
      await untilTrue("the other app opens", () => other.isOpen());
      await looksLike(stage, rect, pink);
    });
  },
  async clickThrough(stage) {
    const rect = await spot(stage);
    const { x, y } = middle(rect);
    await showing(stage, [fill(rect)], async () => {
      await looksLike(stage, rect, pink);
      await click(need(stage.backend.pointer, "pointer"), middle(rect));
      await said(stage.app, { event: "press", button: "left", x, y });
      await said(stage.app, { event: "release", button: "left", x, y });
    });
  },
  async captures(stage) {
    const rect = await spot(stage);
    const { id } = await ownWindow(stage);
    const screen = need(stage.backend.screen, "screen");
    const [display] = await screen.displays();
    const areas: readonly CaptureArea[] = [
      { kind: "screen" },
      { kind: "display", displayId: display?.id ?? 1 },
      { kind: "window", windowId: id },
      { kind: "region", rect },
    ];
    await need(stage.backend.pointer, "pointer").move(screenPoint(0, 0));
    await showing(stage, [fill(rect)], async () => {
      await looksLike(stage, rect, pink);
      for (const area of areas) {
        for (const includeCursor of [false, true]) {
          using capture = await screen.capture(area, { includeCursor });
          expect([area.kind, colourAt(capture, middle(rect))]).toEqual([area.kind, colours.left]);
        }
      }
      await looksLike(stage, rect, pink);
    });
  },
  async fresh(stage) {
    const rect = await spot(stage);
    const screen = need(stage.backend.screen, "screen");
    await showing(stage, [fill(rect)], async () => {
      await looksLike(stage, rect, pink);
      await stage.app.act("swap colours");
      await until("the picture shows what is painted below", async () => {
        using capture = await screen.capture({ kind: "region", rect });
        return colourAt(capture, middle(rect)) === colours.right ? true : undefined;
      });
    });
  },
  async unlisted(stage) {
    const windows = need(stage.backend.windows, "windows");
    const ids = async () => (await windows.list({ isFresh: true })).map(({ id }) => id);
    const [before, active] = [await ids(), await windows.active()];
    await showing(stage, [fill(await spot(stage))], async () => {
      expect(await ids()).toEqual(before);
      expect(await windows.active()).toBe(active);
    });
  },
  async silent(stage) {
    const rect = await spot(stage);
    const { id } = await ownWindow(stage);
    const paints: Rect[] = [];
    const watching = stage.backend.events?.damage?.(id, (part) => void paints.push(part));
    await using _watch = await need(watching, "damage");
    await showing(stage, [fill(rect)], () => looksLike(stage, rect, pink));
    await looksLike(stage, rect, colours.left);
    const across = paints.filter(
      ({ x, y }) => x >= rect.x - 1 && y >= rect.y - 1 && x < rect.x + 20 && y < rect.y + 20,
    );
    expect(across).toEqual([]);
  },
  async probe(stage) {
    expect(await overlayOf(stage).probe()).toBe("excluded");
  },
  async cancelled(stage) {
    const rect = await spot(stage);
    await expectCancelled((signal) => overlayOf(stage).show("test", [fill(rect)], { signal }));
    await looksLike(stage, rect, colours.left);
  },
};
