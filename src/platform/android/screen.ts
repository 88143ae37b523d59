import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import { intersect, type Rect } from "../../base/geometry.ts";
import type { CallOptions, Capture, CaptureArea, Screen } from "../backend.ts";
import type { AndroidDevice } from "./device.ts";
import { needDisplay, spaceOf, type Glance, type Panel } from "./display.ts";
import { needWindow } from "./windows.ts";

export function screenOf(device: AndroidDevice): Screen {
  return {
    units: "screen pixels",
    isSlow: true,
    async displays(options = {}) {
      const [{ panels }, density] = await Promise.all([device.glance(options), device.density(options)]);
      return panels.map(({ id, name, bounds }) => ({ id, name, bounds, isPrimary: id === 0, scale: density / 160 }));
    },
    bounds: async (options = {}) => spaceOf(await device.glance(options)),
    async capture(area, options = {}) {
      const panel = await panelOf(device, area, options);
      const pixels = await device.pixels(panel, options);
      const bounds = boundsOf(panel, pixels);
      return area.kind === "region" ? part(pixels, bounds, area.rect) : lent(pixels, bounds);
    },
    async encoded(area, options = {}) {
      if (area.kind === "region") return undefined;
      const panel = await panelOf(device, area, options);
      const picture = await device.picture(panel, options);
      const bounds = boundsOf(panel, picture);
      if (!("bytes" in picture)) return lent(picture, bounds);
      const { bytes: png, width, height } = picture;
      return { png, width, height, bounds, decode: () => device.decode(png) };
    },
  };
}

/** The bounds of a picture: its own size is the true one, even if the display has just been rotated. */
const boundsOf = ({ bounds }: Panel, { width, height }: Pick<Rect, "width" | "height">): Rect => ({
  ...bounds,
  width,
  height,
});

/** Reads nothing when there is only one display. */
async function panelOf(device: AndroidDevice, area: CaptureArea, options: CallOptions): Promise<Panel> {
  const glance = await (device.hasOneDisplay ? device.lastGlance(options) : device.glance(options));
  if (area.kind === "display") return needDisplay(glance, area.displayId);
  if (area.kind === "window") return needWindow(glance, area.windowId);
  return area.kind === "region" ? around(glance, area.rect) : glance.main;
}

/** The first display that shows part of the rectangle. */
function around({ panels, main }: Glance, rect: Rect): Panel {
  return panels.find(({ bounds }) => intersect(bounds, rect)) ?? main;
}

const lent = (pixels: Pixels, bounds: Rect): Capture => ({ pixels, bounds, [Symbol.dispose]() {} });

function part(pixels: Pixels, bounds: Rect, wanted: Rect): Capture {
  const shown = intersect(wanted, bounds);
  if (!shown) throw new ToolError("out_of_bounds", `The region is off the screen (${bounds.width}×${bounds.height}).`);
  return lent(cut(pixels, { ...shown, x: shown.x - bounds.x, y: shown.y - bounds.y }), shown);
}

function cut({ data, format, stride }: Pixels, { x, y, width, height }: Rect): Pixels {
  const size = format === "rgb" ? 3 : 4;
  const from = y * stride + x * size;
  return { data: data.subarray(from, from + (height - 1) * stride + width * size), format, stride, width, height };
}
