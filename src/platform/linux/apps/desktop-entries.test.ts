import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { commandLine, findEntry, parseDesktopEntry, parseExec, readDesktopEntries } from "./desktop-entries.ts";

const entry = (lines: string) => `[Desktop Entry]\nType=Application\n${lines}\n`;

test.each([
  ["mousepad %U", ["mousepad", undefined]],
  ["env A=1 app --name %c %k -x", ["env", "A=1", "app", "--name", "-x"]],
  ['"/opt/my app/run" --text "a \\"quoted\\" word" 100%%', ["/opt/my app/run", "--text", 'a "quoted" word', "100%"]],
  ["", []],
])("the Exec line %j is %j", (exec, words) => {
  expect(parseExec(exec)).toEqual(words);
});

test("arguments go where the entry wants files, or to the end", () => {
  const withFiles = { id: "a", name: "A", command: ["a", undefined, "--last"], isTerminal: false };
  expect(commandLine(withFiles, ["x", "y"])).toEqual(["a", "x", "y", "--last"]);
  expect(commandLine({ ...withFiles, command: ["a"] }, ["x"])).toEqual(["a", "x"]);
});

test.each([
  ["hidden in menus", entry("Name=A\nExec=a\nNoDisplay=true")],
  ["removed by the person", entry("Name=A\nExec=a\nHidden=true")],
  ["no app", "[Desktop Entry]\nType=Link\nName=A\nExec=a\n"],
  ["without a command", entry("Name=A")],
  ["garbage", "\u0000\u0001=[[["],
])("an entry that is %s is left out", (_why, text) => {
  expect(parseDesktopEntry("a", text)).toBeUndefined();
});

test("only the main group counts, and the plain name", () => {
  const text = `# comment\n${entry("Name[de]=Texte\nName=Text Editor\nExec=edit %F")}[Desktop Action new]\nName=New\nExec=edit --new\n`;
  expect(parseDesktopEntry("edit", text)).toEqual({
    id: "edit",
    name: "Text Editor",
    command: ["edit", undefined],
    isTerminal: false,
  });
});

test.each([
  ["a terminal", "Categories=System;TerminalEmulator;", true],
  ["a program that runs in one", "Terminal=true", true],
  ["neither", "Categories=TerminalEmulatorless;", false],
])("%s is recognised", (_what, line, isTerminal) => {
  expect(parseDesktopEntry("x", entry(`Name=X\nExec=x\n${line}`))).toMatchObject({ isTerminal });
});

test("the user's own entry hides the system's, and folders become part of the id", async () => {
  const folder = await mkdtemp(join(tmpdir(), "handsight-apps-"));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  try {
    await write("home/applications/one.desktop", entry("Name=Mine\nExec=mine"));
    await write("home/applications/two.desktop", entry("Name=Two\nExec=two\nNoDisplay=true"));
    await write("shared/applications/one.desktop", entry("Name=Theirs\nExec=theirs"));
    await write("shared/applications/two.desktop", entry("Name=Two\nExec=two"));
    await write("shared/applications/kde/three.desktop", entry("Name=Three\nExec=three"));
    const env = {
      XDG_DATA_HOME: join(folder, "home"),
      XDG_DATA_DIRS: `${join(folder, "shared")}:${join(folder, "none")}`,
    };
    const entries = await readDesktopEntries(env);
    expect(entries.map(({ id, name }) => [id, name])).toEqual([
      ["one", "Mine"],
      ["kde-three", "Three"],
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("an app is found by its id, its name, or the part of a name or kind that no other has", () => {
  const entries = [
    { id: "org.kde.kcalc", name: "KCalc", genericName: "Scientific Calculator", command: ["kcalc"] },
    { id: "org.example.Text", name: "Text Editor", command: ["text"] },
    { id: "image", name: "Image Editor", command: ["image"] },
  ].map((each) => ({ ...each, isTerminal: false }));
  const idOf = (app: string) => findEntry(entries, app)?.id;
  expect(["org.example.text", "text editor", "Image", "Calculator"].map(idOf)).toEqual([
    "org.example.Text",
    "org.example.Text",
    "image",
    "org.kde.kcalc",
  ]);
  expect(["Editor", "kca", "", "xyz"].map(idOf)).toEqual([undefined, undefined, undefined, undefined]);
  expect(
    findEntry([...entries, { id: "c", name: "Calculator", command: ["c"], isTerminal: false }], "calculator")?.id,
  ).toBe("c");
});
