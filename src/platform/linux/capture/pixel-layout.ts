import { ToolError } from "../../../base/errors.ts";
import type { Connection } from "../x11/connection.ts";

/** The rest of handsight handles only one pixel layout; servers with another one are very rare. */
export function needBgrx(c: Connection, depth: number): void {
  const { bitsPerPixel, hasLittleEndianImages, rootVisual, visuals } = c.setup;
  const visual = visuals.find(({ id }) => id === rootVisual);
  const isUsual = (depth === 24 || depth === 32) && bitsPerPixel.get(depth) === 32 && visual?.redMask === 0xff0000;
  if (isUsual && hasLittleEndianImages) return;
  throw new ToolError(
    "not_supported",
    `Display ${c.displayName} has pixels of depth ${depth} that handsight cannot read.`,
    {
      hint: "Run the X server with 24 bits of colour, for example Xvfb -screen 0 1920x1080x24.",
    },
  );
}
