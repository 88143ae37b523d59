import { below, type XmlElement } from "./xml.ts";

/**
 * What is in front on each display, from a dump of all windows; from one of a single window, which does not say where it
 * is, that window on the first display.
 */
export function frontOfDisplays(elements: readonly XmlElement[]): ReadonlyMap<number, readonly XmlElement[]> {
  const fronts = new Map<number, readonly XmlElement[]>();
  for (const [index, { name, attributes }] of elements.entries()) {
    if (name !== "display") continue;
    const front = frontOf(elements, index);
    if (front !== undefined) fronts.set(Number(attributes.get("id")), below(elements, front));
  }
  return fronts.size > 0 ? fronts : new Map([[0, elements]]);
}

/** The window with the focus, or else the topmost of an app: keyboards and bars are over it, and not what it is about. */
function frontOf(elements: readonly XmlElement[], display: number): number | undefined {
  const windows = elements.flatMap(({ name, parent, attributes }, index) =>
    name === "window" && parent === display ? [{ index, get: (key: string) => attributes.get(key) ?? "" }] : [],
  );
  const byLayer = windows.toSorted((a, b) => Number(b.get("layer")) - Number(a.get("layer")));
  const front =
    windows.find(({ get }) => get("focused") === "true") ??
    windows.find(({ get }) => get("active") === "true") ??
    byLayer.find(({ get }) => /app/i.test(get("type"))) ??
    byLayer[0];
  return front?.index;
}
