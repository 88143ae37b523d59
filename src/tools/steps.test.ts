import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSelector } from "../surface/selector.ts";
import { readExpectation, readStepTarget, readSteps, wordsOf } from "./steps.ts";

const problems = (...steps: unknown[]) => readSteps(steps).problems;

describe("steps", () => {
  test("every verb, in its short and its long form", () => {
    const steps = [
      { launch: "mousepad" },
      { launch: { app: "mousepad", args: ["a.txt"] } },
      { close: "mousepad" },
      { close: { window: "Letter" } },
      { open: "https://example.org/" },
      { open: { file: "a.txt", with: "mousepad" } },
      { click: "Save" },
      {
        click: { role: "button", name: "Save", nth: 2, enabled: true, count: 2, modifiers: ["ctrl"] },
        expect: "Saved",
      },
      { type: "text" },
      { type: { text: "text", into: "Name" } },
      { fill: { into: { label: "Name" }, text: "" } },
      { press: "ctrl+s" },
      { press: { key: "tab", times: 3 } },
      { select: "Row 3" },
      { select: { option: "Large", from: "Size" } },
      { select: { role: "row", name: "3" } },
      { check: "Wrap" },
      { uncheck: { uid: "a12g3" } },
      { hover: { point: "50%, 50%" } },
      { drag: { from: { uid: "a1" }, to: { point: "1,2" } } },
      { scroll: "down" },
      { scroll: { direction: "up", until: "Row 1", at: { selector: "List" } } },
      { wait: 20 },
      { wait: "2s" },
      { wait: { gone: "Loading" } },
      { expect: { count: 3, of: { role: "row" } } },
      { expect: { file: "a.txt", contains: "x" }, timeout_ms: 10 },
      { read: "Total" },
      { read: { role: "textbox", as: "letter" } },
      { screenshot: true },
      { screenshot: "a.png", surface: "page:1", window: "Letter" },
    ];
    expect(problems(...steps)).toEqual([]);
    expect(readSteps(steps).steps).toHaveLength(steps.length);
  });

  test.each([
    [{ clik: "Save" }, 'step 1: unknown field "clik", did you mean "click"?'],
    [{}, "step 1: names no verb"],
    [{ click: "a", type: "b" }, "step 1: has several verbs: click, type"],
    ["click Save", "step 1: must be an object"],
    [{ wait: "61s" }, "waits 60 s at most"],
    [{ click: { nam: "Save" } }, 'step 1: click: unknown field "nam", did you mean "name"?'],
    [{ click: { role: "buton" } }, "is not a role"],
    [{ click: { uid: "a1", text: "b" } }, "named in several ways: uid and text"],
    [{ click: { text: "a", nth: 2 } }, "nth need role, name or id"],
    [{ click: { css: "#a" } }, 'unknown field "css"'],
    [{ click: { leftOf: "b", text: "a" } }, 'unknown field "leftOf"'],
    [{ click: { window: "Letter" } }, "takes no window"],
    [{ check: { point: "1,2" } }, "step 1: check: takes no point"],
    [{ fill: { into: "Name" } }, "step 1: fill.text:"],
    [{ press: "ctrl+" }, "step 1: press:"],
    [{ press: "nosuchkey" }, "step 1: press:"],
    [{ wait: "soon", expect: "x" }, "wait takes no expect"],
    [{ expect: { visible: "a", hidden: "b" } }, "names 2 things: visible, hidden"],
    [{ expect: { count: 3 } }, "count needs of"],
    [{ expect: { visible: "a", contains: "b" } }, "contains goes with file"],
    [{ open: "a.txt" }, "step 1: open:"],
    [{ click: "a", timeout_ms: -1 }, "step 1: timeout_ms:"],
    [{ click: "a", timout_ms: 1 }, 'did you mean "timeout_ms"?'],
  ])("%j is refused with its number and field", (step, says) => {
    expect(problems(step).join("; ")).toContain(says);
  });

  test("anything at all is read or refused, never thrown", () => {
    fc.assert(
      fc.property(fc.array(fc.anything(), { maxLength: 3 }), (list) => {
        const { steps, problems: found } = readSteps(list);
        expect(steps.length + found.length).toBeGreaterThanOrEqual(list.length);
      }),
      { numRuns: 500 },
    );
  });
});

test("a name in a target is that name in the selector, whatever it contains", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (name) => {
      const named = readStepTarget({ role: "button", name });
      if (named.form !== "element" || named.element.form !== "selector") throw new Error("not a selector");
      expect(parseSelector(named.element.selector).at(-1)?.name).toBe(name);
    }),
  );
});

test("what is expected is read from short and long forms alike", () => {
  expect(readExpectation("Saved")).toEqual(readExpectation({ text: "Saved" }));
  expect(readExpectation({ checked: true })).toEqual({ is: "state", state: "checked", of: "own" });
  expect(readExpectation({ selector: "Button:Save" })).toEqual(
    readExpectation({ visible: { selector: "Button:Save" } }),
  );
  expect(wordsOf({ role: "button", name: "Save", nth: 2 })).toBe('button "Save" nth 2');
});
