import { expect, test } from "vitest";
import { answers, liesFor } from "../../../test/simulators/browser/lying-page.ts";
import { agentShapes, isNotice, type CalledMethod } from "./agent-shapes.ts";
import { list, number, object, optional, shallow, text } from "./checks.ts";

const methods = Object.keys(agentShapes) as CalledMethod[];

test.each(methods)("what %s answers passes, and no lie about it trips the check", (method) => {
  expect(agentShapes[method](answers[method])).toBe(undefined);
  for (const lie of liesFor(answers[method])) expect(() => agentShapes[method](lie)).not.toThrow();
});

test("an answer of an unknown kind is refused", () => {
  for (const method of methods) expect(agentShapes[method]([[null]]), method).toBeDefined();
});

test("names the place that is wrong", () => {
  const check = object({ rows: list(object({ name: text })), note: optional(text) });
  expect(check({ rows: [{ name: "a" }, { name: 7 }] })).toBe("rows.1.name");
  expect(check({ rows: [], note: null })).toBe("note");
  expect(check(7)).toBe("itself");
});

test("non-numbers and endless nesting do not pass", () => {
  for (const value of [Number.NaN, Infinity, "1", null]) expect(number(value)).toBeDefined();
  expect(shallow(JSON.parse("[".repeat(100_000) + "]".repeat(100_000)))).toBeDefined();
  expect(shallow({ a: [1, { b: "c" }] })).toBe(undefined);
});

test("a notice is one of the kinds we send", () => {
  expect(isNotice(["text", "input", 2])).toBe(true);
  expect(isNotice(["text", "input", -2])).toBe(false);
  expect(isNotice(["order", "input", 2])).toBe(false);
});
