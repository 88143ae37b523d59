import { expect, test } from "vitest";
import type { UiNode } from "../base/node.ts";
import { leftOut } from "./left-out.ts";
import type { SnapshotNode } from "./snapshot.ts";

const node = (ref: string, children: readonly SnapshotNode[] = [], omitted = 0): SnapshotNode => ({
  ref,
  stableId: ref,
  node: {} as UiNode,
  depth: 0,
  children,
  omitted,
});

test("what is missing is counted under the nearest element that is shown", () => {
  const leaf = node("leaf", [], 5);
  const list = node("list", [node("row", [leaf]), node("other")]);
  const window = node("window", [node("button"), list], 2);
  const shown = new Set([window, list]);
  const counts = [...leftOut([window], shown)].map(([{ ref }, count]) => [ref, count]);
  expect(counts).toEqual([
    ["window", 3],
    ["list", 8],
  ]);
});

test("nothing is counted where everything is shown", () => {
  const window = node("window", [node("button")]);
  expect(leftOut([window], new Set([window, ...window.children])).size).toBe(0);
});
