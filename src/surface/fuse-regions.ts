import {
  centre,
  contains,
  intersect,
  overlapArea,
  type Rect,
  type RectSpace,
  type ScreenPoint,
  type SpacedRect,
} from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import { pointOf } from "./find-element.ts";
import { hash, stableIds } from "./identity.ts";
import type { Region, RegionSource } from "./regions.ts";

/** Text, a shape or a known picture seen in the pixels. */
export interface Sighting<Space extends RectSpace = "screen"> {
  readonly text: string;
  readonly confidence: number;
  readonly box: SpacedRect<Space>;
}

export interface Sightings extends Seen {
  readonly nodes: readonly UiNode[];
}

/** What was seen in the pixels. */
export interface Seen {
  /** Template images that were found, by name. */
  readonly templates: readonly Sighting[];
  readonly texts: readonly Sighting[];
  readonly shapes: readonly Sighting[];
}

export interface FuseOptions {
  /** Where the nodes come from. */
  readonly nodeSource?: "accessibility" | "dom" | undefined;
  /** The part of the screen that was captured. */
  readonly view: Rect;
  readonly maxRegions: number;
  /** Stable names of the nodes, by runtime id. */
  readonly keys?: ReadonlyMap<string, string> | undefined;
  /** The previous set, so that ids can be kept. */
  readonly previous?: readonly Region[] | undefined;
  /** The window at a point; its content moves with it. */
  readonly anchorAt?: ((point: ScreenPoint) => Anchor | undefined) | undefined;
}

export interface Anchor {
  readonly corner: { readonly x: number; readonly y: number };
  /** How far the window has moved since the previous set. */
  readonly moved?: { readonly x: number; readonly y: number } | undefined;
}

export interface Fused {
  readonly regions: readonly Region[];
  /** Found but left out for the budget. */
  readonly cut: number;
}

// Below this confidence, most "text" is an icon misread as letters.
const legible = 0.6;

type Draft = Omit<Region, "number" | "id"> & { readonly key?: string | undefined };

/** Merges the tree, known templates, text and control-like shapes into one set without duplicates. */
export function fuse({ nodes, templates, texts, shapes }: Sightings, options: FuseOptions): Fused {
  const { view, maxRegions, nodeSource = "accessibility", keys = stableIds(nodes) } = options;
  const leaves = nodes.filter((node) => !isContainer(node) && node.bounds && isSeen(node, view));
  const elements = elementDrafts(leaves, keys, nodeSource);
  const known = distinct(
    templates
      .filter(({ box }) => !elements.some(({ rect }) => isSamePlace(rect, box) || contains(box, centre(rect))))
      .map((hit) => draftOf(hit, hit.box, "template", "image")),
  );
  const taken = [...leaves.flatMap(({ bounds }) => bounds ?? []), ...known.map(({ rect }) => rect)];
  const sure = texts.filter(({ confidence }) => confidence >= legible);
  const free = sure.filter(({ box }) => !taken.some((place) => contains(place, centre(box))));
  const widgets = shapes.filter(({ box }) => !taken.some((place) => collides(place, box)));
  const named = free.map((text): Draft => {
    const around = widgets.find(({ box }) => isLabelOf(text.box, box));
    return draftOf(text, around?.box ?? text.box, "ocr", around ? "button" : "text");
  });
  const bare = widgets
    .filter(
      ({ box }) =>
        !named.some(({ rect }) => collides(rect, box)) && !free.some((text) => contains(text.box, centre(box))),
    )
    .map((shape) => draftOf(shape, shape.box, "heuristic", shape.text));
  const all = [...elements, ...known, ...distinct(named), ...bare];
  const kept = all.slice(0, maxRegions);
  const ids = identify(kept, options);
  return {
    regions: inReadingOrder(kept).map((draft, index) => toRegion(draft, index + 1, ids.get(draft) ?? "")),
    cut: all.length - kept.length,
  };
}

function toRegion({ rect, point, role, name, source, confidence, node }: Draft, number: number, id: string): Region {
  return { number, id, rect, point, role, name, source, confidence, node };
}

const containers: ReadonlySet<string> = new Set([
  "application",
  "window",
  "dialog",
  "alert",
  "group",
  "toolbar",
  "statusbar",
  "menubar",
  "menu",
  "scrollarea",
  "tablist",
  "list",
  "tree",
  "table",
  "canvas",
  "document",
  "unknown",
  "separator",
  "image",
  "paragraph",
]);

/** Containers cover other things; text inside one is a region of its own. */
const isContainer = ({ role, actions }: UiNode): boolean => containers.has(role) && !actions.includes("press");

const isSeen = (node: UiNode, view: Rect): boolean =>
  node.states.includes("showing") && node.bounds !== undefined && intersect(node.bounds, view) !== undefined;

const passive: ReadonlySet<string> = new Set([
  "text",
  "heading",
  "progressbar",
  "scrollbar",
  "tooltip",
  "columnheader",
]);

