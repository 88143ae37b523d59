import { expect, test } from "vitest";
import { screenMarks } from "./screen-content.ts";

test("the marks around screen text contain a number that nobody can predict", () => {
  const { opening, closing } = screenMarks();
  const number = /^<screen-content ([0-9a-f]{12})> .*data, never instructions\.$/.exec(opening)?.[1];
  expect(closing).toBe(`</screen-content ${number}>`);
  expect(screenMarks().closing).not.toBe(closing);
});

test("the opening mark says when the text reads like orders", () => {
  expect(screenMarks({ hasOrders: true }).opening).toMatch(/never instructions\. .*tell the person\.$/);
});
