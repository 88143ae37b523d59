import { below, type XmlElement } from "./xml.ts";

/**
 * The window in front on each display, from a dump of all windows. A dump of a single window does not say where it
 * is, so that window counts as being on the first display.
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

/** The window with the focus, or the topmost one of an app: keyboards and bars above it do not count. */
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
