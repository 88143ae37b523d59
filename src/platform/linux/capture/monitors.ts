import { intersect, type Rect } from "../../../base/geometry.ts";
import type { Display } from "../../backend.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { scalesOf } from "./monitor-scale.ts";
import { findExtension, getMonitors, type Monitor } from "../x11/extensions.ts";
import { getAtomName, getGeometry, getProperty, predefined } from "../x11/requests.ts";

/** The whole virtual screen. Not cached: it changes when displays are added, removed or rotated. */
export async function getRootBounds(c: Connection, options?: RequestOptions): Promise<Rect> {
  const { width, height } = await getGeometry(c, c.root, options);
  return { x: 0, y: 0, width, height };
}

/** RANDR's monitors, or the root window as the only one if the server has no RANDR. */
export async function listDisplays(c: Connection, options?: RequestOptions): Promise<readonly Display[]> {
  const [monitors, common, root] = await Promise.all([
    findMonitors(c, options),
    getScale(c, options),
    getRootBounds(c, options),
  ]);
  if (monitors.length === 0) return [{ id: 1, name: "screen", bounds: root, isPrimary: true, scale: common }];
  const scales = scalesOf(monitors, common);
  const names = await Promise.all(
    monitors.map(({ name }) => c.memo(`atom name ${name}`, () => getAtomName(c, name, options))),
  );
  const primary = Math.max(
    0,
    monitors.findIndex(({ isPrimary }) => isPrimary),
  );
  return monitors.map(({ x, y, width, height }, index) => ({
    id: index + 1,
    name: names[index] ?? "",
    bounds: { x, y, width, height },
    isPrimary: index === primary,
    scale: scales[index] ?? common,
  }));
}

async function findMonitors(c: Connection, options?: RequestOptions): Promise<readonly Monitor[]> {
  const randr = await findExtension(c, "RANDR");
  const hasMonitors = randr && (randr.major > 1 || (randr.major === 1 && randr.minor >= 5));
  return hasMonitors ? getMonitors(c, options) : [];
}

/** Desktops advertise the scale as Xft.dpi in the X resources; 96 is 1×. */
async function getScale(c: Connection, options?: RequestOptions): Promise<number> {
  const resources = await getProperty(c, c.root, predefined.resourceManager, options);
  const dpi = Number(/^Xft\.dpi:\s*([\d.]+)/m.exec(resources?.value.toString("latin1") ?? "")?.[1]);
  return dpi > 0 ? Math.round((dpi / 96) * 100) / 100 : 1;
}

/** The display that shows most of the rectangle. */
export function findDisplay(displays: readonly Display[], rect: Rect): Display | undefined {
  const shown = (display: Display) => {
    const part = intersect(display.bounds, rect);
    return part ? part.width * part.height : 0;
  };
  return displays
    .filter((display) => shown(display) > 0)
    .reduce<Display | undefined>((best, next) => (best && shown(best) >= shown(next) ? best : next), undefined);
}
