import { all, clipboard, part, pixelsOf, primary, runs, titles, tree } from "../../test/support/truth/cells.ts";
import type { Cell } from "../../test/support/truth/cells.ts";
import { click, clickAt, press, quit, type } from "../../test/support/truth/deeds.ts";
import type { Program } from "../../test/support/truth/program.ts";

const quits: Cell = { name: "quitting", deed: quit, look: runs };
const quitsUnsaved: Cell = { name: "quitting with unsaved work", deed: quit, look: runs };
const deadKey: Cell = { name: "a key it does not know", deed: press("ctrl+alt+shift+F7"), look: all(tree, titles) };

/** The same actions in any text editor. */
const editor = (name: string, title: string, command: readonly string[], menu: string): Program => ({
  name,
  title,
  command: () => command,
  cells: [
    { name: "typing", deed: type("one two"), look: all(part("text"), titles) },
    deadKey,
    { name: "selecting everything", deed: press("ctrl+a"), look: all(primary, part("text")) },
    { name: "copying", deed: press("ctrl+c"), look: clipboard },
    { name: "a menu", deed: click({ text: menu }, { name: menu }), look: tree },
    { name: "closing it", deed: press("escape"), look: tree },
    quitsUnsaved,
  ],
});

const calculator = (name: string, title: string, command: readonly string[]): Program => ({
  name,
  title,
  command: () => command,
  cells: [
    { name: "a button", deed: click({ selector: 'Button:"7"' }, { name: "7" }), look: tree },
    { name: "a key", deed: press("5"), look: tree },
    deadKey,
    { name: "a modifier alone", deed: press("shift"), look: tree },
    quits,
  ],
});

/** Programs that nothing here was made for; those that are not installed are listed with the reason. */
export const otherPrograms: readonly Program[] = [
  calculator("galculator", "galculator", ["galculator"]),
  calculator("mate-calc", "Calculator", ["mate-calc"]),
  editor("pluma", "Pluma", ["pluma"], "Search"),
  editor("l3afpad", "Untitled", ["l3afpad"], "Search"),
  editor("geany", "Geany", ["geany"], "Search"),
  editor("featherpad", "Untitled", ["featherpad", "--standalone"], "Search"),
  {
    name: "qalculate-gtk",
    title: "Qalculate!",
    command: () => ["qalculate-gtk"],
    cells: [
      { name: "typing a sum", deed: type("2+3\n"), look: tree },
      deadKey,
      { name: "a menu", deed: click({ text: "Mode" }, { name: "Mode" }), look: tree },
      { name: "closing it", deed: press("escape"), look: tree },
      quits,
    ],
  },
  {
    name: "gnome-clocks",
    title: "Clocks",
    command: () => ["gnome-clocks"],
    cells: [
      { name: "a page", deed: click({ text: "Stopwatch" }, { name: "Stopwatch" }), look: part("push button") },
      { name: "a key that does nothing", deed: press("F9"), look: part("push button") },
      {
        name: "starting the watch",
        deed: click({ selector: "Button:Start" }, { name: "Start" }),
        look: part("push button"),
      },
      { name: "a dead key while it runs", deed: press("F9"), look: part("push button") },
      { name: "pausing it", deed: click({ selector: "Button:Pause" }, { name: "Pause" }), look: part("push button") },
      quits,
    ],
  },
  {
    name: "kolourpaint",
    title: "KolourPaint",
    command: () => ["kolourpaint"],
    cells: [
      {
        name: "a dot on the canvas",
        deed: clickAt(300, 300),
        look: pixelsOf({ x: 280, y: 260, width: 60, height: 60 }),
      },
      { name: "a tool", deed: click({ selector: ':"Ellipse"' }, { name: "Ellipse" }), look: tree },
      deadKey,
      { name: "a menu", deed: click({ text: "Colors" }, { name: "Colors" }), look: tree },
      { name: "closing it", deed: press("escape"), look: tree },
      quitsUnsaved,
    ],
  },
  {
    name: "meld",
    title: "Meld",
    command: () => ["meld"],
    cells: [deadKey, { name: "a new page", deed: press("ctrl+n"), look: tree }, quits],
  },
];
