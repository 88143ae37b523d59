import type { SeenElement } from "../../eyes.ts";

/**
 * The nth in reading order, -1 for the last. "unclear" when the tree and the eye would count differently, or when
 * things of different kinds would be counted together.
 */
export function nthOf(elements: readonly SeenElement[], nth: number): SeenElement | "unclear" | undefined {
  const at = (all: readonly SeenElement[]): SeenElement | undefined => all.at(nth > 0 ? nth - 1 : nth);
  const chosen = at(elements);
  if (!chosen) return undefined;
  const isMixed = new Set(elements.map(({ role }) => role)).size > 1;
  return isMixed || at(readingOrder(elements)) !== chosen ? "unclear" : chosen;
}

/** Line by line; two things are on one line when their middles are. */
function readingOrder(elements: readonly SeenElement[]): readonly SeenElement[] {
  if (elements.some(({ bounds }) => !bounds)) return elements;
  const lines: SeenElement[][] = [];
  for (const element of elements.toSorted((a, b) => middle(a) - middle(b))) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line && first && middle(element) - middle(first) < (first.bounds?.height ?? 0) / 2) line.push(element);
    else lines.push([element]);
  }
  return lines.flatMap((line) => line.toSorted((a, b) => (a.bounds?.x ?? 0) - (b.bounds?.x ?? 0)));
}

const middle = ({ bounds }: SeenElement): number => (bounds ? bounds.y + bounds.height / 2 : 0);
