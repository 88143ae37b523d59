import { expect, test } from "vitest";
import type { Facts } from "../platform/backend.ts";
import { judgeFacts } from "./judge-facts.ts";

const nothing: Facts = {
  isWatched: true,
  lines: [],
  isForFocus: false,
  isForScrolling: false,
  hasScrolled: false,
  hasCopied: false,
  hasLeft: false,
  drawn: "no",
  opened: [],
  downloads: [],
  settleMs: 1,
};
const moved = { from: "a", to: "b" };
const dialog = { type: "alert", message: "", defaultPrompt: "" };

test.each<[string, Partial<Facts>, string]>([
  ["nothing at all", {}, "no_change"],
  ["nobody looked", { isWatched: false }, "unverifiable"],
  ["nobody looked, though lines came", { isWatched: false, lines: ["+ x"] }, "unverifiable"],
  ["the platform told of it", { isWatched: false, isTold: true }, "confirmed"],
  ["a change", { lines: ["+ x"] }, "confirmed"],
  ["the page was left", { hasLeft: true }, "confirmed"],
  ["a dialog", { dialog }, "confirmed"],
  ["a new page", { opened: ["page:2"] }, "confirmed"],
  ["something was copied", { hasCopied: true }, "confirmed"],
  ["a download", { downloads: ["a.zip"] }, "confirmed"],
  ["drawn anew", { drawn: "yes" }, "confirmed"],
  ["a picture that moves by itself", { drawn: "restless" }, "unverifiable"],
  ["the focus, as a side effect", { focus: moved }, "no_change"],
  ["the focus, which it was for", { focus: moved, isForFocus: true }, "confirmed"],
  ["scrolling, as a side effect", { hasScrolled: true }, "no_change"],
  ["scrolling, which it was for", { hasScrolled: true, isForScrolling: true }, "confirmed"],
  ["another title alone", { title: moved }, "no_change"],
])("%s", (_what, facts, effect) => {
  expect(judgeFacts({ ...nothing, ...facts })).toBe(effect);
});
