import { expect, test } from "vitest";
import { ToolError } from "../base/errors.ts";
import { renderError } from "./print.ts";

test("an error shows the message, what to do, and the candidates", () => {
  const error = new ToolError("ambiguous_target", "Two match.", { hint: "Pass pid.", candidates: ["a\u001B", "b"] });
  expect(renderError(error.toEnvelope())).toBe("handsight: Two match.\n  Pass pid.\n  - a\\u{1b}\n  - b");
});
