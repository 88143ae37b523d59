import type { Toolkit } from "./app.ts";

/** Differences between toolkits; each was observed in the version named in docs/platforms.md. */
export interface Quirks {
  /** `Cache.GetItems` returns many elements in one call. Qt has the method but always returns none. */
  readonly hasCache: boolean;
  /** `Collection.GetMatches` searches all elements, visible or not, in one call. */
  readonly hasCollection: boolean;
  /** That search creates an object for every cell of a table. */
  readonly searchesCells: boolean;
  /** While scrolling, it reports what it shows up to a second late. */
  readonly tellsLate: boolean;
  /** SHOWING is reliable. GTK 4 sets it on windows only, so there an element is visible when it has a size. */
  readonly tellsShowing: boolean;
  /**
   * Asking for the place of a hidden element is harmless. GTK 3 prints a warning each time, and returns uninitialised
   * numbers for the cells of a hidden table.
   */
  readonly canAskHidden: boolean;
  /**
   * 0: extents are in screen coordinates; 1: relative to the window (GTK 4 supports nothing else, and warns at 0).
   */
  readonly coordinates: 0 | 1;
  /**
   * Which elements with the Action interface can really be pressed. "told": all of them. "controls": Qt and browsers
   * put it on every label and box, so only controls. "buttons": GTK 4 does, too, and of its controls only buttons
   * react.
   */
  readonly presses: "told" | "controls" | "buttons";
  /** In a container with more children than this, only the visible part is read. */
  readonly manyChildren: number;
  /** Names such as "GtkListItemWidget" or "Tab" mean that there is no name; the labels inside have it. */
  readonly namesByClass: boolean;
  /** The name of a combo box is its chosen item; its own name is only on its label. */
  readonly namesComboByItem: boolean;
  /** Elements that are scrolled out of their container still claim to be showing. */
  readonly showsScrolledAway: boolean;
  /** The tab in front is reported as focused instead of selected. */
  readonly focusesTabInFront: boolean;
  /** The unit of the length argument of `InsertText`. */
  readonly insertLength: "bytes" | "units";
  /**
   * How long a button looks pressed before it acts, in milliseconds, or "as a state" if that is a state of its own.
   */
  readonly pressShows: number | "as a state";
  /** Events report every layout change; see `KnownBounds`. */
  readonly tellsMoves: boolean;
  /** A path may belong to another object after the first is gone; see `ReusedIds`. */
  readonly reusesPaths: boolean;
  /** Roles never change, so they are read only once. */
  readonly keepsRoles: boolean;
  /** For pages: EDITABLE and SELECTABLE say what can be edited and selected; interfaces and roles do not. */
  readonly tellsAbilities: boolean;
  /** `EditableText` is reliable. Firefox returns true and writes nothing. */
  readonly writesText: boolean;
  /**
   * The page notices when a child is selected or a number is set in a field. Firefox changes the value but fires no
   * event, so the page continues with the old one.
   */
  readonly tellsPage: boolean;
  /** The items of a combo box are in a menu inside it, which claims to be showing even when closed. */
  readonly hasMenuInCombo: boolean;
  /** What a popover shows is reported at the corner of what opened it; see `Popups`. */
  readonly placesPopupsAtOpener: boolean;
  /** The content of pages is fetched on first request, and missing until then; see `warmUp`. */
  readonly warmsUp: boolean;
  /** Text is in boxes without a name, not in elements of its own. */
  readonly textIsContent: boolean;
  /** `ScrollTo` brings an element into view, and VISIBLE without SHOWING means that it is scrolled away. */
  readonly scrolls: boolean;
  /** The programmer's name for an element is the attribute "id". */
  readonly idIsAttribute: boolean;
  /**
   * On high-density screens, asking what is at a point inside a scrolled box may return an element that is elsewhere.
   */
  readonly missesPoints: boolean;
  /** Which of the unnamed actions opens the context menu. */
  readonly menuAction: number | undefined;
  /** Toggling a check box or checkable button is no click: Qt emits `toggled` but not `clicked`. */
  readonly togglesOnly: boolean;
  /** Cells of a table can be selected one by one, and `GetSelectedRows` leaves out their rows. */
  readonly selectsCells: boolean;
  /** While a dialog that an action opened is open, nothing is answered on the connection of the action. */
  readonly actionsBlock: boolean;
}

const atk: Quirks = {
  hasCache: true,
  hasCollection: true,
  searchesCells: true,
  tellsLate: false,
  tellsShowing: true,
  canAskHidden: false,
  coordinates: 0,
  presses: "told",
  manyChildren: 150,
  namesByClass: false,
  namesComboByItem: false,
  showsScrolledAway: false,
  focusesTabInFront: false,
  insertLength: "bytes",
  pressShows: 0,
  tellsMoves: false,
  reusesPaths: false,
  keepsRoles: false,
  tellsAbilities: false,
  writesText: true,
  tellsPage: true,
  hasMenuInCombo: false,
  placesPopupsAtOpener: false,
  warmsUp: false,
  textIsContent: false,
  scrolls: false,
  idIsAttribute: false,
  missesPoints: false,
  menuAction: undefined,
  togglesOnly: false,
  selectsCells: false,
  actionsBlock: false,
};

const browser: Quirks = {
  ...atk,
  searchesCells: false,
  tellsLate: true,
  presses: "controls",
  tellsAbilities: true,
  hasMenuInCombo: true,
  scrolls: true,
  idIsAttribute: true,
};

const gtk4: Quirks = {
  ...atk,
  hasCollection: false,
  tellsShowing: false,
  canAskHidden: true,
  coordinates: 1,
  presses: "buttons",
  // ACTIVATE_TIMEOUT in gtkbutton.c is 250.
  pressShows: 260,
  // Lists contain only the rows near the screen, about 200, and the rest cannot be read.
  manyChildren: 1000,
  namesByClass: true,
  showsScrolledAway: true,
  placesPopupsAtOpener: true,
  tellsMoves: true,
};

const qt: Quirks = {
  ...atk,
  hasCollection: false,
  hasCache: false,
  canAskHidden: true,
  presses: "controls",
  namesComboByItem: true,
  showsScrolledAway: true,
  focusesTabInFront: true,
  insertLength: "units",
  pressShows: "as a state",
  keepsRoles: true,
  togglesOnly: true,
  selectsCells: true,
};

const byToolkit: Readonly<Record<Toolkit, Quirks>> = {
  gtk3: { ...atk, tellsMoves: true, actionsBlock: true },
  gecko: { ...browser, missesPoints: true, writesText: false, tellsPage: false, warmsUp: true, textIsContent: true },
  chromium: { ...browser, menuAction: 1 },
  other: { ...atk, presses: "controls" },
  gtk4,
  qt5: { ...qt, reusesPaths: true },
  qt6: qt,
};

export const quirksOf = (toolkit: Toolkit): Quirks => byToolkit[toolkit];
