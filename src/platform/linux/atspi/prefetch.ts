import type { Rect } from "../../../base/geometry.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import type { App } from "./app.ts";
import { hasPlace, mayShow, readExtents, type Cache } from "./element.ts";
import { roleOf } from "./names.ts";
import type { Family, Kept } from "./known-bounds.ts";
import { pooled } from "./pool.ts";
import { quirksOf } from "./quirks.ts";

export interface PrefetchOptions extends BusCallOptions {
  readonly maxNodes: number;
}

interface Plan {
  readonly family: Family;
  /** What is inside a control neither scrolls nor moves by itself. */
  readonly isInControl: boolean;
  readonly kept: Kept | undefined;
}

/**
 * The places of everything known from the cache that shows, in one burst instead of one per level. A place costs the
 * program more than all else about an element together (GTK 3 asks the X server each time), so the long rows and
 * columns that have not been laid out anew are asked for at both ends only.
 */
export async function prefetchPlaces(
  app: App,
  cache: Cache,
  roots: readonly string[],
  options: PrefetchOptions,
): Promise<Map<string, Rect | undefined>> {
  const found = new Map<string, Rect | undefined>();
  const ask = (paths: readonly string[]) =>
    pooled(paths, async (path) => {
      found.set(path, await readExtents(app, path, options));
    });
  const since = app.knownBounds?.clock ?? 0;
  const plans = listFamilies(app, cache, roots, options.maxNodes).map((family): Plan => {
    const isInControl = controls.has(roleOf(cache.elements.get(family.parent)?.role ?? 0));
    return { family, isInControl, kept: app.knownBounds?.recall(family) };
  });
  await ask(plans.flatMap(firstQuestions));
  // Parents come before their children, so the place of a control is known by then, or known to have changed.
  const stale = plans.filter((plan) => plan.kept && !recallAll(plan, plan.kept, found));
  await ask(stale.flatMap(({ family }) => family.children));
  for (const { family, isInControl } of [...plans.filter(({ kept }) => !kept), ...stale]) {
    const places = family.children.map((child) => found.get(child));
    const kept = { parentPlace: found.get(family.parent), places };
    if (isInControl ? kept.parentPlace : isLongLine(places)) app.knownBounds?.keep(family, kept, since);
  }
  return found;
}

const controls = new Set(["button", "togglebutton", "checkbox", "radio"]);

function listFamilies(app: App, cache: Cache, roots: readonly string[], maxNodes: number): readonly Family[] {
  const { tellsShowing } = quirksOf(app.toolkit);
  const families: Family[] = [];
  let level = roots;
  // Whole levels, as a walk takes them: what the budget cuts is decided there.
  for (let count = 0; level.length > 0 && count < maxNodes;) {
    const next: string[] = [];
    for (const parent of level) {
      const children: string[] = [];
      for (const child of cache.children.get(parent) ?? []) {
        const element = cache.elements.get(child);
        if (!element || (tellsShowing && !mayShow(element))) continue;
        if (hasPlace(element)) children.push(child);
        next.push(child);
      }
      count += children.length;
      if (children.length > 0) families.push({ parent, children });
    }
    level = next;
  }
  return families;
}

function firstQuestions({ family: { children }, isInControl, kept }: Plan): readonly string[] {
  if (!kept) return children;
  return isInControl ? [] : [children[0] as string, children.at(-1) as string];
}

/** False, and nothing recalled, when what was asked anew is not where it was. */
function recallAll({ family, isInControl }: Plan, kept: Kept, found: Map<string, Rect | undefined>): boolean {
  const { parent, children } = family;
  const isAt = (path: string | undefined, place: Rect | undefined): boolean =>
    path !== undefined && place !== undefined && isSame(found.get(path), place);
  const isStill = isInControl
    ? isAt(parent, kept.parentPlace)
    : isAt(children[0], kept.places[0]) && isAt(children.at(-1), kept.places.at(-1));
  if (isStill) children.forEach((child, index) => found.set(child, kept.places[index]));
  return isStill;
}

const isSame = (a: Rect | undefined, b: Rect): boolean =>
  a?.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

// Boxes that move their few children about (panes, overlays, pages, what scrolls) are always asked for in full.
const long = 12;

/** Whether the places follow each other: then none can move without one of its neighbours changing. */
function isLongLine(places: readonly (Rect | undefined)[]): boolean {
  if (places.length < long) return false;
  const follow = (side: "x" | "y"): boolean =>
    places.every(
      (place, index) => index === 0 || (place?.[side] ?? -Infinity) > (places[index - 1]?.[side] ?? Infinity),
    );
  return follow("x") || follow("y");
}
