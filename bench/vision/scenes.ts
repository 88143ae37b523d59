import sharp, { type OverlayOptions } from "sharp";
import type { Rgba } from "../../src/vision/find-image/needle.ts";
import type { Rotation } from "../../src/vision/find-image/pattern.ts";

/** A tile that fills its square, an icon with transparent surroundings, and one of a single colour. */
export const iconKinds = ["tile", "icon", "glyph"] as const;
export type IconKind = (typeof iconKinds)[number];

export interface Icon {
  readonly kind: IconKind;
  readonly shapes: string;
}

export interface Scene {
  readonly screen: Rgba;
  readonly template: Rgba;
  readonly kind: IconKind;
  /** Where it is; undefined when it is not. */
  readonly truth:
    | { readonly x: number; readonly y: number; readonly size: number; readonly rotation: Rotation }
    | undefined;
}

export interface SceneOptions {
  readonly width: number;
  readonly height: number;
  readonly templateSize: number;
  readonly scale: readonly [number, number];
  readonly rotations: readonly Rotation[];
  readonly isPresent: boolean;
}

type Random = () => number;

/** The same numbers for the same seed, everywhere (mulberry32). */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = (next: Random, least: number, most: number): number => least + next() * (most - least);
const whole = (next: Random, least: number, most: number): number => Math.floor(between(next, least, most + 1));
const pick = <T>(next: Random, values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
const colour = (next: Random): string => `hsl(${whole(next, 0, 359)},${whole(next, 35, 90)}%,${whole(next, 20, 75)}%)`;

/** Symbols as app icons are: a few overlapping shapes in a square of 24 units. */
export function makeIcon(kind: IconKind, seed: number): Icon {
  const next = random(seed * 7919 + 13);
  const single = pick(next, ["#222", "#333", "#eee", "#1a73e8", "#d33"]);
  const ink = () => (kind === "glyph" ? single : colour(next));
  const shapes = Array.from({ length: whole(next, 3, 6) }, () => shape(next, ink()));
  const ground = kind === "tile" ? `<rect width="24" height="24" fill="${colour(next)}"/>` : "";
  const body = kind === "icon" ? `<rect x="2" y="2" width="20" height="20" rx="5" fill="${colour(next)}"/>` : "";
  return { kind, shapes: ground + body + shapes.join("") };
}

function shape(next: Random, ink: string): string {
  const point = () => `${between(next, 3, 21).toFixed(1)},${between(next, 3, 21).toFixed(1)}`;
  const thickness = between(next, 1.5, 3).toFixed(1);
  switch (whole(next, 0, 4)) {
    case 0:
      return `<circle cx="${whole(next, 6, 18)}" cy="${whole(next, 6, 18)}" r="${whole(next, 2, 5)}" fill="${ink}"/>`;
    case 1:
      return `<circle cx="${whole(next, 7, 17)}" cy="${whole(next, 7, 17)}" r="${whole(next, 3, 6)}" fill="none" stroke="${ink}" stroke-width="${thickness}"/>`;
    case 2:
      return `<rect x="${whole(next, 3, 12)}" y="${whole(next, 3, 12)}" width="${whole(next, 3, 9)}" height="${whole(next, 3, 9)}" fill="${ink}"/>`;
    case 3:
      return `<polygon points="${point()} ${point()} ${point()}" fill="${ink}"/>`;
    default:
      return `<polyline points="${point()} ${point()} ${point()}" fill="none" stroke="${ink}" stroke-width="${thickness}"/>`;
  }
}

const draw = ({ shapes }: Icon, size: number, rotation = 0): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 24 24"><g transform="rotate(${rotation} 12 12)">${shapes}</g></svg>`;

export async function renderIcon(icon: Icon, size: number, rotation = 0): Promise<Rgba> {
  const { data, info } = await sharp(Buffer.from(draw(icon, size, rotation)))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

const words =
  "File Edit View Insert Format Tools Help Save Open Close New Search Replace settings profile account total amount invoice customer report draft inbox sent archive const return function value index length static import".split(
    " ",
  );

/** A screen full of windows, text, buttons, a photograph and other icons, and somewhere among them the one. */
export async function makeScene(seed: number, options: SceneOptions): Promise<Scene> {
  const next = random(seed + 1);
  const { width, height, templateSize } = options;
  const kind = iconKinds[seed % iconKinds.length] as IconKind;
  const icon = makeIcon(kind, seed + 1000);
  const background = await sharp(Buffer.from(drawDesktop(next, width, height)))
    .png({ compressionLevel: 0 })
    .toBuffer();
  const layers: OverlayOptions[] = [photograph(next, width, height)];
  for (let count = 0; count < Math.round((width * height) / 25_000); count++) {
    const size = whole(next, 16, 72);
    const other = makeIcon(pick(next, iconKinds), 5000 + seed * 100 + count);
    layers.push({
      input: Buffer.from(draw(other, size, pick(next, [0, 90, 180, 270]))),
      left: whole(next, 0, width - size),
      top: whole(next, 0, height - size),
    });
  }
  const size = Math.round(templateSize * between(next, ...options.scale));
  const rotation = pick(next, options.rotations);
  const truth = { x: whole(next, 4, width - size - 4), y: whole(next, 4, height - size - 4), size, rotation };
  if (options.isPresent) {
    // On a plain patch, as toolbars and docks are; a glyph needs a ground it can be seen on.
    const isDark = /#(222|333|1a73e8|d33)/.test(icon.shapes);
    const patch = kind === "glyph" && !isDark ? "#2b2b33" : pick(next, ["#ffffff", "#f0f0f0", "#dfe6ee"]);
    layers.push({
      input: Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${size + 8}" height="${size + 8}"><rect width="100%" height="100%" fill="${patch}"/></svg>`,
      ),
      left: truth.x - 4,
      top: truth.y - 4,
    });
    layers.push({ input: Buffer.from(draw(icon, size, rotation)), left: truth.x, top: truth.y });
  }
  const { data } = await sharp(background).composite(layers).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    screen: { width, height, data },
    template: await renderIcon(icon, templateSize),
    kind,
    truth: options.isPresent ? truth : undefined,
  };
}