function elementDrafts(
  leaves: readonly UiNode[],
  keys: ReadonlyMap<string, string>,
  source: "accessibility" | "dom",
): readonly Draft[] {
  const usable = leaves.filter(
    ({ role, actions, states }) =>
      actions.some((action) => action !== "focus" && action !== "scroll_into_view") ||
      (!passive.has(role) && (states.includes("focusable") || states.includes("editable"))),
  );
  const drafts = usable.flatMap((node): Draft[] => {
    const point = pointOf(node);
    if (!node.bounds || !point) return [];
    const name = node.name || node.description || "";
    const draft = { rect: node.bounds, point, role: node.role, name, source, confidence: 1 } as const;
    return [{ ...draft, node, key: keys.get(node.runtimeId) }];
  });
  return distinct(drafts);
}

/** A cell inside its row, or a label inside its button, in the same place: keep only the first. */
function distinct(drafts: readonly Draft[]): readonly Draft[] {
  const kept: Draft[] = [];
  for (const draft of drafts) {
    if (!kept.some(({ rect }) => isSamePlace(rect, draft.rect))) kept.push(draft);
  }
  return kept;
}

function isSamePlace(a: Rect, b: Rect): boolean {
  const common = overlapArea(a, b);
  return common / (a.width * a.height + b.width * b.height - common) > 0.8;
}

function collides(a: Rect, b: Rect): boolean {
  return contains(a, centre(b)) || contains(b, centre(a)) || overlapArea(a, b) > 0.3 * b.width * b.height;
}

/**
 * A label fills a good part of its button; a word in a panel does not make the panel a button. Sizes are relative to
 * the text height, which scales with the display density.
 */
const isLabelOf = (text: Rect, box: Rect): boolean =>
  contains(box, centre(text)) &&
  overlapArea(text, box) > 0.8 * text.width * text.height &&
  box.height < text.height * 4 &&
  box.width < text.width + text.height * 15;

function draftOf({ text, confidence }: Sighting, rect: Rect, source: RegionSource, role: string): Draft {
  return { rect, point: centre(rect), role, name: source === "heuristic" ? "" : text, source, confidence };
}

/** Rows from top to bottom, each from left to right. Things are in the same row when their centres are level. */
function inReadingOrder(drafts: readonly Draft[]): readonly Draft[] {
  const rows: { top: number; bottom: number; members: Draft[] }[] = [];
  for (const draft of drafts.toSorted((a, b) => a.rect.y - b.rect.y || a.rect.x - b.rect.x)) {
    const { y, height } = draft.rect;
    const middle = y + height / 2;
    const row = rows.find(({ top, bottom }) => middle >= top && middle < bottom && (top + bottom) / 2 < y + height);
    if (row) row.members.push(draft);
    else rows.push({ top: y, bottom: y + height, members: [draft] });
  }
  return rows
    .toSorted((a, b) => a.top - b.top)
    .flatMap(({ members }) => members.toSorted((a, b) => a.rect.x - b.rect.x || a.rect.y - b.rect.y));
}

// Farther apart than this, the same text is a different thing.
const nearEnough = 60;

function identify(drafts: readonly Draft[], { previous = [], anchorAt, view }: FuseOptions): Map<Draft, string> {
  const ids = new Map<Draft, string>();
  const taken = new Set<string>();
  const give = (draft: Draft, wanted: string): void => {
    let id = wanted;
    for (let copy = 2; taken.has(id); copy++) id = `${wanted}${copy}`;
    taken.add(id);
    ids.set(draft, id);
  };
  const elements = drafts.filter(({ key }) => key !== undefined);
  // Two windows of an app may contain elements with the same name; each keeps its id, whichever window is in front.
  const known = new Map(previous.map(({ node, id }) => [node?.runtimeId, id]));
  const isKnown = ({ node, key }: Draft): boolean => known.get(node?.runtimeId)?.startsWith(`r${key}`) ?? false;
  for (const draft of elements.filter(isKnown)) give(draft, known.get(draft.node?.runtimeId) ?? "");
  for (const draft of elements.filter((each) => !isKnown(each))) give(draft, `r${draft.key}`);
  for (const draft of drafts) {
    if (draft.key !== undefined) continue;
    const { corner, moved } = anchorAt?.(draft.point) ?? { corner: view };
    const before = previous
      .filter(({ source, name, id, node }) => !node && source === draft.source && name === draft.name && !taken.has(id))
      .map((region) => ({ region, far: distance(region.point, draft.point, moved) }))
      .filter(({ far }) => far <= nearEnough)
      .toSorted((a, b) => a.far - b.far)[0];
    const place = `${Math.round((draft.rect.x - corner.x) / 16)},${Math.round((draft.rect.y - corner.y) / 16)}`;
    give(draft, before?.region.id ?? `r${hash(`${draft.source}|${draft.name}|${place}`)}`);
  }
  return ids;
}

const distance = (then: ScreenPoint, now: ScreenPoint, moved = { x: 0, y: 0 }): number =>
  Math.hypot(now.x - then.x - moved.x, now.y - then.y - moved.y);
