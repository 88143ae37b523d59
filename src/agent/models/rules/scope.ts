import type { SeenElement } from "../../eyes.ts";
import { plain } from "./plain.ts";
import { places, type Place } from "./target.ts";

/** Below the element with that name, or on the same line. */
export function inside(elements: readonly SeenElement[], name: string): readonly SeenElement[] {
  const asked = plain(name);
  const holders = elements.flatMap((element, index) => (plain(element.name) === asked ? [{ element, index }] : []));
  const below = holders.flatMap(({ element, index }) => {
    const end = elements.findIndex(({ depth }, at) => at > index && depth <= element.depth);
    return elements.slice(index + 1, end < 0 ? undefined : end);
  });
  if (below.length > 0) return below;
  return elements.filter((element) =>
    holders.some(({ element: holder }) => holder !== element && sameLine(holder, element)),
  );
}

function sameLine({ bounds: a }: SeenElement, { bounds: b }: SeenElement): boolean {
  if (!a || !b) return false;
  const shared = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return shared > Math.min(a.height, b.height) / 2;
}

/** Those that are in a container of that kind. */
export function within(
  elements: readonly SeenElement[],
  matches: readonly SeenElement[],
  place: Place,
): readonly SeenElement[] {
  const kinds: readonly string[] = places[place];
  const isIn = (match: SeenElement): boolean => {
    let { depth } = match;
    for (let index = elements.indexOf(match) - 1; index >= 0 && depth > 0; index--) {
      const outer = elements[index];
      if (!outer || outer.depth >= depth) continue;
      ({ depth } = outer);
      if (kinds.includes(outer.role)) return true;
    }
    return false;
  };
  return matches.filter(isIn);
}
