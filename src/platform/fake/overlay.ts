import { contains } from "../../base/geometry.ts";
import type { Overlay, OverlayShape } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";

export function overlayOf(desktop: FakeDesktop): Overlay {
  const layers = desktop.overlay;
  return {
    async show(layer, shapes, { signal } = {}) {
      await desktop.enter("overlay", signal);
      if (shapes.length === 0) layers.delete(layer);
      else layers.set(layer, shapes);
    },
    async hide(layer, { signal } = {}) {
      await desktop.enter("overlay", signal);
      if (layer === undefined) layers.clear();
      else layers.delete(layer);
    },
    async probe({ signal } = {}) {
      await desktop.enter("overlay", signal);
      return desktop.leaksOverlay ? "leaked" : "excluded";
    },
  };
}

/** The colour that the overlay has at a point; undefined where it shows nothing. */
export function overlayColourAt(
  layers: ReadonlyMap<string, readonly OverlayShape[]>,
  point: { readonly x: number; readonly y: number },
): number | undefined {
  const shape = [...layers.values()]
    .flat()
    .findLast((each) => contains(each.rect, point) && (isSolid(each) || each.kind === "picture"));
  if (!shape) return undefined;
  if (shape.kind === "fill") return shape.colour;
  const { rgba, size, rect } = shape;
  const column = Math.floor(((point.x - rect.x) * size.width) / rect.width);
  const row = Math.floor(((point.y - rect.y) * size.height) / rect.height);
  const [red = 0, green = 0, blue = 0] = rgba.subarray((row * size.width + column) * 4);
  return (red << 16) | (green << 8) | blue;
}

const isSolid = (shape: OverlayShape): boolean => shape.kind === "fill" && (shape.opacity ?? 1) >= 0.5;
