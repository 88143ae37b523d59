import { expect, test } from "vitest";
import { commandWords, givenNames } from "./command-words.ts";

test.each([
  [["xterm"], "xterm"],
  [["-c", "exec xterm -e true"], "xterm"],
  [["-c", "true;/usr/bin/xterm&"], "/usr/bin/xterm"],
  [["-c", 'x"te"rm'], "xterm"],
  [["-c", "x\\term"], "xterm"],
  [["-c", "import os; os.system('xterm')"], "xterm"],
  [["--exec=xterm"], "xterm"],
  [["-Sxterm"], "xterm"],
  [["Passwords and Keys"], "Passwords and Keys"],
])("%j may name %s", (args, word) => {
  expect([...commandWords(args)]).toContain(word);
});

test("options and signs are no names", () => {
  expect([...commandWords(["--long", "-x", "{}", ";", "&&"])]).toEqual([]);
});

test("the file of a desktop entry names its app", () => {
  expect(givenNames("/usr/share/applications/debian-xterm.desktop")).toContain("debian-xterm");
});
