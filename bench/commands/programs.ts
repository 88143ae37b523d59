import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checks, clipboard, file, pixels, primary, titles, tree, type Look } from "../../test/support/truth/cells.ts";
import { root } from "../paths.ts";

type Call = readonly [tool: string, input: Record<string, unknown>];

export interface CommandCell {
  readonly command: string;
  /** Where another program sees what it did. */
  readonly look: Look;
  /** What is to be seen there then, and was not before; "refused" when the command must be refused. */
  readonly shows: RegExp | "refused";
  /** What is done next, such as closing the dialog that it opened. */
  readonly after?: readonly Call[];
}

export interface CommandProgram {
  readonly name: string;
  /** Part of the title of its window. */
  readonly title: string;
  readonly command: (folder: string) => readonly string[] | Promise<readonly string[]>;
  /** Its menus have entries only while open. */
  readonly opens?: boolean;
  readonly first?: readonly Call[];
  readonly cells: readonly CommandCell[];
}

const key = (name: string): Call => ["press_key", { key: name }];
const escape = [key("escape")];
const typed = (text: string): Call => ["type_text", { text }];
const any = /[^]/;

const opens = (command: string, title: RegExp): CommandCell => ({ command, look: titles, shows: title, after: escape });
const changes = (command: string, look: Look): CommandCell => ({ command, look, shows: any });
const refused = (command: string): CommandCell => ({ command, look: titles, shows: "refused" });

const textFile =
  (app: readonly string[], name = "notes.txt") =>
  async (folder: string): Promise<readonly string[]> => {
    const path = join(folder, name);
    await writeFile(path, "quiet words\n");
    return [...app, path];
  };

const office =
  (kind: string) =>
  (folder: string): readonly string[] => [
    "soffice",
    "--norestore",
    "--nologo",
    kind,
    `-env:UserInstallation=file://${join(folder, "profile")}`,
  ];

