import { describe, expect, test } from "vitest";
import { parseInstruction } from "./parse.ts";

const read = (text: string) => parseInstruction(text).map(({ step }) => step);

describe("the rules read", () => {
  test("several steps of one sentence, and keep quoted text whole", () => {
    expect(read('Type "Ann, then Bob" into the "Name" field, press Enter and click the Save button')).toMatchObject([
      { do: "type", text: "Ann, then Bob", into: { name: "Name", role: "textbox" } },
      { do: "press", key: "Enter" },
      { do: "click", target: { name: "Save", role: "button" } },
    ]);
  });

  test("numbered lines and sentences", () => {
    expect(read("1. click AC\n2. click 6. Then click +/-")).toMatchObject([
      { do: "click", target: { name: "AC" } },
      { do: "click", target: { name: "6" } },
      { do: "click", target: { name: "+/-" } },
    ]);
  });

  test("which one of several, and where", () => {
    expect(read('click the second "Delete" button, click "Delete" in "Row 2"')).toMatchObject([
      { do: "click", target: { name: "Delete", role: "button", ordinal: 2 } },
      { do: "click", target: { name: "Delete", within: "Row 2" } },
    ]);
  });

  test("a path through menus as one click after the other", () => {
    expect(read("Choose View > By Unicode Block")).toMatchObject([
      { do: "click", target: { name: "View", role: "menu" } },
      { do: "click", target: { name: "By Unicode Block" } },
    ]);
  });

  test("a name that contains a verb", () => {
    expect(read('Choose Search > Find and Replace, type "a" into Search for')).toMatchObject([
      { do: "click", target: { name: "Search", role: "menu" } },
      { do: "click", target: { name: "Find and Replace" } },
      { do: "type", text: "a", into: { name: "Search for" } },
    ]);
  });

  test("keys one after the other", () => {
    expect(read("Click 2, 5 and 0, then press =")).toMatchObject([
      { do: "click", target: { name: "2" } },
      { do: "click", target: { name: "5" } },
      { do: "click", target: { name: "0" } },
      { do: "press", word: "=" },
    ]);
  });

  test("what to drag, and where", () => {
    expect(read('drag "Write report" from Planned to the Finished column, then drag and drop A onto B')).toMatchObject([
      { do: "drag", target: { name: "Write report", within: "Planned" }, onto: { name: "Finished" } },
      { do: "drag", target: { name: "A" }, onto: { name: "B" } },
    ]);
  });

  test("a missing verb, but not a wish as a name", () => {
    expect(read("click 5 and then the plus sign")).toMatchObject([{ do: "click" }, { target: { name: "plus" } }]);
    expect(read('click "Save" and then make it nicer')).toMatchObject([{ do: "click" }, undefined]);
  });

  test("a key with the name of a kind of element", () => {
    expect(read("press Tab")).toMatchObject([{ do: "press", key: "Tab" }]);
  });

  test.each(["book me a flight to Paris", "write me a short poem about the sea", "make the document look nicer"])(
    "no steps if there are none: %s",
    (text) => expect(read(text)).toEqual([undefined]),
  );
});
