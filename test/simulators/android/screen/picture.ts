import sharp, { type Sharp } from "sharp";
import type { Phone } from "./phone.ts";
import { clip, type Rect, type View } from "./view.ts";

/** Paints the screen; the last picture is kept, so that requesting it again costs nothing. */
export class Painter {
  readonly #phone: Phone;
  #drawing = "";
  readonly #made = new Map<"png" | "raw", Promise<Buffer>>();

  constructor(phone: Phone) {
    this.#phone = phone;
  }

  png(): Promise<Buffer> {
    return this.#make("png", (image) => image.png({ compressionLevel: 3 }).toBuffer());
  }

  /** Rows of RGBA. */
  raw(): Promise<Buffer> {
    return this.#make("raw", (image) => image.ensureAlpha().raw().toBuffer());
  }

  #make(kind: "png" | "raw", make: (image: Sharp) => Promise<Buffer>): Promise<Buffer> {
    const drawing = draw(this.#phone);
    if (drawing !== this.#drawing) this.#made.clear();
    this.#drawing = drawing;
    const made = this.#made.get(kind) ?? make(sharp(Buffer.from(drawing)).flatten({ background: "#000000" }));
    this.#made.set(kind, made);
    return made;
  }
}

function draw(phone: Phone): string {
  const { width, height } = phone.size;
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="Roboto, DejaVu Sans">`;
  const windows = phone.isPictureHidden ? [] : phone.windows();
  const all = { x: 0, y: 0, width, height };
  const parts = windows.flatMap(({ views, bounds }) => views.map((view) => paint(view, clip(bounds, all) ?? all)));
  return `${open}<rect width="${width}" height="${height}" fill="#000"/>${parts.join("")}</svg>`;
}

function paint(view: View, within: Rect): string {
  const visible = clip(view.bounds, within);
  if (!visible) return "";
  const isCut = visible.height !== view.bounds.height || visible.width !== view.bounds.width;
  const content =
    box(view) + words(view) + icon(view) + (view.children ?? []).map((child) => paint(child, visible)).join("");
  if (!isCut) return content;
  // A nested drawing clips what extends beyond it.
  const { x, y, width, height } = visible;
  return `<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}">${content}</svg>`;
}

function box({ bounds: { x, y, width, height }, look }: View): string {
  if (look?.fill === undefined) return "";
  const line = look.line === undefined ? "" : ` stroke="${look.line}" stroke-width="3"`;
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${look.radius ?? 0}" fill="${look.fill}"${line}/>`;
}

function words({ bounds, text, look }: View): string {
  const shown = look?.shown ?? text ?? "";
  if (shown === "") return "";
  const size = look?.size ?? 40;
  const isMiddle = look?.align === "middle";
  const x = isMiddle ? bounds.x + bounds.width / 2 : bounds.x + (look?.fill === undefined ? 0 : size * 0.6);
  const lines = shown.split("\n");
  const top = lines.length === 1 ? bounds.y + bounds.height / 2 + size * 0.35 : bounds.y + size * 1.4;
  return lines
    .map((line, index) => {
      const y = top + index * size * 1.3;
      const anchor = isMiddle ? ' text-anchor="middle"' : "";
      return `<text x="${x}" y="${y}" font-size="${size}" fill="${look?.color ?? "#000"}"${anchor} xml:space="preserve">${escaped(line)}</text>`;
    })
    .join("");
}

function icon({ bounds: { x, y, width, height }, look }: View): string {
  if (look?.icon === undefined) return "";
  const side = Math.min(width, height);
  const at = `translate(${x + (width - side) / 2} ${y + (height - side) / 2}) scale(${side / 24})`;
  const stroke = look.line === undefined ? "" : ` stroke="${look.line}" stroke-width="3"`;
  return `<path transform="${at}" d="${look.icon}" fill="${look.color ?? "none"}"${stroke}/>`;
}

const escaped = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
