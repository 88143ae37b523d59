import { expect, test } from "vitest";
import { fitsApp, type Program } from "./apps.ts";

const terminal: Program = { names: ["notes", "/usr/bin/xterm", "xterm", "debian-xterm", "XTerm"], ownNames: ["notes"] };
const env: Program = { names: ["env", "/usr/bin/env"], ownNames: ["env"] };
const word: Program = { names: ["draft"], ownNames: ["draft"], isMaybe: true };

test("a rule that denies or asks is about every name of every program", () => {
  for (const verdict of ["deny", "ask"] as const) {
    for (const name of ["xterm", "XTERM", "debian-*", "/usr/bin/xterm", "notes"]) {
      expect(fitsApp(name, verdict, { programs: [env, terminal] }), name).toBe(true);
    }
    expect(fitsApp("mousepad", verdict, { programs: [env, terminal] })).toBe(false);
    expect(fitsApp("draft", verdict, { programs: [terminal, word] })).toBe(true);
  }
});

test("a rule that allows is about what was asked for, and only when that is all there is", () => {
  expect(fitsApp("notes", "allow", { programs: [terminal] })).toBe(true);
  expect(fitsApp("xterm", "allow", { programs: [terminal] })).toBe(false);
  expect(fitsApp("notes", "allow", { programs: [env, terminal] })).toBe(false);
  expect(fitsApp("env", "allow", { programs: [env, terminal] })).toBe(false);
  expect(fitsApp("notes", "allow", { programs: [terminal, word] })).toBe(true);
  expect(fitsApp("*", "allow", { programs: [env, terminal] })).toBe(true);
});

test("a rule that allows a name allows no path that ends so", () => {
  const path = { names: ["/tmp/notepad", "notepad"], ownNames: ["/tmp/notepad"] };
  expect(fitsApp("*pad", "allow", { programs: [path] })).toBe(false);
  expect(fitsApp("/tmp/*", "allow", { programs: [path] })).toBe(true);
});

test("a window is denied by any name of its app, and allowed by its own", () => {
  const window = { app: "Diary", aliases: ["Diary", "xterm"] };
  expect(fitsApp("xterm", "deny", { window })).toBe(true);
  expect(fitsApp("xterm", "allow", { window })).toBe(false);
  expect(fitsApp("diary", "allow", { window, app: "Other" })).toBe(true);
  expect(fitsApp("other", "allow", { window, app: "Other" })).toBe(false);
});
