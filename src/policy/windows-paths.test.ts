import { describe, expect, test } from "vitest";
import { needPlainPath } from "./windows-paths.ts";

describe("what Windows opens under another name than it is written is refused:", () => {
  test.each([
    "\\\\?\\C:\\Windows\\win.ini",
    "\\\\.\\PhysicalDrive0",
    "//?/C:/Windows/win.ini",
    "\\??\\C:\\Windows",
    "\\\\.\\pipe\\handsight",
    "\\\\?\\UNC\\server\\share\\x.png",
    "C:\\root\\CON",
    "C:\\root\\con.png",
    "C:\\root\\NUL.tar.gz",
    "C:\\root\\aux .png",
    "C:\\root\\COM1",
    "C:\\root\\lpt9.png",
    "C:\\root\\COM¹.png",
    "C:\\root\\CONOUT$",
    "CON",
    "C:\\root\\a.png:secret",
    "C:\\root\\a.png::$DATA",
    "C:\\root:stream\\a.png",
    "C:a.png",
    "c:..\\a.png",
    "D:",
    "C:\\root\\a.png.",
    "C:\\root\\a.png ",
    "C:\\root\\..  \\a.png",
    "C:\\root\\... \\a.png",
    "C:\\root.\\a.png",
    "C:\\root\\a?.png",
    "C:\\root\\*.png",
  ])("%j", (path) => {
    expect(() => needPlainPath(path)).toThrow(expect.objectContaining({ code: "denied" }) as Error);
  });
});

test.each([
  "C:\\root\\a.png",
  "c:/pictures/a.png",
  "C:\\root\\sub\\..\\a.png",
  ".\\a.png",
  "a.png",
  "C:\\root\\console.png",
  "C:\\root\\.hidden",
  "\\\\server\\share\\a.png",
])("a plain path is left alone: %j", (path) => {
  expect(() => needPlainPath(path)).not.toThrow();
});
