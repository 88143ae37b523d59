import { expect, test } from "vitest";
import { whatArrived } from "./arrived.ts";

const arrived = (before: string, after: string, text: string) => whatArrived({ before, after, text })?.arrived;

test("text that arrived whole is not mentioned", () => {
  expect(arrived("", "hello", "hello")).toBeUndefined();
  expect(arrived("say: now", "say: hello now", "hello ")).toBeUndefined();
});

test("letters that an app dropped are named", () => {
  expect(whatArrived({ before: "", after: "ABCx", text: "ABC😀x👩‍👧" })).toEqual({
    arrived: "ABCx",
    warning: 'Not all of the text arrived: "😀👩‍👧" is missing. Read the field before going on.',
  });
  expect(arrived("12", "12345", "34567")).toBe("345");
});

test("what an app adds, or writes in another case, is not missing", () => {
  expect(arrived("", "(555) 1234", "5551234")).toBeUndefined();
  expect(arrived("", "ABC", "abc")).toBeUndefined();
  expect(arrived("", "f()", "f(")).toBeUndefined();
});

test("text typed over a selection is compared as a whole", () => {
  expect(arrived("hello", "help", "help")).toBeUndefined();
  expect(arrived("hello", "help", "help😀")).toBe("help");
  expect(arrived("AB", "ABCx", "ABCxyz")).toBe("ABCx");
});

test("text that repeats what the field has is not taken for it", () => {
  expect(arrived("abc", "abcab", "abc")).toBe("ab");
});

test("a field that did not change is left to the effect", () => {
  expect(arrived("same", "same", "x")).toBeUndefined();
});
