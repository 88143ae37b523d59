import { ToolError } from "../base/errors.ts";
import type { Picture, Pixels } from "../base/frame.ts";
import { sameRect, union, type Rect } from "../base/geometry.ts";
import type { CaptureArea, WindowInfo } from "../platform/backend.ts";
import { popupsOf } from "./popups.ts";
import type { Surface } from "./surface.ts";
import { pixelsPerUnit, toImageRect } from "./view.ts";

/** What is seen of a window together with the menus, lists and tips it has opened. */
export interface WindowPicture extends Picture {
  /** The windows in it, topmost first; undefined for a picture of something else. */
  readonly windows?: readonly WindowInfo[] | undefined;
}

/** A picture of the area. A window's open menus are windows of their own, but a person sees them as part of it. */
export async function pictureWithPopups(
  surface: Surface,
  area: CaptureArea,
  signal: AbortSignal,
): Promise<WindowPicture> {
  const picture = await surface.picture(area, { includeCursor: false, signal });
  if (area.kind !== "window" || !surface.backend.windows) return picture;
  const all = await surface.need("windows").list({ signal });
  const window = all.find(({ id }) => id === area.windowId);
  if (!window) return picture;
  const above = await Promise.all(
    popupsOf(window, all).map(async (popup) => {
      const own = await pictureUnlessGone(surface, popup, signal);
      return own && { popup, picture: own };
    }),
  );
  const shown = above.filter((each) => each !== undefined).filter((each) => isAlike(each.picture, picture));
  const windows = [...shown.map(({ popup }) => popup), window];
  if (shown.length === 0) return { ...picture, windows };
  return { ...composed(picture, shown.map((each) => each.picture).toReversed()), windows };
}

async function pictureUnlessGone(
  surface: Surface,
  { id }: WindowInfo,
  signal: AbortSignal,
): Promise<Picture | undefined> {
  try {
    return await surface.picture({ kind: "window", windowId: id }, { includeCursor: false, signal });
  } catch (error) {
    // It has closed meanwhile.
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  }
}

const viewOf = ({ bounds, pixels }: Picture) => ({ bounds, image: pixels });

/** Pictures of displays with different densities cannot be put together. */
const isAlike = (a: Picture, b: Picture): boolean =>
  a.pixels.format === b.pixels.format && Math.abs(pixelsPerUnit(viewOf(a)) - pixelsPerUnit(viewOf(b))) < 0.01;

/** The pictures on top of the first, later ones above earlier ones. */
function composed(base: Picture, above: readonly Picture[]): Picture {
  const bounds = union([base, ...above].map((picture) => picture.bounds)) as Rect;
  const scale = pixelsPerUnit(viewOf(base));
  const [width, height] = [Math.round(bounds.width * scale), Math.round(bounds.height * scale)];
  const bytes = base.pixels.format === "bgrx" ? 4 : 3;
  const pixels: Pixels = {
    format: base.pixels.format,
    width,
    height,
    stride: width * bytes,
    data: new Uint8Array(width * height * bytes),
  };
  for (const picture of [base, ...above]) {
    const { x, y } = toImageRect({ bounds, image: pixels }, picture.bounds);
    paste(pixels, picture.pixels, Math.round(x), Math.round(y));
  }
  const all = [base, ...above];
  return {
    // A frame of a window has the size of the window.
    source: sameRect(bounds, base.bounds) ? base.source : { kind: "region" },
    bounds,
    pixels,
    masked: all.reduce((sum, { masked = 0 }) => sum + masked, 0),
    isCovered: all.some(({ isCovered }) => isCovered),
  };
}

function paste(to: Pixels, from: Pixels, x: number, y: number): void {
  const bytes = to.format === "bgrx" ? 4 : 3;
  const columns = Math.min(from.width, to.width - x);
  for (let row = 0; row < Math.min(from.height, to.height - y); row++) {
    const at = row * from.stride;
    to.data.set(from.data.subarray(at, at + columns * bytes), (y + row) * to.stride + x * bytes);
  }
}
