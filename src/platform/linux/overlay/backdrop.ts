import type { Size } from "../../../base/geometry.ts";
import type { Connection } from "../x11/connection.ts";
import { nameWindowPixmap } from "../x11/extensions.ts";
import {
  configureWindow,
  createWindow,
  destroyWindow,
  freePixmap,
  getProperty,
  getSelectionOwner,
  mapWindow,
  toNumbers,
} from "../x11/requests.ts";

/** Programs that set the picture behind all windows name it here, for those that draw it themselves. */
const pictureProperty = "_XROOTPMAP_ID";
const parentRelative = 1;
const lowest = 1;

interface Backdrop extends Size {
  /** The picture that was behind the windows when this was made. */
  readonly of: number;
  readonly pixmap: number;
}

const backdrops = new WeakMap<Connection, Backdrop>();

/**
 * The bare screen behind all windows, as a pixmap of its size; undefined when a compositor draws it and nobody says
 * what. The server gives nobody the background of a window, but a window can take over that of its parent: it is
 * mapped once, below all others, and its picture outlives it.
 */
export async function findBackdrop(c: Connection, size: Size): Promise<number | undefined> {
  const [property, compositor] = await Promise.all([
    c.atom(pictureProperty).then((atom) => getProperty(c, c.root, atom)),
    c.atom(`_NET_WM_CM_S${c.setup.screenNumber}`).then((atom) => getSelectionOwner(c, atom)),
  ]);
  const [of = 0] = toNumbers(property);
  if (compositor !== 0) return of === 0 ? undefined : of;
  const known = backdrops.get(c);
  if (known?.of === of && known.width === size.width && known.height === size.height) return known.pixmap;
  if (known) freePixmap(c, known.pixmap);
  backdrops.delete(c);
  const window = createWindow(c, {
    x: 0,
    y: 0,
    ...size,
    values: { backgroundPixmap: parentRelative, overrideRedirect: 1 },
  });
  try {
    await configureWindow(c, window, { stackMode: lowest });
    mapWindow(c, window);
    const pixmap = await nameWindowPixmap(c, window);
    backdrops.set(c, { ...size, of, pixmap });
    return pixmap;
  } finally {
    destroyWindow(c, window);
  }
}
