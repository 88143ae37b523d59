import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  all,
  cellShows,
  clipboard,
  desk,
  file,
  part,
  pixels,
  primary,
  runs,
  titles,
  tree,
} from "../../test/support/truth/cells.ts";
import { click, clickAt, press, quit, type } from "../../test/support/truth/deeds.ts";
import type { Program } from "../../test/support/truth/program.ts";
import { root } from "../paths.ts";

const namespaces = ["office", "table", "text"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(" ");

/** A document that a person could read, and that LibreOffice saves without a question. */
async function writeDocument(path: string, kind: "spreadsheet" | "text", content: string): Promise<void> {
  const mime = `office:mimetype="application/vnd.oasis.opendocument.${kind}"`;
  const body = `<office:body><office:${kind}>${content}</office:${kind}></office:body>`;
  await writeFile(
    path,
    `<?xml version="1.0"?>\n<office:document ${namespaces} office:version="1.2" ${mime}>${body}</office:document>\n`,
  );
}

const office = (folder: string, path: string): readonly string[] => [
  "soffice",
  "--norestore",
  "--nologo",
  `-env:UserInstallation=file://${join(folder, "profile")}`,
  path,
];

/** The words in a document of LibreOffice, as it has saved them. */
const saved =
  (name: string) =>
  async (scene: Parameters<typeof pixels>[0]): Promise<string> =>
    [...(await file(name)(scene)).matchAll(/<text:p[^>]*>([^<]+)/g)].map(([, words]) => words).join("\n");

/** The name box and the paragraphs: where one is, and what is written. */
const texts = all(part("text"), part("paragraph"));
const menus = all(part("menu"), part("menu item"));
const atk = "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper";
const catalogue = ["one", "two", "three"].map((id) => `msgid "${id}"\nmsgstr ""\n`).join("\n");
const quits = { name: "quitting", deed: quit, look: runs };
const quitsUnsaved = { name: "quitting with unsaved work", deed: quit, look: runs };

/** Programs that take too long to install or start for the tests. */
export const heavyPrograms: readonly Program[] = [
  {
    name: "LibreOffice Calc",
    title: "sums.fods",
    command: async (folder) => {
      const path = join(folder, "sums.fods");
      await writeDocument(path, "spreadsheet", '<table:table table:name="Sums"><table:table-row/></table:table>');
      return office(folder, path);
    },
    cells: [
      { name: "typing and Enter", deed: type("12\n"), look: texts },
      { name: "saving", deed: press("ctrl+s"), look: saved("sums.fods") },
      { name: "to the first cell", deed: press("ctrl+home"), look: texts },
      { name: "to the first cell again", deed: press("ctrl+home"), look: all(texts, titles) },
      { name: "copying", deed: press("ctrl+c"), look: clipboard },
      { name: "no longer copying", deed: press("escape"), look: texts, unknowable: "only a border stops moving" },
      { name: "a cell", deed: click({ selector: "Cell:C5" }, { x: 246, y: 256 }), look: part("text") },
      {
        name: "a cell out of view",
        deed: click({ selector: "Cell:B500" }, { x: 0, y: 0 }),
        byHand: [clickAt(50, 139, { clicks: 3 }), type("B500\n")],
        look: all(part("text"), cellShows(499, 1)),
      },
      { name: "a button", deed: click({ selector: 'Button:"Bold"' }, { name: "Bold" }), look: part("toggle button") },
      { name: "a menu", deed: click({ selector: "Menu:Sheet" }, { name: "Sheet" }), look: menus },
      { name: "closing it", deed: press("escape"), look: menus },
      quitsUnsaved,
    ],
  },
  {
    name: "LibreOffice Writer",
    title: "words.fodt",
    command: async (folder) => {
      const path = join(folder, "words.fodt");
      await writeDocument(path, "text", "<text:p>first words</text:p>");
      return office(folder, path);
    },
    cells: [
      { name: "typing", deed: type("New "), look: texts },
      { name: "saving", deed: press("ctrl+s"), look: saved("words.fodt") },
      {
        name: "saving again",
        deed: press("ctrl+s"),
        look: all(saved("words.fodt"), titles),
        unknowable: "Writer writes the same document to its file once more, and nothing shows it",
      },
      { name: "selecting everything", deed: press("ctrl+a"), look: primary },
      { name: "copying", deed: press("ctrl+c"), look: clipboard },
      { name: "a key it does not know", deed: press("ctrl+shift+F9"), look: all(texts, titles) },
      quits,
    ],
  },
  {
    name: "kcalc (KDE)",
    title: "KCalc",
    command: () => ["kcalc"],
    cells: [
      { name: "a button", deed: click({ selector: 'Button:"7"' }, { name: "7" }), look: tree },
      { name: "a key", deed: press("5"), look: tree },
      { name: "a key it does not know", deed: press("F9"), look: all(tree, titles) },
      { name: "copying", deed: press("ctrl+c"), look: clipboard },
      { name: "a menu", deed: click({ text: "Settings" }, { name: "Settings" }), look: tree },
      {
        name: "a choice of it",
        deed: click({ text: "Science Mode" }, { name: "Science Mode" }),
        look: all(part("push button"), titles),
      },
      quits,
    ],
  },
  {
    name: "gnome-text-editor (GTK 4)",
    title: "Text Editor",
    command: () => ["gnome-text-editor", "--standalone"],
    cells: [
      { name: "typing", deed: type("hello"), look: all(part("text"), titles) },
      { name: "selecting everything", deed: press("ctrl+a"), look: primary },
      { name: "copying", deed: press("ctrl+c"), look: clipboard },
      { name: "a key it does not know", deed: press("ctrl+F9"), look: all(part("text"), desk) },
      { name: "a popover", deed: click({ selector: "Button:Menu" }, { name: "Menu" }), look: tree },
      { name: "closing it", deed: press("escape"), look: tree },
      quitsUnsaved,
    ],
  },
  {
    name: "poedit (wxWidgets)",
    title: "words.po",
    command: async (folder) => {
      const path = join(folder, "words.po");
      const head = `msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: de\\n"\n\n`;
      await writeFile(path, `${head}${catalogue}`);
      return ["poedit", path];
    },
    cells: [
      { name: "a row", deed: click({ text: "three" }, { name: "three", role: "table cell" }), look: tree },
      { name: "the same row again", deed: click({ text: "three" }, { name: "three", role: "table cell" }), look: tree },
      { name: "another row", deed: click({ text: "two" }, { name: "two", role: "table cell" }), look: tree },
      { name: "the field below", deed: clickAt(300, 620), look: pixels },
      { name: "typing", deed: type("zwei"), look: all(tree, titles) },
      { name: "saving", deed: press("ctrl+s"), look: all(file("words.po"), titles) },
      {
        name: "a switch",
        deed: click({ text: "Needs Work" }, { name: "Needs Work" }),
        look: part("toggle button"),
      },
      quitsUnsaved,
    ],
  },
  {
    name: "Java Swing",
    title: "Swing Controls",
    command: () => [
      "java",
      atk,
      "-cp",
      "/usr/share/java/java-atk-wrapper.jar",
      join(root, "test/fixtures/SwingControls.java"),
    ],
    cells: [
      { name: "a dead key", deed: press("F9"), look: tree },
      { name: "a button that counts", deed: click({ selector: "Button:Live" }, { name: "Live" }), look: tree },
      { name: "a button that does nothing", deed: click({ selector: "Button:Dead" }, { name: "Dead" }), look: tree },
      { name: "a row", deed: click({ text: "Row 2" }, { name: "Row 2" }), look: titles },
      { name: "a tick", deed: click({ selector: "CheckBox:Tick" }, { name: "Tick" }), look: tree },
      quits,
    ],
  },
];
