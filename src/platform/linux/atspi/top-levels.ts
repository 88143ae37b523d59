import type { Rect } from "../../../base/geometry.ts";
import type { WindowDetails } from "../windows/details.ts";
import type { App } from "./app.ts";
import type { Element } from "./element.ts";

/** A top-level element of a program and its X window. */
export interface TopLevel {
  readonly path: string;
  readonly windowId: number | undefined;
  /** Screen pixels for each of the program's. */
  readonly scale: number;
  readonly toScreen: (rect: Rect) => Rect;
  readonly fromScreen: (point: { readonly x: number; readonly y: number }) => {
    readonly x: number;
    readonly y: number;
  };
}

export interface Frame {
  readonly element: Element;
  readonly extents: Rect | undefined;
}

/** Matches each top-level element of a program with its window: by title first, then by size. */
export function matchTopLevels(
  app: App,
  frames: readonly Frame[],
  windows: readonly WindowDetails[],
): readonly TopLevel[] {
  const own = windows.filter(({ info }) => info.pid === app.pid);
  const pairs = frames
    .flatMap((frame) => own.map((window) => ({ frame, window, score: score(frame, window) })))
    .filter((pair) => pair.score > 0)
    .sort((a, b) => b.score - a.score);
  const windowOf = new Map<Frame, WindowDetails>();
  const taken = new Set<WindowDetails>();
  for (const { frame, window } of pairs) {
    if (windowOf.has(frame) || taken.has(window)) continue;
    windowOf.set(frame, window);
    taken.add(window);
  }
  return frames.map((frame) => toTopLevel(app, frame, windowOf.get(frame)));
}

function score({ element, extents }: Frame, { info, client, isManaged }: WindowDetails): number {
  const sameTitle = element.name !== "" && element.name === info.title ? 4 : 0;
  if (!extents) return sameTitle;
  // Toolkits use logical pixels, with or without the title bar, so only the shape can be compared.
  const ratio = extents.width / extents.height / (client.width / client.height);
  const sameShape = ratio > 0.8 && ratio < 1.25 ? 2 : 0;
  const sameSize = Math.abs(extents.width - client.width) <= 4 ? 1 : 0;
  return sameTitle + sameShape + sameSize - (isManaged ? 0 : 1);
}

function toTopLevel(app: App, { element: { path }, extents }: Frame, window: WindowDetails | undefined): TopLevel {
  const windowId = window?.info.id;
  const identity = {
    path,
    windowId,
    scale: 1,
    toScreen: (rect: Rect) => rect,
    fromScreen: (point: { x: number; y: number }) => point,
  };
  if (!window || !extents) return identity;
  const scale = snapScale(window.client.width / extents.width, app);
  if (app.toolkit === "chromium") app.pageScale = scale;
  switch (app.toolkit) {
    case "gtk4":
      return { path, windowId, scale, ...shift(scale, gtk4Origin(window, extents, scale), { x: 0, y: 0 }) };
    case "qt5":
    case "qt6":
      // With several screens Qt scales each from its own corner; relative to the window it is always right.
      return scale === 1 ? identity : { path, windowId, scale, ...shift(scale, window.client, extents) };
    default:
      return scale === 1 ? identity : { path, windowId, scale, ...shift(scale, { x: 0, y: 0 }, { x: 0, y: 0 }) };
  }
}

/** GTK 4 counts from the corner of the window's content; the X window may include a shadow around it. */
function gtk4Origin({ client, info: { bounds }, isManaged }: WindowDetails, extents: Rect, scale: number) {
  const margin = { x: client.width - extents.width * scale, y: client.height - extents.height * scale };
  // Client-side decorations: the visible window is smaller than the X window by the shadow.
  const hasShadow = isManaged && (bounds.width < client.width || bounds.height < client.height);
  const top = hasShadow ? bounds.y - client.y : Math.round(margin.y / 2);
  return { x: client.x + Math.round(margin.x / 2), y: client.y + top };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export function shift(scale: number, screen: Point, own: Point): Pick<TopLevel, "toScreen" | "fromScreen"> {
  return {
    toScreen: ({ x, y, width, height }) => ({
      x: Math.round(screen.x + (x - own.x) * scale),
      y: Math.round(screen.y + (y - own.y) * scale),
      width: Math.round(width * scale),
      height: Math.round(height * scale),
    }),
    fromScreen: ({ x, y }) => ({
      x: Math.floor((x - screen.x) / scale + own.x),
      y: Math.floor((y - screen.y) / scale + own.y),
    }),
  };
}

const fractional = new Set(["qt5", "qt6", "chromium"]);

/** Frames and rounding make the measured ratio inexact: 1800 ÷ 901 means 2. GTK scales by whole numbers only. */
function snapScale(measured: number, { toolkit }: App): number {
  const step = fractional.has(toolkit) ? 0.25 : 1;
  const snapped = Math.max(step, Math.round(measured / step) * step);
  if (step === 1) return Math.max(1, Math.round(measured));
  return Math.abs(measured - snapped) < 0.02 ? snapped : measured;
}