function drawDesktop(next: Random, width: number, height: number): string {
  const isDark = next() < 0.4;
  const parts = [`<rect width="${width}" height="${height}" fill="${isDark ? "#1d2027" : "#e9ecf1"}"/>`];
  for (let window = 0; window < 4; window++) {
    const [w, h] = [whole(next, width / 4, width / 2), whole(next, height / 4, height / 1.6)];
    const [x, y] = [whole(next, 0, width - w), whole(next, 0, height - h)];
    const [paper, ink] = next() < 0.4 ? ["#26292f", "#d8dade"] : ["#ffffff", "#20242a"];
    parts.push(`<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${paper}" stroke="#8884"/>`);
    parts.push(`<rect x="${x}" y="${y}" width="${w}" height="28" fill="${colour(next)}"/>`);
    const fontSize = whole(next, 11, 15);
    for (let line = 0; line < (h - 50) / (fontSize * 1.6); line++) {
      const text = Array.from({ length: Math.max(1, Math.floor(w / (fontSize * 5))) }, () => pick(next, words)).join(
        " ",
      );
      const top = y + 48 + line * fontSize * 1.6;
      if (next() < 0.75) {
        parts.push(
          `<text x="${x + 10}" y="${top}" font-family="DejaVu Sans" font-size="${fontSize}" fill="${ink}">${text}</text>`,
        );
      } else {
        parts.push(
          `<rect x="${x + 10}" y="${top - fontSize}" width="${whole(next, 50, 140)}" height="${fontSize + 6}" rx="4" fill="${colour(next)}"/>`,
        );
      }
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${parts.join("")}</svg>`;
}

/** Soft shapes with grain, a quarter of the screen. */
function photograph(next: Random, screenWidth: number, screenHeight: number): OverlayOptions {
  const [width, height] = [Math.round(screenWidth / 3), Math.round(screenHeight / 2.5)];
  const bytes = new Uint8Array(width * height * 3);
  const [a, b, c] = [between(next, 20, 90), between(next, 10, 60), between(next, 5, 40)];
  for (let index = 0; index < width * height; index++) {
    const [x, y] = [index % width, Math.floor(index / width)];
    const hills = 60 * Math.sin(x / a + Math.sin(y / b)) + 40 * Math.sin((x + 2 * y) / c) + (next() - 0.5) * 30;
    bytes[index * 3] = clamp(120 + hills);
    bytes[index * 3 + 1] = clamp(110 + hills * 0.7);
    bytes[index * 3 + 2] = clamp(90 - hills * 0.5);
  }
  const left = whole(next, 0, screenWidth - width);
  return {
    input: Buffer.from(bytes.buffer),
    raw: { width, height, channels: 3 },
    left,
    top: whole(next, 0, screenHeight - height),
  };
}

const clamp = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));
