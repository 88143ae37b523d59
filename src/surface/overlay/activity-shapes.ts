import type { Rect, ScreenPoint } from "../../base/geometry.ts";
import type { Display, OverlayShape } from "../../platform/backend.ts";
import type { Rgba } from "../../vision/find-image/needle.ts";
import { paste, renderSvg, renderText } from "../../vision/render.ts";

/** How an action came out: what was seen, or that it failed. */
export type Outcome = "confirmed" | "no_change" | "unverifiable" | "failed";

export interface ActivityLook {
  /** Where the last action went. */
  readonly at?: ScreenPoint | undefined;
  readonly hasCursor?: boolean | undefined;
  /** How far the flash has come: 0 to 1. */
  readonly flash?: number | undefined;
  readonly outcome?: Outcome | undefined;
  /** What is being done, in one line. */
  readonly status?: string | undefined;
}

const badges: Readonly<Record<Outcome, { readonly colour: string; readonly sign: string }>> = {
  confirmed: { colour: "#00753c", sign: "M4.6 9.4 L7.8 12.4 L13.4 5.8" },
  no_change: { colour: "#5c6470", sign: "M5 9 H13" },
  unverifiable: { colour: "#b05200", sign: "M6.2 6.8 C6.2 3.2 11.8 3.2 11.8 6.6 C11.8 8.8 9 8.6 9 10.6 M9 13.2 V13.4" },
  failed: { colour: "#d3212d", sign: "M5.6 5.6 L12.4 12.4 M12.4 5.6 L5.6 12.4" },
};

const svg = (side: number, scale: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${side * scale}" height="${side * scale}" viewBox="0 0 ${side} ${side}">${content}</svg>`;

const badgeSide = 18;
const badgeSvg = (outcome: Outcome, scale: number): string => {
  const { colour, sign } = badges[outcome];
  return svg(
    badgeSide,
    scale,
    `<circle cx="9" cy="9" r="8.2" fill="${colour}" stroke="white" stroke-width="1.4"/>` +
      `<path d="${sign}" fill="none" stroke="white" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>`,
  );
};

const cursorSide = 24;
/** Its tip is at 2,2. */
const cursorSvg = (scale: number): string =>
  svg(
    cursorSide,
    scale,
    `<path d="M2 2 L20 9.4 L12.2 12.2 L9.4 20 Z" fill="#7c3aed" fill-opacity="0.85" stroke="white" stroke-width="1.8" stroke-linejoin="round"/>`,
  );

const flashSide = 64;
const flashSvg = (part: number, scale: number): string => {
  const [radius, width] = [8 + 20 * part, 4 - 2 * part];
  const ring = (colour: string, extra: number): string =>
    `<circle cx="32" cy="32" r="${radius}" fill="none" stroke="${colour}" stroke-width="${width + extra}"/>`;
  return svg(flashSide, scale, ring("white", 2) + ring("#7c3aed", 0));
};

/** What the overlay shows of an action on this display. */
export async function activityShapes(
  { at, hasCursor = false, flash, outcome, status }: ActivityLook,
  display: Display,
): Promise<readonly OverlayShape[]> {
  const { scale } = display;
  const shapes: OverlayShape[] = [];
  if (at && flash !== undefined) {
    shapes.push(centred(await drawing(flashSvg(flash, scale)), at));
  }
  if (at && hasCursor) shapes.push(placed(await drawing(cursorSvg(scale)), at.x - 2 * scale, at.y - 2 * scale));
  if (at && outcome) {
    shapes.push(placed(await drawing(badgeSvg(outcome, scale)), at.x + 18 * scale, at.y + 14 * scale));
  }
  if (status !== undefined) shapes.push(await statusShape(status, outcome, display));
  return shapes;
}

const gap = 8;
const fromEdge = 28;

async function statusShape(status: string, outcome: Outcome | undefined, { bounds, scale }: Display) {
  const text = await renderText(status, scale);
  const badge = outcome && (await drawing(badgeSvg(outcome, scale)));
  const [inner, height] = [Math.round(gap * scale), Math.round((badgeSide + 10) * scale)];
  const room = Math.round(badgeSide * scale) + inner;
  const width = Math.min(bounds.width, text.width + 2 * inner + room + inner);
  const pill = await renderSvg(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
      `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="${height / 3}" fill="#181c24" fill-opacity="0.94" stroke="white" stroke-opacity="0.9"/></svg>`,
  );
  if (badge) paste(pill, badge, { x: inner, y: Math.round((height - badge.height) / 2) });
  paste(pill, text, { x: inner + room, y: Math.round((height - text.height) / 2) });
  return placed(
    pill,
    bounds.x + (bounds.width - width) / 2,
    bounds.y + bounds.height - height - Math.round(fromEdge * scale),
  );
}

function placed({ data, width, height }: Rgba, x: number, y: number): OverlayShape {
  const rect: Rect = { x: Math.round(x), y: Math.round(y), width, height };
  return { kind: "picture", rect, rgba: data, size: { width, height } };
}

const centred = (picture: Rgba, { x, y }: ScreenPoint): OverlayShape =>
  placed(picture, x - picture.width / 2, y - picture.height / 2);

// A few per scale.
const mostDrawings = 100;
const drawings = new Map<string, Rgba>();

async function drawing(source: string): Promise<Rgba> {
  const known = drawings.get(source);
  if (known) return known;
  if (drawings.size >= mostDrawings) drawings.clear();
  const drawn = await renderSvg(source);
  drawings.set(source, drawn);
  return drawn;
}
