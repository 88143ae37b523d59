import { expect, test } from "vitest";
import { isLauncher } from "./launchers.ts";

test.each([
  "C:\\Windows\\System32\\cmd.exe",
  "c:/windows/system32/CMD.EXE",
  "\\\\?\\C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe",
  "rundll32",
  "mshta.exe",
  "wscript.exe",
  "python3.11",
  "/usr/bin/env",
])("%s starts what its arguments say", (program) => {
  expect(isLauncher(program)).toBe(true);
});

test.each(["C:\\Windows\\notepad.exe", "notepad", "/usr/bin/gedit", "cmdr.exe"])("%s does not", (program) => {
  expect(isLauncher(program)).toBe(false);
});
