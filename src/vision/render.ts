import type { Rgba } from "./find-image/needle.ts";

/** A drawing as pixels. Only for drawings of our own: the format can refer to files. */
export async function renderSvg(svg: string): Promise<Rgba> {
  const { default: sharp } = await import("sharp");
  return toRgba(sharp(Buffer.from(svg)));
}

/** One line of text in white, in the fonts of this machine. */
export async function renderText(text: string, scale: number): Promise<Rgba> {
  const { default: sharp } = await import("sharp");
  const markup = `<span foreground="white">${escaped(text)}</span>`;
  return toRgba(sharp({ text: { text: markup, font: "sans 10", dpi: Math.round(96 * scale), rgba: true } }));
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** The text may come from a screen, and would be read as markup. A control character ends the line, or all of it. */
const escaped = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, " ").replaceAll(/[&<>]/g, (sign) => entities[sign] ?? "");

interface Rendering {
  ensureAlpha(): Rendering;
  raw(): Rendering;
  toBuffer(options: { readonly resolveWithObject: true }): Promise<{
    readonly data: Uint8Array;
    readonly info: { readonly width: number; readonly height: number };
  }>;
}

async function toRgba(rendering: Rendering): Promise<Rgba> {
  const { data, info } = await rendering.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** A picture on another, blended; what lies outside is cut off. */
export function paste(to: Rgba, from: Rgba, at: { readonly x: number; readonly y: number }): void {
  for (let row = 0; row < from.height; row++) {
    for (let column = 0; column < from.width; column++) {
      const [x, y] = [at.x + column, at.y + row];
      if (x < 0 || y < 0 || x >= to.width || y >= to.height) continue;
      const [source, target] = [(row * from.width + column) * 4, (y * to.width + x) * 4];
      const above = (from.data[source + 3] ?? 0) / 255;
      const below = ((to.data[target + 3] ?? 0) / 255) * (1 - above);
      if (above + below === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const mixed = (from.data[source + channel] ?? 0) * above + (to.data[target + channel] ?? 0) * below;
        to.data[target + channel] = mixed / (above + below);
      }
      to.data[target + 3] = (above + below) * 255;
    }
  }
}
