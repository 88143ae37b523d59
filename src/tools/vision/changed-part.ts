import type { Picture } from "../../base/frame.ts";
import { intersect, union, type ImageRect } from "../../base/geometry.ts";
import type { CaptureArea } from "../../platform/backend.ts";
import { frameArea } from "../../surface/frames.ts";
import type { Surface } from "../../surface/surface.ts";
import { toScreenRect } from "../../surface/view.ts";
import { findChanges } from "../../vision/changes.ts";
import { crop } from "../../vision/crop.ts";

export interface Changed {
  readonly picture: Picture;
  /** Then the picture shows everything, and is not worth sending. */
  readonly isUnchanged?: boolean;
  readonly warning?: string;
}

/** So that what has changed is seen with what is around it. */
const margin = 24;

interface Looking {
  readonly includeCursor: boolean;
  readonly signal: AbortSignal;
}

/** A new picture of what an earlier one shows, cropped to what differs. */
export async function changedPart(surface: Surface, earlierId: string, options: Looking): Promise<Changed> {
  const earlier = await frameArea(surface.frames, earlierId);
  const picture = await surface.picture(areaAgain(earlier), options);
  const { pixels, bounds } = picture;
  if (pixels.width !== earlier.pixels.width || pixels.height !== earlier.pixels.height) {
    return { picture, warning: `It has another size than in ${earlierId}, so this shows all of it.` };
  }
  const around = union(findChanges(earlier.pixels, pixels).boxes);
  if (!around) return { picture, isUnchanged: true };
  const part =
    intersect<"image">(widened(around), { x: 0, y: 0, width: pixels.width, height: pixels.height }) ?? around;
  return {
    picture: {
      ...picture,
      source: { kind: "region" },
      bounds: toScreenRect({ bounds, image: pixels }, part),
      pixels: crop(pixels, part),
    },
  };
}

export function areaAgain({ source, bounds }: Picture): CaptureArea {
  return source.kind === "region" ? { kind: "region", rect: bounds } : source;
}

const widened = ({ x, y, width, height }: ImageRect): ImageRect => ({
  x: x - margin,
  y: y - margin,
  width: width + 2 * margin,
  height: height + 2 * margin,
});
