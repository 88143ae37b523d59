import { join } from "node:path";
import { checkout } from "../checkout.ts";
import { all, clipboard, part, pixels, pixelsOf, primary, runs, shape, titles, tree } from "./cells.ts";
import { click, clickAt, press, quit, type } from "./deeds.ts";
import type { Program } from "./program.ts";

const quits = { name: "quitting", deed: quit, look: runs };

const xcalcDisplay = pixelsOf({ x: 0, y: 0, width: 245, height: 70 });

/** Programs that start quickly enough for the tests. */
export const lightPrograms: readonly Program[] = [
  {
    name: "Tk",
    title: "Tk Tick",
    command: () => ["wish", join(checkout, "test/fixtures/tick.tcl")],
    cells: [
      { name: "a tick", deed: clickAt(22, 45), look: pixels },
      { name: "a tick again", deed: clickAt(22, 45), look: pixels },
      { name: "a button that does nothing", deed: clickAt(40, 137), look: titles },
      { name: "a dialog that opens", deed: clickAt(40, 87), look: titles },
      {
        name: "a dialog that closes",
        deed: clickAt(30, 50, { inWindow: "Tk Question" }),
        look: titles,
      },
      quits,
    ],
  },
  {
    name: "xcalc (plain X11)",
    title: "Calculator",
    command: () => ["xcalc"],
    cells: [
      { name: "one digit of a display", deed: press("7"), look: xcalcDisplay },
      { name: "a button", deed: clickAt(114, 349), look: xcalcDisplay },
      { name: "a key it does not know", deed: press("F9"), look: xcalcDisplay },
      { name: "a click beside the buttons", deed: clickAt(240, 268), look: xcalcDisplay },
      quits,
    ],
  },
  {
    name: "xterm",
    title: "Term",
    command: () => ["xterm", "-T", "Term", "-e", "sh", "-c", "echo hello world; exec cat"],
    cells: [
      { name: "a word selected by a double click", deed: clickAt(20, 30, { clicks: 2 }), look: primary },
      { name: "one letter typed", deed: type("x"), look: pixels },
      { name: "a modifier alone", deed: press("shift"), look: pixels },
      quits,
    ],
  },
  {
    name: "xfce4-terminal",
    title: "Words",
    command: (folder) => [
      "xfce4-terminal",
      "--disable-server",
      "--title=Words",
      "--dynamic-title-mode=none",
      `--command=sh -c 'echo hello world; exec cat > ${join(folder, "typed")}'`,
    ],
    cells: [
      { name: "a line typed", deed: type("one two\n"), look: part("terminal") },
      { name: "a modifier alone", deed: press("shift"), look: all(part("terminal"), pixels) },
      { name: "a word selected by a double click", deed: clickAt(20, 57, { clicks: 2 }), look: primary },
      { name: "copying it", deed: press("ctrl+shift+c"), look: clipboard },
      { name: "a menu", deed: click({ text: "Tabs" }, { name: "Tabs" }), look: tree },
      { name: "closing it", deed: press("escape"), look: tree },
      quits,
    ],
  },
  {
    name: "mousepad (GTK 3)",
    title: "Mousepad",
    command: () => ["mousepad", "--disable-server"],
    cells: [
      { name: "typing", deed: type("hello"), look: all(titles, part("text")) },
      { name: "copying nothing", deed: press("ctrl+c"), look: clipboard },
      { name: "selecting everything", deed: press("ctrl+a"), look: primary },
      { name: "copying", deed: press("ctrl+c"), look: clipboard },
      { name: "a shortcut it does not know", deed: press("ctrl+F9"), look: pixels },
      { name: "quitting with unsaved text", deed: quit, look: runs },
    ],
  },
  {
    name: "gnome-calculator (GTK 4)",
    title: "Calculator",
    command: () => ["gnome-calculator"],
    cells: [
      { name: "a button", deed: click({ selector: 'Button:"7"' }, { x: 48, y: 312 }), look: part("text") },
      { name: "a key", deed: press("4"), look: part("text") },
      { name: "a key it does not know", deed: press("F9"), look: all(part("text"), shape) },
      { name: "a popover", deed: click({ text: "Basic" }, { x: 183, y: 27 }), look: shape },
      { name: "an item of it", deed: click({ text: "Advanced" }, { x: 95, y: 88, inPopup: true }), look: shape },
      quits,
    ],
  },
];
