import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UiNode } from "../../base/node.ts";
import { applyDelta, diffTrees, isEmptyDelta, replaceBelow } from "./tree-delta.ts";

interface Branch {
  readonly id: number;
  readonly name: string;
  readonly x: number;
  readonly children: readonly Branch[];
}

/** Trees of a few elements out of many, so that most of two trees is common and some of it has moved. */
const { branch } = fc.letrec<{ branch: Branch; branches: Branch[] }>((tie) => ({
  branch: fc.record({
    id: fc.nat(30),
    name: fc.constantFrom("Save", "Open", ""),
    x: fc.nat(2),
    children: fc.oneof({ depthSize: "small" }, fc.constant([]), tie("branches")),
  }),
  branches: fc.array(tie("branch"), { maxLength: 5 }),
}));

function flatten(root: Branch, parent?: string, seen = new Set<number>()): UiNode[] {
  if (seen.has(root.id)) return [];
  seen.add(root.id);
  const own = element(`n${root.id}`, root.name, parent, root.x);
  return [own, ...root.children.flatMap((child) => flatten(child, own.runtimeId, seen))];
}

const element = (runtimeId: string, name: string, parent?: string, x = 0): UiNode => ({
  runtimeId,
  parent,
  role: "button",
  nativeRole: "button",
  name,
  bounds: { x, y: 0, width: 10, height: 10 },
  states: [],
  actions: [],
});

const tree = branch.map((root) => flatten(root));

describe("a delta", () => {
  test("applied to the first tree gives the second", () => {
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        expect(applyDelta(before, diffTrees(before, after))).toEqual(after);
      }),
    );
  });

  test("is empty only between equal trees", () => {
    fc.assert(
      fc.property(tree, (nodes) => {
        expect(isEmptyDelta(diffTrees(nodes, structuredClone(nodes)))).toBe(true);
      }),
    );
  });

  test("counts as few elements as possible as moved", () => {
    const row = (id: string) => element(id, id, "list");
    const before = [element("list", ""), row("a"), row("b"), row("c"), row("d")];
    const after = [element("list", ""), row("d"), row("a"), row("b"), row("c")];
    const { removed, added } = diffTrees(before, after);
    expect(removed.map(({ runtimeId }) => runtimeId)).toEqual(["d"]);
    expect(added).toEqual([{ node: row("d"), after: "list" }]);
  });

  test("tells an element that moved on the screen from one that says something else", () => {
    const before = [element("a", "Save"), element("b", "Open")];
    const { changed, moved } = diffTrees(before, [element("a", "Save", undefined, 5), element("b", "Close")]);
    expect(moved.map(({ runtimeId }) => runtimeId)).toEqual(["a"]);
    expect(changed.map(({ node, before: was }) => [was.name, node.name])).toEqual([["Open", "Close"]]);
  });
});

describe("a part that is read again", () => {
  const below = (nodes: readonly UiNode[], id: string): UiNode[] => {
    const found = new Set([id]);
    for (const { runtimeId, parent } of nodes) if (parent !== undefined && found.has(parent)) found.add(runtimeId);
    return nodes.filter(({ runtimeId }) => found.has(runtimeId));
  };

  test("leaves the tree as it is if nothing has changed, whichever parts are read", () => {
    fc.assert(
      fc.property(tree, fc.array(fc.nat(30), { maxLength: 4 }), (nodes, picks) => {
        const roots = picks.map((pick) => nodes[pick % nodes.length]?.runtimeId ?? "");
        const inner = new Set(
          roots.flatMap((id) =>
            below(nodes, id)
              .slice(1)
              .map(({ runtimeId }) => runtimeId),
          ),
        );
        const outermost = [...new Set(roots)].filter((id) => !inner.has(id));
        const part = (id: string) => ({
          nodes: below(nodes, id).map((node, at) => (at === 0 ? { ...node, parent: undefined } : node)),
          omitted: [],
        });
        const parts = new Map(outermost.map((id) => [id, part(id)]));
        expect(replaceBelow({ nodes, omitted: [] }, parts).nodes).toEqual(nodes);
      }),
    );
  });

  test("may have taken an element from elsewhere, which is then listed once", () => {
    const nodes = [element("w", ""), element("a", "", "w"), element("x", "", "a"), element("b", "", "w")];
    const part = { nodes: [element("b", ""), element("x", "", "b")], omitted: [] };
    const { nodes: now } = replaceBelow({ nodes, omitted: [] }, new Map([["b", part]]));
    expect(now.map(({ runtimeId, parent }) => [runtimeId, parent])).toEqual([
      ["w", undefined],
      ["a", "w"],
      ["b", "w"],
      ["x", "b"],
    ]);
  });

  test("that is empty is gone with everything below it", () => {
    const nodes = [element("w", ""), element("a", "", "w"), element("x", "", "a"), element("b", "", "w")];
    const { nodes: now } = replaceBelow(
      { nodes, omitted: [{ parent: "x", count: 3 }] },
      new Map([["a", { nodes: [], omitted: [] }]]),
    );
    expect(now.map(({ runtimeId }) => runtimeId)).toEqual(["w", "b"]);
  });
});
