import type { Rect } from "../../../base/geometry.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import type { WindowDetails } from "../windows/details.ts";
import type { App } from "./app.ts";
import { readExtents, readParent, topLevelOf, type Element } from "./element.ts";
import { roleNumber } from "./names.ts";
import { quirksOf } from "./quirks.ts";
import { shift, type TopLevel } from "./top-levels.ts";

/** An element that may be shown in a window of its own, and the one around it. */
interface Placed {
  readonly element: Element;
  readonly extents: Rect;
  /** The place of the element that opened it. */
  readonly around: Rect;
}

// The frame of a popover is drawn in its window, above and beside its content.
const widestFrame = 40;
const rounding = 2;

/**
 * The windows that a program shows beside its top levels: popovers, lists and tips. GTK 4 reports their content as if it
 * were at the corner of what opened it; only the window says where it is.
 */
export class Popups {
  readonly #app: App;
  readonly #free: WindowDetails[];

  constructor(app: App, topLevels: readonly TopLevel[], windows: readonly WindowDetails[]) {
    const taken = new Set(topLevels.map(({ windowId }) => windowId));
    this.#app = app;
    this.#free = quirksOf(app.toolkit).placesPopupsAtOpener
      ? windows.filter(({ info, isManaged }) => info.pid === app.pid && !isManaged && !taken.has(info.id))
      : [];
  }

  /** Where the element is shown, if that is a window of its own; "closed" when that window is not on the screen. */
  claim(placed: Placed, parent: TopLevel | undefined): TopLevel | "closed" | undefined {
    if (!quirksOf(this.#app.toolkit).placesPopupsAtOpener || !parent || !mayPopUp(placed)) return undefined;
    const window = this.#windowFor(placed, parent.scale);
    if (!window) return isPopover(placed.element) ? "closed" : undefined;
    const { path } = placed.element;
    this.#free.splice(this.#free.indexOf(window), 1);
    this.#app.popups.set(path, window.info.id);
    return toPopup(path, parent, window, placed.around);
  }

  #windowFor({ element, extents, around }: Placed, scale: number): WindowDetails | undefined {
    const right = (extents.x - around.x + extents.width) * scale;
    const bottom = (extents.y - around.y + extents.height) * scale;
    const misfit = ({ client }: WindowDetails): number =>
      Math.max(Math.abs(client.width - right), Math.abs(client.height - bottom));
    const [best] = this.#free.toSorted((a, b) => misfit(a) - misfit(b));
    return best && misfit(best) <= (isPopover(element) ? widestFrame : rounding) ? best : undefined;
  }
}

/** The window and what opened the popover have the same corner in the program's coordinates. */
function toPopup(path: string, { windowId, scale }: TopLevel, { client }: WindowDetails, around: Rect): TopLevel {
  return { path, windowId, scale, ...shift(scale, client, around) };
}

/** The popovers that were seen open and still are. */
export async function readPopups(
  app: App,
  topLevels: readonly TopLevel[],
  windows: readonly WindowDetails[],
  options: BusCallOptions,
): Promise<readonly TopLevel[]> {
  const found = await Promise.all(
    [...app.popups].map(async ([path, windowId]) => {
      const window = windows.find(({ info }) => info.id === windowId);
      const opener = window && (await readParent(app, path, options));
      if (!window || opener === undefined) return undefined;
      const [around, top] = await Promise.all([readExtents(app, opener, options), topLevelOf(app, opener, options)]);
      // Of a menu inside a menu only the scale is taken from the window around it.
      const parent = topLevels.find((each) => each.path === top) ?? topLevels[0];
      return around && parent && toPopup(path, parent, window, around);
    }),
  );
  return found.filter((popup) => popup !== undefined);
}

/** Without a name GTK reports that of the class, such as GtkPopover or GtkPopoverMenu. */
const isPopover = ({ name, role }: Element): boolean => boxes.has(role) && /^[A-Z]\w*Popover(Menu)?$/.test(name);

const boxes: ReadonlySet<number> = new Set([
  roleNumber.filler,
  roleNumber.panel,
  roleNumber.menu,
  roleNumber.popupMenu,
  roleNumber.dialog,
  roleNumber.toolTip,
]);

/** A box of exactly the size of an open popover may stand in a window, too, but then it does not stick out. */
function mayPopUp({ element, extents, around }: Placed): boolean {
  if (isPopover(element)) return true;
  if (!boxes.has(element.role) || element.childCount === 0) return false;
  const [x, y] = [extents.x - around.x, extents.y - around.y];
  const isAtCorner = x >= 0 && y >= 0 && x <= widestFrame && y <= widestFrame;
  return isAtCorner && (x + extents.width > around.width || y + extents.height > around.height);
}
