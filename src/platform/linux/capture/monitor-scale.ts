import type { Monitor } from "../x11/extensions.ts";

/** Further off than this, a monitor reports nonsense: no size, or that of a projector's picture. */
const densest = 400;
const sparsest = 50;
/** What square pixels may differ by, because millimetres are rounded. */
const tolerance = 0.1;
/** Desktops scale in quarters. */
const steps = 4;

/**
 * The scale of each monitor. Xft.dpi is one figure for all of them, and on two of different density wrong for one; there each
 * has the scale of its own density. Where they are alike the figure holds: programs draw by it, whatever the density.
 */
export function scalesOf(monitors: readonly Monitor[], common: number): readonly number[] {
  const scales = monitors.map(scaleOf);
  const isMixed = scales.every((scale) => scale !== undefined) && new Set(scales).size > 1;
  return scales.map((scale) => (isMixed ? (scale ?? common) : common));
}

function scaleOf({ width, height, size }: Monitor): number | undefined {
  const [across, down] = [(width * 25.4) / size.width, (height * 25.4) / size.height];
  const isSane =
    [across, down].every((dpi) => dpi >= sparsest && dpi <= densest) && Math.abs(across / down - 1) < tolerance;
  return isSane ? Math.max(1, Math.round((across / 96) * steps) / steps) : undefined;
}
