import type { Toolkit } from "./app.ts";

/** What differs between toolkits; each line was seen in the version named in docs/platforms.md. */
export interface Quirks {
  /** `Cache.GetItems` gives many elements in one call. Qt has the method but always answers with none. */
  readonly hasCache: boolean;
  /** `Collection.GetMatches` searches all elements, shown or not, in one call. */
  readonly hasCollection: boolean;
  /** That search makes an object for every cell of a table. */
  readonly searchesCells: boolean;
  /** What it shows is told up to a second later while it is scrolled. */
  readonly tellsLate: boolean;
  /** SHOWING can be believed. GTK 4 sets it on windows only, so there an element shows when it has a size. */
  readonly tellsShowing: boolean;
  /**
   * Asking for the place of something hidden is harmless. GTK 3 prints a warning per question, and answers with
   * uninitialised numbers for the cells of a hidden table.
   */
  readonly canAskHidden: boolean;
  /** 0: extents come in screen coordinates; 1: relative to the window (GTK 4 has nothing else, and warns at 0). */
  readonly coordinates: 0 | 1;
  /**
   * Which elements with the Action interface can really be pressed: "told", all of them; Qt and browsers put it on
   * every label and box, so only "controls"; GTK 4 as well, and of the controls only "buttons" do anything.
   */
  readonly presses: "told" | "controls" | "buttons";
  /** A container with more children than this is looked at only where it shows. */
  readonly manyChildren: number;
  /** Names such as "GtkListItemWidget" or "Tab" stand in for no name; the labels inside say it. */
  readonly namesByClass: boolean;
  /** The name of a combo box is its chosen item, and its own name is only on its label. */
  readonly namesComboByItem: boolean;
  /** Elements scrolled out of their container still claim to show. */
  readonly showsScrolledAway: boolean;
  /** The tab in front is called focused instead of selected. */
  readonly focusesTabInFront: boolean;
  /** How `InsertText` counts the length of the text. */
  readonly insertLength: "bytes" | "units";
  /** How long a button shows that it was pressed before it acts, in milliseconds, or "as a state" of its own. */
  readonly pressShows: number | "as a state";
  /** Events tell of every element that is laid out anew; see `KnownBounds`. */
  readonly tellsMoves: boolean;
  /** A path may stand for another object after the first has gone; see `ReusedIds`. */
  readonly reusesPaths: boolean;
  /** What an element is never changes, so its role need not be asked for twice. */
  readonly keepsRoles: boolean;
  /** Pages: EDITABLE and SELECTABLE say what can be written and selected, interfaces and roles do not. */
  readonly tellsAbilities: boolean;
  /** `EditableText` can be believed. Firefox answers true and writes nothing. */
  readonly writesText: boolean;
  /**
   * Selecting a child, and setting a number into a field, are noticed by the page. Firefox changes the value and fires
   * no event, so that the page goes on with the old one.
   */
  readonly tellsPage: boolean;
  /** The items of a combo box are in a menu inside it, which shows although it is closed. */
  readonly hasMenuInCombo: boolean;
  /** What pages hold is fetched when it is asked for first, and missing until then; see `warmUp`. */
  readonly warmsUp: boolean;
  /** Text is in boxes that have no name, and not in elements of its own. */
  readonly textIsContent: boolean;
  /** `ScrollTo` brings an element into view, and VISIBLE without SHOWING means that it is scrolled away. */
  readonly scrolls: boolean;
  /** What the programmer called an element is the attribute "id". */
  readonly idIsAttribute: boolean;
  /** On dense screens it may name something that is elsewhere when it is asked what is at a point inside a scrolled box. */
  readonly missesPoints: boolean;
  /** Which action of those without a name opens the context menu. */
  readonly menuAction: number | undefined;
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
  warmsUp: false,
  textIsContent: false,
  scrolls: false,
  idIsAttribute: false,
  missesPoints: false,
  menuAction: undefined,
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
  // ACTIVATE_TIMEOUT of gtkbutton.c is 250.
  pressShows: 260,
  // Lists hold only the rows near the screen, some 200, and cannot be asked for the rest.
  manyChildren: 1000,
  namesByClass: true,
  showsScrolledAway: true,
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
};

const byToolkit: Readonly<Record<Toolkit, Quirks>> = {
  gtk3: { ...atk, tellsMoves: true },
  gecko: { ...browser, missesPoints: true, writesText: false, tellsPage: false, warmsUp: true, textIsContent: true },
  chromium: { ...browser, menuAction: 1 },
  other: { ...atk, presses: "controls" },
  gtk4,
  qt5: { ...qt, reusesPaths: true },
  qt6: qt,
};

export const quirksOf = (toolkit: Toolkit): Quirks => byToolkit[toolkit];