/** Ten and more programs of every toolkit, none of them made for this. */
export const programs: readonly CommandProgram[] = [
  {
    name: "mousepad (GTK 3)",
    title: "Mousepad",
    command: textFile(["mousepad"]),
    cells: [
      { command: "Select All", look: primary, shows: /quiet words/ },
      { command: "Edit > Convert > To Uppercase", look: tree, shows: /QUIET WORDS/ },
      { command: "save", look: file("notes.txt"), shows: /QUIET WORDS/ },
      opens("Save As…", /Save As/),
      opens("Find and Replace", /Find and Replace/),
      opens("Help > About", /About/),
      changes("View > Toolbar", tree),
      refused("Detach Tab"),
      refused("Reload everything"),
    ],
  },
  {
    name: "galculator (GTK 3)",
    title: "galculator",
    command: () => ["galculator"],
    cells: [
      { command: "Scientific Mode", look: tree, shows: /sinh?|tan/ },
      changes("Hexadecimal", pixels),
      changes("Decimal", pixels),
      opens("Preferences", /Preferences/),
      opens("About", /About/),
      { command: "Basic Mode", look: tree, shows: any },
      refused("Hexadecimal"),
    ],
  },
  {
    name: "gucharmap (GTK 3)",
    title: "Character Map",
    command: () => ["gucharmap"],
    cells: [
      changes("By Unicode Block", pixels),
      opens("Find…", /Find/),
      changes("Zoom In", tree),
      changes("Next Character", tree),
      opens("About", /About/),
    ],
  },
  {
    name: "atril (GTK 3)",
    title: "Atril",
    command: () => ["atril"],
    cells: [
      opens("Open…", /Open/),
      // Without a document the pane itself stays away.
      { command: "View > Side Pane", look: checks, shows: /Side Pane/ },
      changes("View > Toolbar", tree),
      opens("About", /About/),
      refused("Save As…"),
      refused("Print"),
    ],
  },
  {
    name: "featherpad (Qt)",
    title: "notes.txt",
    command: textFile(["featherpad", "--standalone"]),
    cells: [
      // It offers a selection to others only when the mouse or a key has made it; the next command proves it.
      changes("Select All", pixels),
      { command: "To Upper Case", look: tree, shows: /QUIET WORDS/ },
      { command: "Undo", look: tree, shows: /quiet words/ },
      opens("Save As", /Save as/),
      opens("Help > About", /About/),
      changes("Line Numbers", tree),
      refused("Detach Tab"),
    ],
  },
  {
    name: "speedcrunch (Qt)",
    title: "SpeedCrunch",
    command: () => ["speedcrunch"],
    first: [typed("6*7\n")],
    cells: [
      { command: "Copy Last Result", look: clipboard, shows: /^42$/ },
      changes("View > Status Bar", tree),
      opens("About SpeedCrunch", /About/),
      changes("View > Bitfield", tree),
      { command: "Clear History", look: tree, shows: any },
    ],
  },
  {
    name: "kcalc (Qt, KDE)",
    title: "KCalc",
    command: () => ["kcalc"],
    first: [typed("12")],
    cells: [
      { command: "Copy", look: clipboard, shows: /^12$/ },
      changes("Science Mode", tree),
      changes("Simple Mode", tree),
      opens("Configure KCalc", /Configure/),
      opens("About KCalc", /About/),
    ],
  },
  {
    name: "gnome-text-editor (GTK 4)",
    title: "Text Editor",
    command: () => ["gnome-text-editor", "--standalone"],
    opens: true,
    first: [typed("quiet words")],
    cells: [
      { command: "Copy All", look: clipboard, shows: /quiet words/ },
      opens("Save As", /Save As/),
      { command: "Menu > Find/Replace…", look: tree, shows: any, after: escape },
      { command: "Keyboard Shortcuts", look: tree, shows: any, after: escape },
      opens("page.print", /Print/),
      opens("New Window", /New Document/),
    ],
  },
  {
    name: "gnome-calculator (GTK 4)",
    title: "Calculator",
    command: () => ["gnome-calculator"],
    first: [typed("6*7\n")],
    cells: [
      { command: "win.copy", look: clipboard, shows: /^42$/ },
      { command: "win.undo", look: tree, shows: any },
      { command: "win.clear", look: tree, shows: any },
      { command: "app.about", look: tree, shows: any, after: escape },
      refused("Programming"),
    ],
  },
  {
    name: "LibreOffice Writer",
    title: "Writer",
    command: office("--writer"),
    first: [typed("quiet words")],
    cells: [
      // It begins a sentence with a capital letter.
      { command: "Select All", look: primary, shows: /Quiet words/ },
      { command: "Edit > Copy", look: clipboard, shows: /Quiet words/ },
      { command: "Format > Text > UPPERCASE", look: tree, shows: /QUIET WORDS/ },
      changes("Format > Text > Bold", tree),
      opens("Find and Replace…", /Find/),
      opens("Insert > Special Character…", /Special/),
      refused("Reload"),
    ],
  },
  {
    name: "LibreOffice Calc",
    title: "Calc",
    command: office("--calc"),
    first: [typed("12\n")],
    cells: [
      { command: "Edit > Select All", look: tree, shows: any },
      { command: "Edit > Copy", look: clipboard, shows: /12/ },
      opens("Insert Sheet…", /Sheet/),
      opens("Format > Cells…", /Format Cells/),
      { command: "View > Formula Bar", look: tree, shows: any },
    ],
  },
  {
    name: "Chromium's own menu",
    title: "Chromium",
    command: (folder) => [
      "chromium",
      "--no-sandbox",
      "--no-first-run",
      `--user-data-dir=${join(folder, "profile")}`,
      join(root, "test/conformance/page.html"),
    ],
    opens: true,
    cells: [
      { command: "New Incognito window", look: titles, shows: /Incognito/, after: [key("ctrl+shift+w")] },
      { command: "Bookmarks and lists > Show bookmarks bar", look: tree, shows: any },
      { command: "Find…", look: tree, shows: /[Ff]ind/, after: escape },
      { command: "More tools > Name window…", look: tree, shows: /Name|name/, after: escape },
      // There is one tab; the next command opens another.
      refused("Bookmark all tabs…"),
      { command: "About Chromium", look: titles, shows: /About/ },
    ],
  },
];
