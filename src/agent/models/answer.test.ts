import fc from "fast-check";
import { expect, test } from "vitest";
import { looseSchema, readAnswer, strictSchema } from "./answer.ts";

const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0 };

test.each([
  ['{"action":"click","x":1,"y":2,"done":false,"why":"ok"}', [{ action: "click", x: 1, y: 2, done: false, why: "ok" }]],
  ['Sure!\n```json\n{"action":"noop"}\n```\nDone.', [{ action: "noop" }]],
  ['<think>{"action":"click"} maybe?</think>{"action":"done"}', [{ action: "done" }]],
  [
    '[{"action":"key","key":"enter"},{"action":"wait","ms":5}]',
    [
      { action: "key", key: "enter" },
      { action: "wait", ms: 5 },
    ],
  ],
  ['{"actions":[{"action":"noop"}]}', [{ action: "noop" }]],
  ['I use {braces} first: {"action":"type","text":"a } b \\" {"}', [{ action: "type", text: 'a } b " {' }]],
  ['{"action":"click","region":3,"x":null,"unknown":1}', [{ action: "click", region: 3, x: null }]],
])("%s is read [S0-64, S0-65]", (text, actions) => {
  expect(readAnswer(text, usage)).toEqual(actions);
});

test.each(["", "no json", "{", '{"action":"fly"}', "[]", '{"x":1}', "null", '"click"'])(
  "%s is malformed [S0-69]",
  (text) => {
    expect(() => readAnswer(text, usage)).toThrow(
      expect.objectContaining({ name: "MalformedAnswer", answer: text }) as Error,
    );
  },
);

test("whatever a model says, it is an action or malformed", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        expect(readAnswer(text, usage).length).toBeGreaterThan(0);
      } catch (error) {
        expect((error as Error).name).toBe("MalformedAnswer");
      }
    }),
  );
});

test("both schemas name every field of an action, without ranges or lengths", () => {
  expect(Object.keys(looseSchema["properties"] as object)).toContain("to_x");
  expect(strictSchema["required"]).toEqual(Object.keys(strictSchema["properties"] as object));
  expect(JSON.stringify([looseSchema, strictSchema])).not.toMatch(/maxLength|minimum|maximum/);
});
