import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import type { ImageRect } from "../../base/geometry.ts";
import type { ScreenText } from "../../surface/read-screen.ts";
import type { Surface } from "../../surface/surface.ts";
import { toScreenRect } from "../../surface/view.ts";
import type { Session } from "../session.ts";

/** The text of a picture that was loaded, as if the screen showed that picture and nothing else. */
export async function readLoaded(
  session: Session,
  surface: Surface,
  id: string,
  signal: AbortSignal,
): Promise<ScreenText> {
  const { width, height, data, isMask } = session.images.get(id);
  if (isMask) {
    throw new ToolError("invalid_argument", `The image "${id}" was loaded as a mask, which has no text.`, {
      hint: "Load it again without as_mask.",
    });
  }
  const reader = await surface.reader();
  const pixels = onWhite({ width, height, data });
  const view = { bounds: { x: 0, y: 0, width, height }, image: pixels };
  const { lines, ...rest } = await reader.read(pixels, { signal, view: `image ${id}` });
  const place = <Text extends { readonly box: ImageRect }>(text: Text) => ({
    ...text,
    box: toScreenRect(view, text.box),
  });
  return { ...rest, lines: lines.map((line) => ({ ...place(line), words: line.words.map(place) })) };
}

/** Transparent parts are shown on white. */
export function onWhite({ width, height, data }: Omit<Pixels, "stride" | "format">): Pixels {
  const rgb = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    const alpha = (data[from + 3] as number) / 255;
    for (let channel = 0; channel < 3; channel++)
      rgb[to + channel] = Math.round((data[from + channel] as number) * alpha + 255 * (1 - alpha));
  }
  return { width, height, data: rgb, stride: width * 3, format: "rgb" };
}
