import fc from "fast-check";
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

  test("several things in one step, and one name with an and in it", () => {
    expect(read("Select A1, B2 and C3 and click Submit")).toMatchObject([
      { do: "click", target: { name: "A1" }, selects: true, among: { index: 0, count: 3 } },
      { do: "click", target: { name: "B2" }, among: { index: 1, count: 3 } },
      { do: "click", target: { name: "C3" }, among: { index: 2, count: 3 } },
      { do: "click", target: { name: "Submit" } },
    ]);
    expect(read('tick "Tea" and "Milk"')).toMatchObject([
      { do: "check", target: { name: "Tea" }, on: true },
      { do: "check", target: { name: "Milk" }, on: true },
    ]);
    expect(read("click Bread and Butter")).toMatchObject([
      { target: { name: "Bread" }, among: { whole: "Bread and Butter" } },
      { target: { name: "Butter" } },
    ]);
  });

  test.each([
    ["set the slider to 7", "7", "slider"],
    ["Select -3 with the slider", "-3", "slider"],
    ["move the Volume slider to 2.5", "2.5", "slider"],
    ['set "12" using the spinner', "12", "spinbutton"],
  ])("a value on a scale: %s", (said, text, role) => {
    expect(read(said)).toMatchObject([{ do: "type", text, into: { role }, replaces: true }]);
  });

  test.each([
    ["click the 2nd button", { role: "button", ordinal: 2 }],
    ["click the third link from the list", { role: "link", ordinal: 3, place: "list" }],
    ["click the last row", { role: "row", ordinal: -1 }],
    ["click the eleventh row", { name: "eleventh", role: "row", ordinal: undefined }],
    ["click the 11th row", { role: "row", ordinal: 11 }],
    ['click the button labeled "No"', { role: "button", name: "No" }],
    ['click the link named "No"', { role: "link", name: "No" }],
    ['click the button in the dialog box called "No"', { role: "button", name: "No", place: "dialog" }],
    ["click tab 2", { role: "tab", name: "2", whole: "tab 2" }],
    ["find and click on the Next link", { role: "link", name: "Next" }],
    ["select Tea from the scroll list", { name: "Tea", place: "list" }],
  ])("which one: %s", (said, target) => expect(read(said)).toMatchObject([{ do: "click", target }]));

  test("fields by what goes into them", () => {
    expect(read('Enter the username "ann" and the password "x1" into the text fields and press login')).toMatchObject([
      { do: "type", text: "ann", into: { name: "username" } },
      { do: "type", text: "x1", into: { name: "password" } },
      { do: "click", target: { name: "login" } },
    ]);
    expect(read('enter the password "x1" into both text fields')).toMatchObject([
      { do: "type", text: "x1", into: { role: "textbox", ordinal: 1, exactly: 2 } },
      { do: "type", text: "x1", into: { role: "textbox", ordinal: 2, exactly: 2 } },
    ]);
    expect(read('type "a" into First and "b" into Second')).toMatchObject([
      { do: "type", text: "a", into: { name: "First" } },
      { do: "type", text: "b", into: { name: "Second" } },
    ]);
  });

  test.each([
    ["all the boxes", 'click "OK" and then check all the boxes'],
    ["every row", "click every row"],
    ["both", "tick both boxes"],
    ["an order", "click the numbers in ascending order"],
    ["a relation", "click the button that is not red"],
    ["a colour", "click the lime colored box"],
    ["a place on the screen", "expand the section below"],
    ["a kind that is not known", "click a rectangle"],
    ["a pronoun for a text", "type that into the Name field"],
    ["a purpose", 'mark it as important by clicking "Star"'],
    ["a place to scroll", "scroll to the bottom of the letter"],
    ["a text that goes away", 'wait for "Loading" to disappear'],
    ["a list of different kinds", 'click "A", sort the rows'],
    ["one word", 'click "A", then frobnicate'],
    ["an unknown verb before a text", 'type "a" into Name and frobnicate "B"'],
    ["a condition", 'click "A" if "B" is shown'],
    ["one list for two choices", "select S and M from the Size list, then submit it"],
  ])("no plan from what is not understood: %s", (_what, said) => expect(read(said)).toContain(undefined));

  test.each(["book me a flight to Paris", "write me a short poem about the sea", "make the document look nicer"])(
    "no steps if there are none: %s",
    (text) => expect(read(text)).toEqual([undefined]),
  );
});

/** Letters that make no word the rules know. */
const unknown = fc.stringMatching(/^[bcdfghjklm]{3,7}$/);
const known = fc.constantFrom(
  'click "Save"',
  'type "a b" into the "Name" field',
  'tick "Agree"',
  'select "A", "B" and "C"',
  "press Enter",
  "scroll down",
  'wait for "Saved"',
  'set the "Volume" slider to 7',
  'Enter the username "x" and the password "y"',
  "click the 2nd checkbox",
  'drag "A" onto "B"',
);
const joints = fc.constantFrom(", then ", ". Then ", "; ", " and then ", ".\n", " and ", ", ");

describe("no instruction becomes a plan", () => {
  const isPlan = (text: string): boolean => parseInstruction(text).every(({ step }) => step !== undefined);

  test("with a clause that is not understood, wherever it stands", () => {
    const strange = fc.oneof(
      unknown.map((verb) => verb),
      fc.tuple(unknown, unknown).map(([verb, what]) => `${verb} the ${what}`),
      unknown.map((verb) => `${verb} "Save"`),
      unknown.map((verb) => `${verb} it until "Saved" is shown`),
    );
    fc.assert(
      fc.property(
        fc.array(known, { maxLength: 3 }),
        strange,
        fc.array(known, { maxLength: 3 }),
        joints,
        (a, b, c, joint) => {
          expect(isPlan([...a, b, ...c].join(joint))).toBe(false);
        },
      ),
    );
  });

  test("with a word beside a quoted name", () => {
    const clauses = fc.tuple(fc.constantFrom("click", "select", "tick", "double-click", "wait for", "drag"), unknown);
    fc.assert(
      fc.property(clauses, fc.boolean(), ([verb, word], isBefore) => {
        const named = isBefore ? `${verb} ${word} "Save"` : `${verb} "Save" ${word}`;
        expect(isPlan(named)).toBe(false);
      }),
    );
  });

  test("while each of the known clauses is one, and any of them together", () => {
    fc.assert(
      fc.property(fc.array(known, { minLength: 1, maxLength: 4 }), joints, (clauses, joint) => {
        expect(isPlan(clauses.join(joint))).toBe(true);
      }),
    );
  });
});
