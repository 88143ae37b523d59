import { expect, test } from "vitest";
import { frameUri, journalUri, parseUri, stepUri, treeUri } from "./uri.ts";

test.each([
  [journalUri, { kind: "journal" }],
  [stepUri("s12"), { kind: "journal", id: "s12" }],
  [frameUri("f3abc"), { kind: "frames", id: "f3abc" }],
  [treeUri("s12-tree"), { kind: "trees", id: "s12-tree" }],
])("%s is an address", (uri, address) => {
  expect(parseUri(uri)).toEqual(address);
});

test.each([
  "",
  "handsight://",
  "handsight://frames",
  "handsight://frames/",
  "handsight://frames/.",
  "handsight://frames/..",
  "handsight://frames/../journal",
  "handsight://frames/a/b",
  "handsight://frames/a.png",
  "handsight://frames/%2e%2e",
  "handsight://frames/a\\b",
  "handsight://frames/a\n",
  "handsight://frames/a\0",
  `handsight://frames/${"a".repeat(65)}`,
  "handsight://journal/s1?x=1",
  "HANDSIGHT://journal/s1",
  "handsight://secrets/s1",
  "file:///etc/passwd",
])("%j is not", (uri) => {
  expect(parseUri(uri)).toBeUndefined();
});
