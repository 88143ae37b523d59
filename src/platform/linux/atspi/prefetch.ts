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
  /** Elements inside a control neither scroll nor move by themselves. */
  readonly isInControl: boolean;
  readonly kept: Kept | undefined;
}

/**
 * The places of everything visible that is known from the cache, in one burst instead of one per level. A place costs
 * the program more than everything else about an element together (GTK 3 asks the X server each time), so for long
 * rows and columns without layout changes only both ends are read.
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
    // A popover of a button closes although the button stays where it is.
    const mayHavePopup = quirksOf(app.toolkit).placesPopupsAtOpener && family.children.length > 1;
    const isInControl = !mayHavePopup && controls.has(roleOf(cache.elements.get(family.parent)?.role ?? 0));
    return { family, isInControl, kept: app.knownBounds?.recall(family) };
  });
  await ask(plans.flatMap(firstQuestions));
  // Parents come before their children, so by now the place of a control is known, or known to have changed.
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
  // Whole levels, as in the walk, which decides what the budget cuts.
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

/** False, and nothing is recalled, when the fresh places differ from the known ones. */
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

// Containers that move their few children around (panes, overlays, pages, scroll areas) are always read in full.
const long = 12;

/** Whether the places form a line: then none can move without one of its neighbours changing. */
function isLongLine(places: readonly (Rect | undefined)[]): boolean {
  if (places.length < long) return false;
  const follow = (side: "x" | "y"): boolean =>
    places.every(
      (place, index) => index === 0 || (place?.[side] ?? -Infinity) > (places[index - 1]?.[side] ?? Infinity),
    );
  return follow("x") || follow("y");
}
