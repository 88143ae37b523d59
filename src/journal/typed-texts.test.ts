import { expect, test } from "vitest";
import { TypedTexts } from "./typed-texts.ts";

test("parts of what was typed are blotted out, and nothing else", () => {
  const typed = new TypedTexts();
  for (const text of ["hunter2", "a long sentence that somebody has typed into a field"]) typed.add(text);
  expect(typed.blotIn("it is hunter2!")).toBe("it is [REDACTED]!");
  expect(typed.blotIn("… sentence that somebody has typed …")).toContain("[REDACTED]");
  expect(typed.blotIn("a field, a sentence")).toBe("a field, a sentence");
  typed.remove("hunter2");
  expect(typed.blotIn("it is hunter2!")).toBe("it is hunter2!");
});

test("of more than can be kept the newest are", () => {
  const typed = new TypedTexts();
  const book = (letter: string) => Array.from({ length: 50_000 }, (_, index) => `${letter}${index}`).join(" ");
  for (const letter of "abcdefghijklmnopqrstuvwxyz") typed.add(book(letter));
  expect(typed.blotIn(book("z").slice(100, 200))).toBe("[REDACTED]");
  expect(typed.blotIn(book("a").slice(100, 200))).toBe(book("a").slice(100, 200));
});
